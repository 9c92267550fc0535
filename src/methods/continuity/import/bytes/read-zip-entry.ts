/** The bytes of one ZIP entry as they come, checked against what was announced. */

import { createReadStream } from "node:fs";
import type { FileHandle } from "node:fs/promises";
import { pipeline, type Readable } from "node:stream";
import { crc32, createInflateRaw } from "node:zlib";
import { damaged, LOCAL, LOCAL_BYTES, readAt, type ZipEntry } from "./zip-directory.ts";

const CHUNK = 256 * 1024;

/** Throws `zip_damaged` when the bytes are not those that were packed; what came before is good as it stands. */
export async function* readZipEntry(
  file: FileHandle,
  path: string,
  entry: ZipEntry,
): AsyncGenerator<Uint8Array, void> {
  let checksum = 0;
  let bytes = 0;
  try {
    for await (const chunk of await openEntry(file, path, entry)) {
      const piece = chunk as Uint8Array;
      bytes += piece.length;
      if (bytes > entry.bytes) throw damaged(`"${entry.name}" unpacks to more than it announced`);
      checksum = crc32(piece, checksum);
      yield piece;
    }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code?.startsWith("Z_") !== true) throw error;
    throw damaged(`"${entry.name}" is damaged after byte ${bytes}`);
  }
  if (bytes < entry.bytes) throw damaged(`"${entry.name}" ends at byte ${bytes} of ${entry.bytes}`);
  if (checksum !== entry.checksum) throw damaged(`the checksum of "${entry.name}" is wrong`);
}

async function openEntry(
  file: FileHandle,
  path: string,
  { offset, packedBytes, isPacked }: ZipEntry,
): Promise<AsyncIterable<unknown>> {
  const header = await readAt(file, offset, LOCAL_BYTES);
  if (header.readUInt32LE(0) !== LOCAL) throw damaged("an entry is not where it should be");
  const start = offset + LOCAL_BYTES + header.readUInt16LE(26) + header.readUInt16LE(28);
  if (packedBytes === 0) return nothing();
  const packed: Readable = createReadStream(path, {
    start,
    end: start + packedBytes - 1,
    highWaterMark: CHUNK,
  });
  if (!isPacked) return packed;
  // Whoever stops reading early destroys one end; the pipeline takes the other along.
  return pipeline(packed, createInflateRaw({ chunkSize: CHUNK }), () => undefined);
}

async function* nothing(): AsyncGenerator<Uint8Array, void> {}
