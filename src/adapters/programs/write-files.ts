/** Writes files below a folder. What leads out of it is refused, and a link on the way: it could lead anywhere. */

import { constants } from "node:fs";
import { lstat, mkdir, open } from "node:fs/promises";
import path from "node:path";
import { ProductError } from "../../kernel/base/errors.ts";
import { requireRepositoryPath } from "../../kernel/vcs/repository-path.ts";
import type { NewFile } from "../../kernel/vcs/vcs.ts";

export async function writeFiles(root: string, files: readonly NewFile[]): Promise<void> {
  const checked = files.map(({ path: file, text }) => ({
    file: requireRepositoryPath(file),
    text,
  }));
  for (const { file, text } of checked) {
    const parts = file.split("/");
    for (let i = 1; i < parts.length; i++) await makeFolder(path.join(root, ...parts.slice(0, i)));
    const place = path.join(root, ...parts);
    const flags =
      constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | (constants.O_NOFOLLOW ?? 0);
    const handle = await open(place, flags, 0o644).catch((error: NodeJS.ErrnoException) => {
      throw error.code === "ELOOP" ? isLink(place) : unfit(error, place);
    });
    try {
      await handle.writeFile(text);
      await handle.sync();
    } finally {
      await handle.close();
    }
  }
}

async function makeFolder(folder: string): Promise<void> {
  const stats = await lstat(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined;
    throw unfit(error, folder);
  });
  if (stats === undefined) await mkdir(folder);
  else if (!stats.isDirectory()) throw isLink(folder);
}

function isLink(place: string): ProductError {
  return new ProductError(
    "path_not_own",
    `${place} is a link or a file where a folder should be.`,
    {
      kind: "not_allowed",
      hint: "Remove it; nothing is written through links.",
    },
  );
}

/** What the file system has against a name. */
const UNFIT: ReadonlySet<string> = new Set([
  "ENAMETOOLONG",
  "EILSEQ",
  "EINVAL",
  "EISDIR",
  "ENOTDIR",
]);

function unfit(error: NodeJS.ErrnoException, place: string): Error {
  if (!UNFIT.has(error.code ?? "")) return error;
  return new ProductError("path_unfit", `${place} cannot be a file here: ${error.code}.`, {
    hint: "Choose another name.",
  });
}
