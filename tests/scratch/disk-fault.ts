/** Builds the disk that refuses of `disk-fault.c`, and sets when it does. */

import { execFileSync } from "node:child_process";
import {
  closeSync,
  mkdtempSync,
  openSync,
  readSync,
  rmSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { constants, tmpdir } from "node:os";
import path from "node:path";

const COMPILER = process.env["CC"] ?? "cc";

export const DISK_ERRORS = {
  ENOSPC: constants.errno.ENOSPC,
  EIO: constants.errno.EIO,
} as const;
export type DiskError = keyof typeof DISK_ERRORS;

export interface DiskFault {
  /** For a process whose files are to be refused: those whose path holds `place`. */
  environment(place: string): Readonly<Record<string, string>>;
  readonly control: DiskControl;
  remove(): void;
}

export interface DiskControl {
  calls(): number;
  failed(): number;
  /** From the n-th call from now on so many fail. */
  refuse(nth: number, error: DiskError, most?: number): void;
  heal(): void;
}

/** Undefined, said loudly, where there is no Linux or no C compiler. */
export function missingDiskFault(): string | undefined {
  if (process.platform !== "linux") return `SKIPPED LOUDLY: no LD_PRELOAD on ${process.platform}`;
  try {
    execFileSync(COMPILER, ["--version"], { stdio: "ignore" });
    return undefined;
  } catch {
    return "SKIPPED LOUDLY: no C compiler (cc), so no disk could be made to refuse";
  }
}

export function buildDiskFault(): DiskFault {
  const folder = mkdtempSync(path.join(tmpdir(), "disk-fault-"));
  const library = path.join(folder, "disk-fault.so");
  const source = path.join(import.meta.dirname, "disk-fault.c");
  execFileSync(COMPILER, ["-shared", "-fPIC", "-O2", "-Wall", "-o", library, source, "-ldl"]);
  const file = path.join(folder, "control");
  writeFileSync(file, new Uint8Array(FIELDS * 8));
  return {
    environment: (place) => ({
      DISK_FAULT_FILE: file,
      DISK_FAULT_PATH: place,
      LD_PRELOAD: library,
    }),
    control: openDiskControl(file),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

const FIELDS = 5;
const NEVER = Number.MAX_SAFE_INTEGER;

export function openDiskControl(file = process.env["DISK_FAULT_FILE"] ?? ""): DiskControl {
  const read = (field: number): number => {
    const bytes = new BigUint64Array(1);
    const handle = openSync(file, "r");
    readSync(handle, new Uint8Array(bytes.buffer), 0, 8, field * 8);
    closeSync(handle);
    return Number(bytes[0]);
  };
  const write = (first: number, values: readonly number[]) => {
    const handle = openSync(file, "r+");
    writeSync(
      handle,
      new Uint8Array(BigUint64Array.from(values, BigInt).buffer),
      0,
      undefined,
      first * 8,
    );
    closeSync(handle);
  };
  return {
    calls: () => read(0),
    failed: () => read(4),
    refuse: (nth, error, most = NEVER) => write(1, [read(0) + nth, most, DISK_ERRORS[error], 0]),
    heal: () => write(1, [0]),
  };
}
