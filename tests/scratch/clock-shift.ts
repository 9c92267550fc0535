/** Builds the clock that is set of `clock-shift.c`, and sets it. */

import { execFileSync } from "node:child_process";
import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

const COMPILER = process.env["CC"] ?? "cc";

export interface ShiftedClock {
  /** For a process that is to go by it. */
  readonly environment: Readonly<Record<string, string>>;
  /** So far ahead of the real one from now on; less than 0 for behind. */
  set(ms: number): void;
}

export interface ClockShift {
  newClock(name: string): ShiftedClock;
  remove(): void;
}

/** Undefined, said loudly, where there is no Linux or no C compiler. */
export function missingClockShift(): string | undefined {
  if (process.platform !== "linux") return `SKIPPED LOUDLY: no LD_PRELOAD on ${process.platform}`;
  try {
    execFileSync(COMPILER, ["--version"], { stdio: "ignore" });
    return undefined;
  } catch {
    return "SKIPPED LOUDLY: no C compiler (cc), so no clock could be set";
  }
}

export function buildClockShift(): ClockShift {
  const folder = mkdtempSync(path.join(tmpdir(), "clock-shift-"));
  const library = path.join(folder, "clock-shift.so");
  const source = path.join(import.meta.dirname, "clock-shift.c");
  execFileSync(COMPILER, ["-shared", "-fPIC", "-O2", "-Wall", "-o", library, source, "-ldl"]);
  return {
    newClock(name) {
      const file = path.join(folder, name);
      writeFileSync(file, new Uint8Array(8));
      return {
        environment: { CLOCK_SHIFT_FILE: file, LD_PRELOAD: library },
        set(ms) {
          const handle = openSync(file, "r+");
          writeSync(handle, new Uint8Array(BigInt64Array.of(BigInt(ms)).buffer));
          closeSync(handle);
        },
      };
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
