/** The files in what was sent: the file itself, or what is in it if it is a ZIP. Nothing is unpacked to disk. */

import { type FileHandle, open } from "node:fs/promises";
import path from "node:path";
import { asUtf8 } from "./bytes/as-utf8.ts";
import { readZipEntry } from "./bytes/read-zip-entry.ts";
import { readZipDirectory, type ZipEntry } from "./bytes/zip-directory.ts";
import type { SourceFile } from "./source-file.ts";

export type FoundFile =
  | { readonly kind: "file"; readonly file: SourceFile }
  /** Not looked into, and why. */
  | { readonly kind: "skipped"; readonly name: string; readonly reason: string }
  /** One that should be looked into and cannot be. */
  | {
      readonly kind: "refused";
      readonly name: string;
      readonly code: string;
      readonly message: string;
    };

export interface SourceFiles {
  readonly files: readonly FoundFile[];
  /** Of the bytes that were sent, how many have been read. */
  readonly bytesRead: () => number;
  close(): Promise<void>;
}

const CHUNK = 512 * 1024;

export async function openSourceFiles(place: string, name: string): Promise<SourceFiles> {
  const handle = await open(place);
  try {
    return (await isZip(handle)) ? await openZip(handle, place) : await openFile(handle, name);
  } catch (error) {
    await handle.close();
    throw error;
  }
}

async function isZip(handle: FileHandle): Promise<boolean> {
  const head = Buffer.alloc(4);
  await handle.read(head, 0, 4, 0);
  return [0x04034b50, 0x06054b50, 0x08074b50].includes(head.readUInt32LE(0));
}

async function openFile(handle: FileHandle, name: string): Promise<SourceFiles> {
  const { size } = await handle.stat();
  const count = createCounter();
  const file: SourceFile = {
    name,
    bytes: size,
    open: (purpose) => asUtf8(count(chunksOf(handle), size, size, purpose)),
  };
  return {
    files: [{ kind: "file", file }],
    bytesRead: () => count.total(),
    close: () => handle.close(),
  };
}

/** Each chunk is valid until the next: a gigabyte goes through the same few bytes instead of leaving a trail of them. */
async function* chunksOf(handle: FileHandle): AsyncGenerator<Uint8Array, void> {
  const buffer = Buffer.allocUnsafe(CHUNK);
  for (let position = 0; ; ) {
    const { bytesRead } = await handle.read(buffer, 0, CHUNK, position);
    if (bytesRead === 0) return;
    position += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}

async function openZip(handle: FileHandle, place: string): Promise<SourceFiles> {
  const count = createCounter();
  const entries = (await readZipDirectory(handle)).filter(({ name }) => !isNoise(name));
  const files = entries.map((entry): FoundFile => {
    const { name, bytes, packedBytes } = entry;
    const reason = reasonToSkip(entry);
    if (reason !== undefined) return { kind: "skipped", name, reason };
    if (entry.refusal !== undefined) return { kind: "refused", name, ...entry.refusal };
    const read = () => readZipEntry(handle, place, entry);
    const file: SourceFile = {
      name,
      bytes,
      open: (purpose) => asUtf8(count(read(), bytes, packedBytes, purpose)),
    };
    return { kind: "file", file };
  });
  return { files, bytesRead: () => count.total(), close: () => handle.close() };
}

/** Folders, and what operating systems leave beside files. */
function isNoise(name: string): boolean {
  return (
    name.endsWith("/") || /(?:^|\/)(?:__MACOSX\/|\.DS_Store$|Thumbs\.db$|desktop\.ini$)/.test(name)
  );
}

/** Whatever else a name ends in, it holds no conversations. */
export const TEXT_ENDINGS = [".json", ".jsonl", ".ndjson", ".md", ".markdown", ".txt", ".log"];

function reasonToSkip({ name }: ZipEntry): string | undefined {
  const ending = path.posix.extname(name).toLowerCase();
  if (ending === ".zip") return "it is an archive in an archive; unpack it first";
  return ending === "" || TEXT_ENDINGS.includes(ending)
    ? undefined
    : "its kind of file holds no conversations";
}

interface Counter {
  /** Passes chunks on and counts them as their share of `sent` bytes, unless it is only a look. */
  (
    chunks: AsyncIterable<Uint8Array>,
    bytes: number,
    sent: number,
    purpose: "look" | undefined,
  ): AsyncIterable<Uint8Array>;
  total(): number;
}

function createCounter(): Counter {
  let total = 0;
  async function* count(
    chunks: AsyncIterable<Uint8Array>,
    bytes: number,
    sent: number,
    purpose: "look" | undefined,
  ): AsyncGenerator<Uint8Array, void> {
    const share = purpose === "look" || bytes === 0 ? 0 : sent / bytes;
    for await (const chunk of chunks) {
      yield chunk;
      total += chunk.length * share;
    }
  }
  return Object.assign(count, { total: () => Math.round(total) });
}
