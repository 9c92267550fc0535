/** What an adapter of version control is given to reach the machine. */

import type { RunProgram } from "./program.ts";
import type { NewFile } from "./vcs.ts";

export interface VcsTools {
  readonly run: RunProgram;
  /** Ours; of it only what is needed reaches a program. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Writes files below a folder, durably, and through no link. */
  readonly write: (root: string, files: readonly NewFile[]) => Promise<void>;
  readonly random: (count: number) => Uint8Array;
  /** Runs the work while nobody else on this machine holds the lock of that file. */
  readonly lock: <Result>(file: string, work: () => Promise<Result>) => Promise<Result>;
}
