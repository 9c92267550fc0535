/** What a command line touches outside itself; `app` passes the real things, tests pass their own. */

import type { CommandSource } from "./command.ts";
import type { OperationClient } from "./operation-client.ts";

export interface CliWorld {
  readonly program: CliProgram;
  readonly commands: CommandSource;
  /** Opens the way to the workspace of a folder, here or in the daemon. Called only when a command needs it. */
  readonly connect: (directory: string) => Promise<OperationClient>;
  readonly stdin: CliInput;
  readonly stdout: CliOutput;
  readonly stderr: CliOutput;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly directory: string;
  /** Aborts when the person wants to stop. */
  readonly signal: AbortSignal;
  readonly now: () => number;
  readonly readFile: (path: string) => Promise<string>;
  /** The terminal that a person sits at, also while standard input is a file; undefined where nobody does. */
  readonly openTerminal?: () => Promise<CliTerminal | undefined>;
  /** Fresh text that makes a change happen once. */
  readonly nextKey: () => string;
}

export interface CliProgram {
  /** What people type. */
  readonly name: string;
  readonly version: string;
  readonly summary: string;
}

export interface CliInput {
  readonly isTTY: boolean;
  /** Everything until its end. */
  readonly readAll: () => Promise<string>;
  /** The same as it comes, not as text. */
  readonly bytes: () => AsyncIterable<Uint8Array>;
  /** Asks on the terminal; gives what is pasted there, of any length, up to Ctrl+D. */
  readonly readPaste: (question: string, signal: AbortSignal) => Promise<string>;
  /** Asks on the terminal; gives one line. */
  readonly ask: (question: string) => Promise<string>;
}

export interface CliTerminal {
  /** Gives one line; undefined when there will be none any more. */
  readonly ask: (question: string) => Promise<string | undefined>;
  readonly close: () => void;
}

export interface CliOutput {
  readonly isTTY: boolean;
  readonly columns: number;
  readonly rows: number;
  readonly write: (text: string) => void;
}
