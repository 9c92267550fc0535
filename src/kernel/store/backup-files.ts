/** The files of backups: written durably, read in any size. */

import { createHash } from "node:crypto";
import { createReadStream, createWriteStream } from "node:fs";
import {
  copyFile as copy,
  link,
  open,
  readdir,
  readFile,
  rename,
  rm,
  stat,
} from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";

export async function fileExists(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined)) !== undefined;
}

export async function describeFile(path: string): Promise<{ bytes: number; sha256: string }> {
  const hash = createHash("sha256");
  for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer);
  const { size } = await stat(path);
  return { bytes: size, sha256: hash.digest("hex") };
}

export function readText(path: string): Promise<string> {
  return readFile(path, "utf8");
}

/** Whole or not at all, and on the disk when it resolves. */
export async function writeDurably(path: string, text: string): Promise<void> {
  const partial = `${path}.partial`;
  const file = await open(partial, "w", 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
  await moveDurably(partial, path);
}

/** Readable by its owner alone. */
export async function writeLines(path: string, lines: AsyncIterable<string>): Promise<void> {
  await pipeline(
    Readable.from(lines, { objectMode: false }),
    createWriteStream(path, { mode: 0o600 }),
  );
}

/** Only `\n` ends a line: JSON may hold the other line ends of Unicode as they are. */
export async function* readLines(path: string): AsyncGenerator<string> {
  const pieces: string[] = [];
  for await (const chunk of createReadStream(path, { encoding: "utf8", highWaterMark: 1 << 18 })) {
    const lines = (chunk as string).split("\n");
    pieces.push(lines[0] ?? "");
    for (const line of lines.slice(1)) {
      yield pieces.join("");
      pieces.length = 0;
      pieces.push(line);
    }
  }
  if (pieces.some((piece) => piece !== "")) yield pieces.join("");
}

/** A rename is on the disk only when the file and its folder are. */
export async function moveDurably(from: string, to: string): Promise<void> {
  await sync(from, "r+");
  await rename(from, to);
  await sync(dirname(to), "r");
}

/**
 * Gives a file a second name that stays when the first one gets another file. Nothing is read, so that it also
 * works for a file that cannot be read any more; only where there are no links it is copied.
 */
export async function keepUnder(from: string, second: string): Promise<void> {
  try {
    await link(from, second);
    await sync(dirname(second), "r");
  } catch (error) {
    if (!WITHOUT_LINKS.has((error as NodeJS.ErrnoException).code ?? "")) throw error;
    await copy(from, `${second}.partial`);
    await moveDurably(`${second}.partial`, second);
  }
}

const WITHOUT_LINKS = new Set(["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK", "EINVAL"]);

/** Other names, with this beginning, of the very same file. */
export async function listSecondNames(path: string, beginning: string): Promise<readonly string[]> {
  const file = await stat(path).catch(() => undefined);
  const names = (await readdir(dirname(path))).filter((name) =>
    name.startsWith(basename(beginning)),
  );
  const found: string[] = [];
  for (const name of names) {
    const other = join(dirname(path), name);
    const { ino, dev } = await stat(other);
    if (ino === file?.ino && dev === file.dev) found.push(other);
  }
  return found;
}

export async function removeFile(path: string): Promise<void> {
  await rm(path, { force: true });
}

export async function copyFile(from: string, to: string): Promise<void> {
  await copy(from, to);
}

/** A SQLite file with what SQLite keeps beside it. */
export const BESIDE = ["-wal", "-shm", "-journal"] as const;

export async function removeDatabase(path: string): Promise<void> {
  for (const suffix of ["", ...BESIDE]) await rm(path + suffix, { force: true });
}

async function sync(path: string, flags: "r" | "r+"): Promise<void> {
  const file = await open(path, flags);
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}
