/** Builds the counter of `fsync-count.c` and reads what it counted. */

import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";

export type FsyncCounter =
  | { readonly library: string; readonly missing?: undefined }
  | { readonly library?: undefined; readonly missing: string };

/** Without Linux or a C compiler the benchmark still runs, but says why nobody counts. */
export function buildFsyncCounter(directory: string): FsyncCounter {
  if (process.platform !== "linux") return { missing: `no LD_PRELOAD on ${process.platform}` };
  const library = path.join(directory, "fsync-count.so");
  const source = path.join(import.meta.dirname, "fsync-count.c");
  try {
    execFileSync("cc", ["-shared", "-fPIC", "-O2", "-Wall", "-o", library, source, "-ldl"], {
      stdio: ["ignore", "ignore", "pipe"],
    });
  } catch (error) {
    if (isMissingProgram(error)) return { missing: "no C compiler (cc) on the PATH" };
    throw error;
  }
  return { library };
}

/** The count so far of this very process, or undefined when it was started without the counter. */
export function readFsyncCount(file = process.env["FSYNC_COUNT_FILE"]): number | undefined {
  return file === undefined ? undefined : Number(new BigUint64Array(bytesOf(file))[0]);
}

function bytesOf(file: string): ArrayBuffer {
  return Uint8Array.from(readFileSync(file)).buffer;
}

function isMissingProgram(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ENOENT";
}
