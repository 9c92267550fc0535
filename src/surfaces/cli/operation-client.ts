/** The way from a command line to the operations: in this process, or over HTTP in the one that owns the workspace. */

import type { EventSelection } from "../../kernel/operation/follow-events.ts";
import type { Progress } from "../../kernel/operation/operation.ts";
import type { Event } from "../../kernel/store/events.ts";

export interface CallOptions {
  readonly signal: AbortSignal;
  readonly report?: ((progress: Progress) => void) | undefined;
  readonly idempotencyKey?: string | undefined;
}

export interface OperationClient {
  invoke(name: string, input: unknown, options: CallOptions): Promise<unknown>;
  /** Events as they come, without gap or repetition, until the signal aborts. */
  events(selection: EventSelection, signal: AbortSignal): AsyncGenerator<Event, void>;
  close(): Promise<void>;
}
