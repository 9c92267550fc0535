/** What was typed as a file, ready to be sent: a file, a folder as one ZIP of what is looked for in it, or `-`. */

import { createReadStream, createWriteStream } from "node:fs";
import { mkdtemp, readdir, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { pipeline } from "node:stream/promises";
import { ProductError } from "../../kernel/base/errors.ts";
import { type FileToPack, packFiles } from "../../kernel/base/pack-files.ts";
import type { SentFile } from "./operation-client.ts";

export interface OpenSentFile extends SentFile {
  close(): Promise<void>;
}

export interface SentFileSource {
  /** What a relative path is relative to. */
  readonly directory: string;
  /** How names end of files that are looked for in folders. */
  readonly endings: readonly string[];
  readonly stdin: () => AsyncIterable<Uint8Array>;
}

export async function openSentFile(typed: string, source: SentFileSource): Promise<OpenSentFile> {
  if (typed === "-") return openStdin(source);
  const place = path.resolve(source.directory, typed);
  const found = await stat(place).catch((error: NodeJS.ErrnoException) => {
    throw error.code === "ENOENT" || error.code === "ENOTDIR" ? fileMissing(typed) : error;
  });
  if (found.isDirectory()) return openFolder(place, source.endings);
  if (!found.isFile()) throw notAFile(typed);
  return openPlainFile(place, path.basename(place), found.size);
}

const CHUNK = 1024 * 1024;

function openPlainFile(place: string, name: string, bytes: number): OpenSentFile {
  const open = (from: number) => createReadStream(place, { start: from, highWaterMark: CHUNK });
  return { name, bytes, open, close: async () => undefined };
}

/** Its length must be known before it is sent, so it goes to disk first. */
async function openStdin({ stdin }: SentFileSource): Promise<OpenSentFile> {
  const folder = await mkdtemp(path.join(tmpdir(), "throughline-stdin-"));
  const place = path.join(folder, "stdin");
  const close = () => rm(folder, { recursive: true, force: true });
  try {
    await pipeline(stdin(), createWriteStream(place, { mode: 0o600 }));
    const { size } = await stat(place);
    return { ...openPlainFile(place, "stdin", size), close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function openFolder(folder: string, endings: readonly string[]): Promise<OpenSentFile> {
  const files = await listFiles(folder, endings);
  if (files.length === 0) {
    throw new ProductError("folder_empty", `There is nothing to send in "${folder}".`, {
      kind: "not_found",
      hint: `Looked for: ${endings.join(", ")}. Name a file to send it whatever it is called.`,
    });
  }
  const packed = packFiles(files);
  return {
    name: `${path.basename(folder) || "folder"}.zip`,
    bytes: packed.bytes,
    open: (from) => skip(packed.stream(), from),
    close: async () => undefined,
  };
}

/** In the order of their names, so that packing them again gives the same bytes. Links are not followed. */
async function listFiles(folder: string, endings: readonly string[]): Promise<FileToPack[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const places = entries
    .filter((entry) => entry.isFile() && endings.includes(path.extname(entry.name).toLowerCase()))
    .map((entry) => path.join(entry.parentPath, entry.name))
    .toSorted();
  const files: FileToPack[] = [];
  for (const place of places) {
    const { size } = await stat(place);
    files.push({
      name: path.relative(folder, place).split(path.sep).join("/"),
      bytes: size,
      open: () => createReadStream(place, { highWaterMark: CHUNK }),
    });
  }
  return files;
}

async function* skip(
  chunks: AsyncIterable<Uint8Array>,
  count: number,
): AsyncGenerator<Uint8Array, void> {
  let left = count;
  for await (const chunk of chunks) {
    if (left < chunk.length) yield left === 0 ? chunk : chunk.subarray(left);
    left = Math.max(0, left - chunk.length);
  }
}

function fileMissing(typed: string): ProductError {
  return new ProductError("file_not_found", `There is no file "${typed}".`, { kind: "not_found" });
}

function notAFile(typed: string): ProductError {
  return new ProductError("file_special", `"${typed}" is neither a file nor a folder.`, {
    hint: "To send what a program prints, pipe it in and write `-`.",
  });
}
