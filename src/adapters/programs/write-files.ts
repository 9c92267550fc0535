/** Writes files below a folder. A link on the way is refused: it could lead anywhere. */

import { constants } from "node:fs";
import { lstat, mkdir, open } from "node:fs/promises";
import path from "node:path";
import { ProductError } from "../../kernel/base/errors.ts";
import type { NewFile } from "../../kernel/vcs/vcs.ts";

export async function writeFiles(root: string, files: readonly NewFile[]): Promise<void> {
  for (const { path: file, text } of files) {
    const parts = file.split("/");
    for (let i = 1; i < parts.length; i++) await makeFolder(path.join(root, ...parts.slice(0, i)));
    const place = path.join(root, ...parts);
    const flags =
      constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | (constants.O_NOFOLLOW ?? 0);
    const handle = await open(place, flags, 0o644).catch((error: NodeJS.ErrnoException) => {
      throw error.code === "ELOOP" ? isLink(place) : error;
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
    throw error;
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
