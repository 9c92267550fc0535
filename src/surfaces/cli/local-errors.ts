/** What this machine says when it refuses a folder or a file, in our words: whoever types a command may read its path. */

import { ProductError } from "../../kernel/base/errors.ts";
import { toFileError } from "../../kernel/operation/file-errors.ts";

const DENIED: ReadonlySet<unknown> = new Set(["EACCES", "EPERM", "EROFS"]);

/** Anything else is returned as it is. */
export function toLocalError(error: unknown): unknown {
  if (!(error instanceof Error && "code" in error && "path" in error)) return toFileError(error);
  if (!DENIED.has(error.code)) return toFileError(error);
  const why =
    error.code === "EROFS" ? "its disk is read-only" : "the system lets this account in no further";
  return new ProductError("path_denied", `${String(error.path)} cannot be used: ${why}.`, {
    kind: "not_allowed",
    hint: "Work in a folder of your own (-C DIR), or have its owner let you in.",
    details: { path: String(error.path), code: String(error.code) },
    cause: error,
  });
}
