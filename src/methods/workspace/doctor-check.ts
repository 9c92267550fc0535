/** One thing `doctor` looked at, and the ports it looks through. */

import type { Kernel } from "../../kernel/operation/kernel.ts";

export interface CheckResult {
  readonly name: string;
  /** `absent`: not here, and fine to be without. */
  readonly state: "ok" | "absent" | "warn" | "bad";
  readonly message: string;
  /** What to do about it. */
  readonly hint?: string | undefined;
}

export interface DoctorCheck {
  /** The heading its results stand under. */
  readonly group: string;
  run(kernel: Kernel, onProgress: (message: string) => void): Promise<readonly CheckResult[]>;
}

/** Programs of the machine, as far as `doctor` wants to know them; given by the app. */
export interface ProgramFinder {
  /** What the program calls its version; undefined when it is not there. */
  versionOf(program: string): Promise<string | undefined>;
}
