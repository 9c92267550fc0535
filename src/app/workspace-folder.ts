/** The folder a workspace lives in: made readable by its owner only, and ignored by version control. */

import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { ProductError } from "../kernel/base/errors.ts";

export const FOLDER_NAME = ".throughline";

export function makeFolder(home: string): string {
  const folder = path.join(path.resolve(home), FOLDER_NAME);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  writeFileSync(path.join(folder, ".gitignore"), "*\n");
  return folder;
}

/** The workspace's folder at or above `from`; undefined when there is none. */
export function findFolder(
  from: string,
  environment: Readonly<Record<string, string | undefined>>,
): string | undefined {
  const given = environment["THROUGHLINE_DIR"];
  if (given)
    return path.basename(given) === FOLDER_NAME
      ? path.resolve(given)
      : path.resolve(given, FOLDER_NAME);
  for (let place = path.resolve(from); ; place = path.dirname(place)) {
    const folder = path.join(place, FOLDER_NAME);
    if (existsSync(folder)) return folder;
    if (path.dirname(place) === place) return undefined;
  }
}

export function findWorkspace(from: string): string {
  // A folder that was spelt wrongly must not lead to the workspace above it.
  if (!existsSync(from)) {
    throw new ProductError("folder_missing", `There is no folder ${path.resolve(from)}.`, {
      kind: "not_found",
      hint: "Check how it is spelt.",
    });
  }
  const folder = findFolder(from, process.env);
  if (folder) return folder;
  throw new ProductError(
    "workspace_missing",
    `There is no workspace in ${path.resolve(from)} or above it.`,
    { kind: "not_found", hint: "Make one here: throughline init" },
  );
}
