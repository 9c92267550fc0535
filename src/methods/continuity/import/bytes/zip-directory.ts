/**
 * What a ZIP file says it holds, ZIP64 included. Nothing is unpacked to disk and names are only ever shown, so a
 * name that climbs out of its folder climbs nowhere. What cannot or should not be read carries the reason.
 */

import type { FileHandle } from "node:fs/promises";
import { ProductError } from "../../../../kernel/base/errors.ts";

export interface ZipEntry {
  readonly name: string;
  /** Uncompressed, as announced. */
  readonly bytes: number;
  readonly packedBytes: number;
  /** Of its local header. */
  readonly offset: number;
  readonly isPacked: boolean;
  readonly checksum: number;
  /** Why it is not to be read. */
  readonly refusal: { readonly code: string; readonly message: string } | undefined;
}

/** Text of conversations shrinks to a tenth; what shrinks to a hundredth of this is made to hurt. */
const MAX_RATIO = 250;
const RATIO_MATTERS_BYTES = 64 * 1024 * 1024;
const MAX_ENTRY_BYTES = 64 * 1024 ** 3;
const MAX_DIRECTORY_BYTES = 64 * 1024 * 1024;

const END = 0x06054b50;
const END_BYTES = 22;
const MAX_COMMENT = 0xffff;
const LOCATOR_64 = 0x07064b50;
const LOCATOR_64_BYTES = 20;
const END_64 = 0x06064b50;
const END_64_BYTES = 56;
const ENTRY = 0x02014b50;
const ENTRY_BYTES = 46;
export const LOCAL = 0x04034b50;
export const LOCAL_BYTES = 30;
const IN_EXTRA = 0xffffffff;

export async function readZipDirectory(file: FileHandle): Promise<readonly ZipEntry[]> {
  const { size } = await file.stat();
  const { offset, bytes } = await findDirectory(file, size);
  if (offset + bytes > size) throw damaged("Its table of contents lies outside of it");
  if (bytes > MAX_DIRECTORY_BYTES) throw damaged("Its table of contents is too large");
  return withoutOverlaps(parseEntries(await readAt(file, offset, bytes)), offset);
}

async function findDirectory(
  file: FileHandle,
  size: number,
): Promise<{ readonly offset: number; readonly bytes: number }> {
  const length = Math.min(size, END_BYTES + MAX_COMMENT);
  const tail = await readAt(file, size - length, length);
  const at = findEnd(tail);
  if (at === undefined) throw damaged("It has no table of contents; it was probably cut off");
  const bytes = tail.readUInt32LE(at + 12);
  const offset = tail.readUInt32LE(at + 16);
  if (tail.readUInt16LE(at + 4) !== 0 && tail.readUInt16LE(at + 4) !== 0xffff)
    throw damaged("It is one part of several");
  const is64 = offset === IN_EXTRA || bytes === IN_EXTRA || tail.readUInt16LE(at + 10) === 0xffff;
  return (is64 ? await findDirectory64(file, size - length + at) : undefined) ?? { offset, bytes };
}

/** The last place that looks like the end and whose comment reaches exactly to the end of the file. */
function findEnd(tail: Buffer): number | undefined {
  for (let at = tail.length - END_BYTES; at >= 0; at -= 1) {
    if (tail.readUInt32LE(at) !== END) continue;
    if (at + END_BYTES + tail.readUInt16LE(at + 20) === tail.length) return at;
  }
  return undefined;
}

async function findDirectory64(file: FileHandle, end: number) {
  if (end < LOCATOR_64_BYTES) return undefined;
  const locator = await readAt(file, end - LOCATOR_64_BYTES, LOCATOR_64_BYTES);
  if (locator.readUInt32LE(0) !== LOCATOR_64) return undefined;
  const record = await readAt(file, wholeNumber(locator, 8), END_64_BYTES);
  if (record.readUInt32LE(0) !== END_64)
    throw damaged("Its table of contents is not where it says");
  return { bytes: wholeNumber(record, 40), offset: wholeNumber(record, 48) };
}

function parseEntries(directory: Buffer): ZipEntry[] {
  const entries: ZipEntry[] = [];
  for (let at = 0; at + ENTRY_BYTES <= directory.length; ) {
    if (directory.readUInt32LE(at) !== ENTRY) throw damaged("Its table of contents is damaged");
    const nameBytes = directory.readUInt16LE(at + 28);
    const extraBytes = directory.readUInt16LE(at + 30);
    const next = at + ENTRY_BYTES + nameBytes + extraBytes + directory.readUInt16LE(at + 32);
    if (next > directory.length) throw damaged("Its table of contents is damaged");
    const name = directory.subarray(at + ENTRY_BYTES, at + ENTRY_BYTES + nameBytes);
    const extra = directory.subarray(at + ENTRY_BYTES + nameBytes, next);
    entries.push(toEntry(directory.subarray(at, at + ENTRY_BYTES), name, extra));
    at = next;
  }
  return entries;
}

function toEntry(header: Buffer, name: Buffer, extra: Buffer): ZipEntry {
  const method = header.readUInt16LE(10);
  const sizes = sizesOf(header, extra);
  return {
    name: nameOf(name),
    ...sizes,
    isPacked: method === 8,
    checksum: header.readUInt32LE(16),
    refusal: refusalOf(header.readUInt16LE(8), method, sizes),
  };
}

/** What does not fit into 32 bits stands in an extra field, in this order. */
function sizesOf(header: Buffer, extra: Buffer) {
  const wide = findExtra(extra, 1);
  let at = 0;
  const take = (narrow: number): number => {
    if (narrow !== IN_EXTRA || wide === undefined || at + 8 > wide.length) return narrow;
    at += 8;
    return wholeNumber(wide, at - 8);
  };
  const bytes = take(header.readUInt32LE(24));
  const packedBytes = take(header.readUInt32LE(20));
  return { bytes, packedBytes, offset: take(header.readUInt32LE(42)) };
}

function findExtra(extra: Buffer, id: number): Buffer | undefined {
  for (let at = 0; at + 4 <= extra.length; ) {
    const length = extra.readUInt16LE(at + 2);
    if (extra.readUInt16LE(at) === id) return extra.subarray(at + 4, at + 4 + length);
    at += 4 + length;
  }
  return undefined;
}

function refusalOf(
  flags: number,
  method: number,
  { bytes, packedBytes }: { readonly bytes: number; readonly packedBytes: number },
): ZipEntry["refusal"] {
  const isEncrypted = (flags & 0b0100_0001) !== 0 || method === 99;
  if (isEncrypted) return { code: "zip_encrypted", message: "It is encrypted; unpack it first." };
  if (method !== 0 && method !== 8) {
    return {
      code: "zip_method_unknown",
      message: `It is packed by method ${method}; unpack it first.`,
    };
  }
  const isBomb =
    bytes > MAX_ENTRY_BYTES ||
    (bytes > RATIO_MATTERS_BYTES && bytes > Math.max(1, packedBytes) * MAX_RATIO);
  if (!isBomb) return undefined;
  return {
    code: "zip_bomb",
    message: `${packedBytes} bytes would unpack to ${bytes}; no conversations do that.`,
  };
}

/** Entries that share bytes unpack to far more than the file could hold. */
function withoutOverlaps(entries: readonly ZipEntry[], directory: number): readonly ZipEntry[] {
  const ordered = entries.toSorted((a, b) => a.offset - b.offset);
  const overlapping = new Set<ZipEntry>();
  let end = 0;
  for (const entry of ordered) {
    if (entry.offset < end) overlapping.add(entry);
    end = Math.max(end, entry.offset + LOCAL_BYTES + entry.packedBytes);
    if (end > directory) overlapping.add(entry);
  }
  const message = "It shares bytes with another entry, as only hostile files do.";
  return entries.map((entry) =>
    overlapping.has(entry) ? { ...entry, refusal: { code: "zip_overlap", message } } : entry,
  );
}

function nameOf(bytes: Buffer): string {
  const text = bytes.toString("utf8");
  // Names in older code pages are rare and only shown.
  return text.includes("\ufffd") ? bytes.toString("latin1") : text;
}

function wholeNumber(bytes: Buffer, at: number): number {
  const value = bytes.readBigUInt64LE(at);
  if (value > BigInt(Number.MAX_SAFE_INTEGER)) throw damaged("It gives impossible sizes");
  return Number(value);
}

export async function readAt(file: FileHandle, offset: number, length: number): Promise<Buffer> {
  const buffer = Buffer.alloc(length);
  const { bytesRead } = await file.read(buffer, 0, length, offset);
  if (bytesRead < length) throw damaged("It ends too early");
  return buffer;
}

export function damaged(reason: string): ProductError {
  return new ProductError("zip_damaged", `The ZIP file cannot be read: ${reason}.`, {
    hint: "Download it again, or unpack it and import what is in it.",
  });
}
