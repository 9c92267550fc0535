/** The port to programs of the machine. No shell stands between: arguments arrive as they are given. */

export interface ProgramCall {
  readonly program: string;
  readonly args: readonly string[];
  readonly folder: string;
  /** All the program sees; nothing is added. */
  readonly environment: Environment;
  readonly input?: string | Uint8Array;
}

export interface ProgramResult {
  readonly exitCode: number;
  readonly output: Uint8Array;
  readonly errors: string;
}

/** Throws `program_missing`, `program_stalled` or `program_too_loud`; an exit code is a result like any other. */
export type RunProgram = (call: ProgramCall) => Promise<ProgramResult>;

export type Environment = Readonly<Record<string, string>>;
