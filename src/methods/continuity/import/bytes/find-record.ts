/**
 * Finds the next element of a list after damage: a place that begins as the elements of this file do, that is whole,
 * and that is an element. Text inside strings cannot look so, since its quotes are escaped.
 */

import type { JsonCursor } from "./json-cursor.ts";
import {
  CLOSE_LIST,
  CLOSE_OBJECT,
  COMMA,
  isBlank,
  OPEN_LIST,
  OPEN_OBJECT,
  QUOTE,
} from "./json-value-scan.ts";
import type { RecordLimits } from "./record.ts";

export interface RecordFinder {
  /** How this element begins is how others do. */
  learn(offset: number): Promise<void>;
  /** Undefined when there is none that begins before `stop`. */
  find(from: number, stop: number): Promise<number | undefined>;
  /** The same, but holding no more than what lies before `stop` and as much again: for a look before all is read. */
  findEarly(from: number, stop: number): Promise<number | undefined>;
  /** Whether the list goes on here as lists do: with the next element, or with its end and that of the file. */
  isFollowed(offset: number): Promise<boolean>;
}

/** Looking for elements looks at bytes again; a hostile file must not make that endless. */
const SEARCHES = 4;
const LONGEST_KEY = 100;

export function createRecordFinder(
  cursor: JsonCursor,
  isRecord: (value: unknown) => boolean,
  limits: RecordLimits,
): RecordFinder {
  const whole: Purse = { bytes: limits.maxBytes * SEARCHES };
  /** The bracket of an element, or its first key once that is known. */
  let mark = Buffer.from("{");

  const isMarkKey = () => mark[0] === QUOTE;

  /** Where the mark is found next. The purse pays for what lies between, however the bytes come. */
  const findMark = async (
    from: number,
    stop: number,
    purse: Purse,
  ): Promise<number | undefined> => {
    for (let at = from; ; ) {
      const part = cursor.between(at, Math.min(cursor.end(), stop + mark.length - 1));
      const found = part.indexOf(mark);
      if (found !== -1) {
        purse.bytes -= at + found - from;
        return at + found;
      }
      at = Math.max(at, cursor.end() - mark.length + 1);
      if (at < stop && (await cursor.fill())) continue;
      purse.bytes -= Math.max(0, Math.min(stop, cursor.end()) - from);
      return undefined;
    }
  };

  /** The last byte at or before an offset that is not blank, not going before `from`. */
  const backTo = (offset: number, from: number): number => {
    let at = offset;
    while (at > from && isBlank(cursor.between(at, at + 1)[0])) at -= 1;
    return at;
  };

  /** The bracket that a mark stands for, if what stands before it can stand before an element. */
  const openingOf = (found: number, from: number): number | undefined => {
    const open = isMarkKey() ? backTo(found - 1, from) : found;
    if (open < from || cursor.between(open, open + 1)[0] !== OPEN_OBJECT) return undefined;
    if (open === from) return open;
    const before = backTo(open - 1, from);
    const byte = cursor.between(before, before + 1)[0];
    return byte === COMMA || byte === OPEN_LIST || byte === CLOSE_OBJECT ? open : undefined;
  };

  const isElement = async (open: number, most: number, purse: Purse): Promise<boolean> => {
    const { scan, kind } = await cursor.scan(open, most);
    purse.bytes -= scan.position - open;
    if (kind !== "whole" || scan.deepest > limits.maxDepth) return false;
    return isRecord(tryParse(cursor.between(open, scan.position)));
  };

  const search = async (
    { from, stop, most }: { from: number; stop: number; most: number },
    purse: Purse,
  ): Promise<number | undefined> => {
    for (let at = from; purse.bytes > 0; ) {
      const found = await findMark(at, stop, purse);
      if (found === undefined) return undefined;
      at = found + 1;
      const open = openingOf(found, from);
      if (open !== undefined && (await isElement(open, most, purse))) return open;
    }
    return undefined;
  };

  return {
    async learn(offset) {
      if (isMarkKey() || (await cursor.byteAt(offset)) !== OPEN_OBJECT) return;
      const key = await cursor.skipBlank(offset + 1);
      if ((await cursor.byteAt(key)) !== QUOTE) return;
      const { scan, kind } = await cursor.scan(key);
      if (kind !== "whole" || scan.position - key > LONGEST_KEY) return;
      mark = Buffer.from(cursor.between(key, scan.position));
    },
    find: (from, stop) => search({ from, stop, most: limits.maxBytes }, whole),
    async findEarly(from, stop) {
      const most = stop - from;
      return isMarkKey() ? search({ from, stop, most }, { bytes: most * SEARCHES }) : undefined;
    },
    async isFollowed(offset) {
      const next = await cursor.skipBlank(offset);
      const byte = await cursor.byteAt(next);
      if (byte === CLOSE_LIST)
        return (await cursor.byteAt(await cursor.skipBlank(next + 1))) === undefined;
      if (byte !== COMMA) return false;
      const open = await cursor.skipBlank(next + 1);
      if ((await cursor.byteAt(open)) !== OPEN_OBJECT) return false;
      if (!isMarkKey()) return true;
      const key = await cursor.skipBlank(open + 1);
      await cursor.byteAt(key + mark.length - 1);
      return cursor.between(key, key + mark.length).equals(mark);
    },
  };
}

/** What searching may still look at. */
interface Purse {
  bytes: number;
}

function tryParse(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString("utf8")) as unknown;
  } catch {
    return undefined;
  }
}
