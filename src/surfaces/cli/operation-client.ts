/** The way from a command line to the operations: in this process, or over HTTP in the one that owns the workspace. */

import type { EventSelection } from "../../kernel/operation/follow-events.ts";
import type { Progress } from "../../kernel/operation/operation.ts";
import type { OperationAnswer } from "../../kernel/operation/operation-answer.ts";
import type { Event } from "../../kernel/store/events.ts";

export interface CallOptions {
  readonly signal: AbortSignal;
  readonly report?: ((progress: Progress) => void) | undefined;
  readonly idempotencyKey?: string | undefined;
}

/** A file on its way to an operation. */
export interface SentFile {
  readonly name: string;
  readonly bytes: number;
  /** The same bytes each time, from this one on. */
  open(from: number): AsyncIterable<Uint8Array>;
}

export interface OperationClient {
  invoke(name: string, input: unknown, options: CallOptions): Promise<OperationAnswer>;
  /** Brings a file to where operations find it; gives the upload's id. */
  upload(file: SentFile, options: Pick<CallOptions, "signal" | "report">): Promise<string>;
  /** Drops an upload; one that was used up is no trouble. */
  dropUpload(id: string): Promise<void>;
  /**
   * Events as they come, without gap or repetition, until the signal aborts. `onCurrent` is told whenever all that
   * happened so far was given.
   */
  events(
    selection: EventSelection,
    signal: AbortSignal,
    onCurrent?: () => void,
  ): AsyncGenerator<Event, void>;
  /** Gives how many runs have more to do and nobody, from now on, who carries them on. */
  close(): Promise<number>;
}
