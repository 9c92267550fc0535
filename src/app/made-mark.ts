/** Remembers beside a workspace's file that it was made: one that is gone is missed, and not silently made anew. */

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { systemClock } from "../kernel/base/clock.ts";
import { ProductError } from "../kernel/base/errors.ts";

const MARK = "made";

export function markMade(file: string): void {
  const mark = markBeside(file);
  if (existsSync(mark)) return;
  const when = new Date(systemClock.now()).toISOString();
  writeFileSync(mark, `${path.basename(file)} was made here on ${when}.\n`, { mode: 0o600 });
}

/** Called where there is no file and one is about to be made. */
export function refuseWhereOneWas(file: string): void {
  const mark = markBeside(file);
  if (!existsSync(mark)) return;
  throw new ProductError(
    "workspace_gone",
    `${file} is missing, and it was there: ${readFileSync(mark, "utf8").trim()}`,
    {
      kind: "unavailable",
      hint: `Put the file back, or a backup in its place: throughline restore. To begin anew without what it held, remove ${mark}.`,
    },
  );
}

function markBeside(file: string): string {
  return path.join(path.dirname(file), MARK);
}
