/** What a disk says when it refuses a file, in our words. What a database says of its own files: `store/store-errors.ts`. */

import { ProductError } from "../base/errors.ts";

const FULL: ReadonlySet<unknown> = new Set(["ENOSPC", "EDQUOT", "EFBIG"]);
const REFUSING: ReadonlySet<unknown> = new Set(["EIO", "EROFS", "EMFILE", "ENFILE"]);

/** Anything else is returned as it is. */
export function toFileError(error: unknown): unknown {
  if (!(error instanceof Error && "code" in error && "syscall" in error)) return error;
  if (FULL.has(error.code)) {
    return new ProductError("file_disk_full", "There is no room left on the disk for this file.", {
      kind: "unavailable",
      hint: "Free some space and ask again; nothing half-written was kept.",
      cause: error,
    });
  }
  if (!REFUSING.has(error.code)) return error;
  return new ProductError("file_disk_error", "The disk refused to read or write this file.", {
    kind: "unavailable",
    hint: "Check the disk and ask again; nothing half-written was kept.",
    details: { code: error.code },
    cause: error,
  });
}
