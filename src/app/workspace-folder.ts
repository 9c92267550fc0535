/** The folder a workspace lives in: made readable by its owner only, and ignored by version control. */

import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { ProductError } from "../kernel/base/errors.ts";
import { FOLDER_NAME, findFolder } from "./config.ts";

export function makeFolder(home: string): string {
  const folder = path.join(path.resolve(home), FOLDER_NAME);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  writeFileSync(path.join(folder, ".gitignore"), "*\n");
  return folder;
}

export function findWorkspace(from: string): string {
  const folder = findFolder(from, process.env);
  if (folder) return folder;
  throw new ProductError(
    "workspace_missing",
    `There is no workspace in ${path.resolve(from)} or above it.`,
    { kind: "not_found", hint: "Make one here: throughline init" },
  );
}
