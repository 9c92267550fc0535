/** What an adapter of version control is given to reach the machine. */

import type { RunProgram } from "./program.ts";

export interface VcsTools {
  readonly run: RunProgram;
  /** Ours; of it only what is needed reaches a program. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly random: (count: number) => Uint8Array;
  /** Runs the work while nobody else on this machine holds the lock of that file. */
  readonly lock: <Result>(file: string, work: () => Promise<Result>) => Promise<Result>;
}
