/** ZIP files made by hand, so that each of their lies can be told on purpose. */

import { crc32, deflateRawSync } from "node:zlib";

export interface ZipSample {
  readonly name: string;
  readonly content: string | Buffer;
  readonly isStored?: boolean;
  readonly flags?: number;
  readonly method?: number;
  /** What the table of contents claims instead of the truth. */
  readonly claims?: {
    readonly bytes?: number;
    readonly packedBytes?: number;
    readonly offset?: number;
    readonly checksum?: number;
  };
}

export function zipOf(
  entries: readonly ZipSample[],
  { is64 = false, comment = "" }: { readonly is64?: boolean; readonly comment?: string } = {},
): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const entry of entries) {
    const content = Buffer.from(entry.content);
    const packed = entry.isStored ? content : deflateRawSync(content);
    const name = Buffer.from(entry.name);
    const facts = {
      name,
      flags: entry.flags ?? 0x800,
      method: entry.method ?? (entry.isStored ? 0 : 8),
      checksum: crc32(content),
      bytes: content.length,
      packedBytes: packed.length,
      offset,
      ...entry.claims,
    };
    const local = Buffer.concat([localHeader(facts), name, packed]);
    parts.push(local);
    directory.push(entryHeader(facts, is64));
    offset += local.length;
  }
  const listing = Buffer.concat(directory);
  return Buffer.concat([
    ...parts,
    listing,
    endOf(entries.length, listing.length, offset, is64, comment),
  ]);
}

interface Facts {
  readonly name: Buffer;
  readonly flags: number;
  readonly method: number;
  readonly checksum: number;
  readonly bytes: number;
  readonly packedBytes: number;
  readonly offset: number;
}

function localHeader({ name, flags, method, checksum, bytes, packedBytes }: Facts): Buffer {
  const header = Buffer.alloc(30);
  header.writeUInt32LE(0x04034b50, 0);
  header.writeUInt16LE(20, 4);
  header.writeUInt16LE(flags, 6);
  header.writeUInt16LE(method, 8);
  header.writeUInt32LE(checksum, 14);
  header.writeUInt32LE(Math.min(packedBytes, 0xffffffff), 18);
  header.writeUInt32LE(Math.min(bytes, 0xffffffff), 22);
  header.writeUInt16LE(name.length, 26);
  return header;
}

function entryHeader(facts: Facts, is64: boolean): Buffer {
  const { name, flags, method, checksum, bytes, packedBytes, offset } = facts;
  const header = Buffer.alloc(46);
  const extra = is64 ? Buffer.alloc(28) : Buffer.alloc(0);
  header.writeUInt32LE(0x02014b50, 0);
  header.writeUInt16LE(45, 6);
  header.writeUInt16LE(flags, 8);
  header.writeUInt16LE(method, 10);
  header.writeUInt32LE(checksum, 16);
  header.writeUInt32LE(is64 ? 0xffffffff : packedBytes, 20);
  header.writeUInt32LE(is64 ? 0xffffffff : bytes, 24);
  header.writeUInt16LE(name.length, 28);
  header.writeUInt16LE(extra.length, 30);
  header.writeUInt32LE(is64 ? 0xffffffff : offset, 42);
  if (is64) {
    extra.writeUInt16LE(1, 0);
    extra.writeUInt16LE(24, 2);
    for (const [i, value] of [bytes, packedBytes, offset].entries()) {
      extra.writeBigUInt64LE(BigInt(value), 4 + 8 * i);
    }
  }
  return Buffer.concat([header, name, extra]);
}

function endOf(
  count: number,
  bytes: number,
  offset: number,
  is64: boolean,
  comment: string,
): Buffer {
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(is64 ? 0xffff : count, 8);
  end.writeUInt16LE(is64 ? 0xffff : count, 10);
  end.writeUInt32LE(is64 ? 0xffffffff : bytes, 12);
  end.writeUInt32LE(is64 ? 0xffffffff : offset, 16);
  end.writeUInt16LE(Buffer.byteLength(comment), 20);
  if (!is64) return Buffer.concat([end, Buffer.from(comment)]);
  const wide = Buffer.alloc(56);
  wide.writeUInt32LE(0x06064b50, 0);
  wide.writeBigUInt64LE(44n, 4);
  wide.writeBigUInt64LE(BigInt(count), 24);
  wide.writeBigUInt64LE(BigInt(count), 32);
  wide.writeBigUInt64LE(BigInt(bytes), 40);
  wide.writeBigUInt64LE(BigInt(offset), 48);
  const locator = Buffer.alloc(20);
  locator.writeUInt32LE(0x07064b50, 0);
  locator.writeBigUInt64LE(BigInt(offset + bytes), 8);
  locator.writeUInt32LE(1, 16);
  return Buffer.concat([wide, locator, end, Buffer.from(comment)]);
}
