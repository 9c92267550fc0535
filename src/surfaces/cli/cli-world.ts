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
  /** Asks on the terminal; gives one line. */
  readonly ask: (question: string) => Promise<string>;
}

export interface CliOutput {
  readonly isTTY: boolean;
  readonly columns: number;
  readonly write: (text: string) => void;
}
