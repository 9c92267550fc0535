/** Whether the file that was opened is still the one that is found under its name. */

import { statSync } from "node:fs";
import { ProductError } from "../base/errors.ts";

/** Gives a check that throws once the file was removed or replaced. A database in memory is always in place. */
export function checkInPlace(path: string): () => void {
  const opened = fileNumber(path);
  return () => {
    if (fileNumber(path) !== opened) throw fileGone(path);
  };
}

function fileNumber(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.ino;
}

function fileGone(path: string): ProductError {
  return new ProductError(
    "store_gone",
    `The file ${path} was removed or replaced while it was open. Nothing more is written.`,
    {
      kind: "unavailable",
      hint: "Put it back and work goes on. If that cannot be, copy what you need while this runs, for it can still be read; then stop it and bring back a backup: throughline restore",
    },
  );
}
