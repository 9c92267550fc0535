/**
 * Many files as one: a ZIP without compression, written in one go. Its length is known before the first byte is
 * read, so it can be announced and sent like any other file.
 */

import { crc32 } from "node:zlib";
import { ProductError } from "./errors.ts";

export interface FileToPack {
  /** With `/` between folders. */
  readonly name: string;
  readonly bytes: number;
  open(): AsyncIterable<Uint8Array>;
}

export interface PackedFiles {
  readonly bytes: number;
  stream(): AsyncGenerator<Uint8Array, void>;
}

export function packFiles(files: readonly FileToPack[]): PackedFiles {
  const places = placesOf(files);
  const directoryBytes = files.reduce((sum, { name }) => sum + ENTRY_BYTES + nameBytes(name), 0);
  const directory = places.end;
  return {
    bytes: directory + directoryBytes + END_BYTES,
    async *stream() {
      const checksums: number[] = [];
      for (const file of files) {
        yield localHeader(file);
        const checksum = yield* contentOf(file);
        checksums.push(checksum);
        yield descriptor(file, checksum);
      }
      for (const [i, file] of files.entries()) {
        yield entryHeader(file, { checksum: checksums[i] ?? 0, offset: places.offsets[i] ?? 0 });
      }
      yield ending(files.length, directory, directoryBytes);
    },
  };
}

/** A file that grows meanwhile is packed as long as it was; one that shrinks cannot be packed at all. */
async function* contentOf(file: FileToPack): AsyncGenerator<Uint8Array, number> {
  let left = file.bytes;
  let checksum = 0;
  if (left > 0) {
    for await (const chunk of file.open()) {
      const part = chunk.subarray(0, left);
      left -= part.length;
      checksum = crc32(part, checksum);
      yield part;
      if (left === 0) break;
    }
  }
  if (left > 0) {
    throw new ProductError(
      "file_changed",
      `The file "${file.name}" became shorter while it was read.`,
      {
        kind: "conflict",
        hint: "Try again when nothing writes to it.",
      },
    );
  }
  return checksum;
}

/** Always in the form for large files: one form is enough, and every reader of today knows it. */
const LOCAL_BYTES = 30 + 20;
const DESCRIPTOR_BYTES = 24;
const ENTRY_BYTES = 46 + 28;
const END_BYTES = 56 + 20 + 22;
const FLAGS = 0x0808;
const NEEDED = 45;
const ELSEWHERE = 0xffffffff;

function placesOf(files: readonly FileToPack[]) {
  const offsets: number[] = [];
  let end = 0;
  for (const { name, bytes } of files) {
    offsets.push(end);
    end += LOCAL_BYTES + nameBytes(name) + bytes + DESCRIPTOR_BYTES;
  }
  return { offsets, end };
}

function nameBytes(name: string): number {
  return Buffer.byteLength(name);
}

function localHeader({ name }: FileToPack): Buffer {
  const header = Buffer.alloc(30);
  header.writeUInt32LE(0x04034b50, 0);
  header.writeUInt16LE(NEEDED, 4);
  header.writeUInt16LE(FLAGS, 6);
  header.writeUInt32LE(ELSEWHERE, 18);
  header.writeUInt32LE(ELSEWHERE, 22);
  header.writeUInt16LE(nameBytes(name), 26);
  header.writeUInt16LE(20, 28);
  // The sizes come after the content, where they are known for certain.
  return Buffer.concat([header, Buffer.from(name), wideField([0, 0])]);
}

function descriptor({ bytes }: FileToPack, checksum: number): Buffer {
  const record = Buffer.alloc(DESCRIPTOR_BYTES);
  record.writeUInt32LE(0x08074b50, 0);
  record.writeUInt32LE(checksum, 4);
  record.writeBigUInt64LE(BigInt(bytes), 8);
  record.writeBigUInt64LE(BigInt(bytes), 16);
  return record;
}

function entryHeader(
  { name, bytes }: FileToPack,
  { checksum, offset }: { readonly checksum: number; readonly offset: number },
): Buffer {
  const header = Buffer.alloc(46);
  header.writeUInt32LE(0x02014b50, 0);
  header.writeUInt16LE(NEEDED, 4);
  header.writeUInt16LE(NEEDED, 6);
  header.writeUInt16LE(FLAGS, 8);
  header.writeUInt32LE(checksum, 16);
  header.writeUInt32LE(ELSEWHERE, 20);
  header.writeUInt32LE(ELSEWHERE, 24);
  header.writeUInt16LE(nameBytes(name), 28);
  header.writeUInt16LE(28, 30);
  header.writeUInt32LE(ELSEWHERE, 42);
  return Buffer.concat([header, Buffer.from(name), wideField([bytes, bytes, offset])]);
}

function wideField(values: readonly number[]): Buffer {
  const field = Buffer.alloc(4 + 8 * values.length);
  field.writeUInt16LE(1, 0);
  field.writeUInt16LE(8 * values.length, 2);
  for (const [i, value] of values.entries()) field.writeBigUInt64LE(BigInt(value), 4 + 8 * i);
  return field;
}

function ending(count: number, offset: number, bytes: number): Buffer {
  const wide = Buffer.alloc(56);
  wide.writeUInt32LE(0x06064b50, 0);
  wide.writeBigUInt64LE(44n, 4);
  wide.writeUInt16LE(NEEDED, 12);
  wide.writeUInt16LE(NEEDED, 14);
  wide.writeBigUInt64LE(BigInt(count), 24);
  wide.writeBigUInt64LE(BigInt(count), 32);
  wide.writeBigUInt64LE(BigInt(bytes), 40);
  wide.writeBigUInt64LE(BigInt(offset), 48);
  const locator = Buffer.alloc(20);
  locator.writeUInt32LE(0x07064b50, 0);
  locator.writeBigUInt64LE(BigInt(offset + bytes), 8);
  locator.writeUInt32LE(1, 16);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(0xffff, 8);
  end.writeUInt16LE(0xffff, 10);
  end.writeUInt32LE(ELSEWHERE, 12);
  end.writeUInt32LE(ELSEWHERE, 16);
  return Buffer.concat([wide, locator, end]);
}
