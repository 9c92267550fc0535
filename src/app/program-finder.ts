/** Looks for programs of the machine by asking them for their version. */

import { execFile } from "node:child_process";
import type { ProgramFinder } from "../methods/workspace/doctor-check.ts";

const PATIENCE_MS = 5000;

export const programFinder: ProgramFinder = {
  versionOf: (program) =>
    new Promise((resolve) => {
      execFile(program, ["--version"], { timeout: PATIENCE_MS }, (error, stdout) => {
        resolve(error === null ? (stdout.split("\n")[0] ?? "").trim() : undefined);
      });
    }),
};
