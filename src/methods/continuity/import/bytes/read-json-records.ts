/**
 * Cuts a JSON file of any size into the elements of its list, one at a time, each with its place. One element is
 * in memory, never the list.
 *
 * An element that is no valid JSON is reported, and so is where reading goes on: at its end if it has one, or at
 * the next place that begins like an element and is one. How bytes arrive makes no difference.
 */

import { createRecordFinder, type RecordFinder } from "./find-record.ts";
import { type JsonCursor, openJsonCursor } from "./json-cursor.ts";
import {
  CLOSE_LIST,
  CLOSE_OBJECT,
  COMMA,
  type JsonValueScan,
  OPEN_LIST,
  OPEN_OBJECT,
  QUOTE,
} from "./json-value-scan.ts";
import { type Fault, faultAt, type Place, RECORD_LIMITS, type RecordLimits } from "./record.ts";

export interface JsonRecord extends Place {
  readonly kind: "record";
  readonly value: unknown;
  /** Valid until the next record is asked for. */
  readonly bytes: Buffer;
}

/** One that need not be read. */
interface KnownRecord extends Place {
  readonly kind: "known";
  readonly bytes: Buffer;
}

export type JsonPiece = JsonRecord | KnownRecord | Fault;

export interface JsonRecordOptions {
  /**
   * `list`: the file is a list. A name: it is an object, and the list is its member of that name.
   * `whole`: the file is one value.
   */
  readonly within: "list" | "whole" | { readonly member: string };
  /** Whether a value found in a damaged stretch is an element again. */
  readonly isRecord: (value: unknown) => boolean;
  /** Whether no element can stand inside another: one that seems to is the next after one without an end. */
  readonly standsAlone?: boolean;
  /** Says of bytes that were read before that they need not be read again. */
  readonly isKnown?: (bytes: Buffer) => boolean;
  readonly limits?: RecordLimits;
}

interface Cutting extends Required<Omit<JsonRecordOptions, "within">> {
  readonly cursor: JsonCursor;
  readonly finder: RecordFinder;
}

export async function* readJsonRecords(
  chunks: AsyncIterable<Uint8Array>,
  {
    within,
    isRecord,
    standsAlone = false,
    isKnown = () => false,
    limits = RECORD_LIMITS,
  }: JsonRecordOptions,
): AsyncGenerator<JsonPiece, void> {
  const cursor = openJsonCursor(chunks, limits);
  const finder = createRecordFinder(cursor, isRecord, limits);
  const cutting = { cursor, finder, isRecord, standsAlone, isKnown, limits };
  const start = await cursor.skipBlank(await skipMark(cursor));
  if (within === "whole") return yield* readWhole(cutting, start);
  if (within === "list") return yield* readList(cutting, start, "alone");
  const list = await findMember(cursor, start, within.member);
  if (list !== undefined) return yield* readList(cutting, list, "inside");
  const message = `There is no list "${within.member}" in this file.`;
  yield faultAt({ offset: start, line: 1 }, "list_missing", message);
}

async function* readWhole(cutting: Cutting, start: number): AsyncGenerator<JsonPiece, void> {
  const { cursor } = cutting;
  const { piece, next } = await cutElement(cutting, start);
  yield piece;
  if (next === undefined) return;
  const after = await cursor.skipBlank(next);
  if ((await cursor.byteAt(after)) !== undefined)
    yield faultAt(cursor.placeOf(after), "file_goes_on", GOES_ON);
}

/** `alone`: nothing may follow the list. `inside`: the rest of the object around it is not ours to judge. */
async function* readList(
  cutting: Cutting,
  start: number,
  standing: "alone" | "inside",
): AsyncGenerator<JsonPiece, void> {
  const { cursor, finder, limits } = cutting;
  if ((await cursor.byteAt(start)) !== OPEN_LIST)
    return yield faultAt(cursor.placeOf(start), "list_missing", "It is no list.");
  for (let at = start + 1; ; ) {
    cursor.release(at);
    at = await cursor.skipBlank(at);
    const byte = await cursor.byteAt(at);
    const place = cursor.placeOf(at);
    if (byte === undefined) return yield faultAt(place, "file_cut_off", ENDLESS);
    if (byte === COMMA) {
      at += 1;
      continue;
    }
    if (byte === CLOSE_LIST && (standing === "inside" || (await isEnd(cursor, at + 1)))) return;
    if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) {
      const next = await finder.find(at + 1, at + limits.maxBytes);
      if (next === undefined) return yield strayClose(place, byte);
      yield goingOn(
        faultAt(place, "record_broken", "A bracket closes what is not at its end."),
        next,
      );
      at = next;
      continue;
    }
    const { piece, next } = await cutElement(cutting, at);
    yield piece;
    if (next === undefined) return;
    at = next;
  }
}

async function isEnd(cursor: JsonCursor, offset: number): Promise<boolean> {
  return (await cursor.byteAt(await cursor.skipBlank(offset))) === undefined;
}

function strayClose(place: Place, byte: number): Fault {
  return byte === CLOSE_LIST
    ? faultAt({ ...place, offset: place.offset + 1 }, "file_goes_on", GOES_ON)
    : faultAt(place, "file_unreadable", LOST);
}

interface CutElement {
  readonly piece: JsonPiece;
  /** Where to go on; undefined when nothing more can be read. */
  readonly next: number | undefined;
}

/**
 * One without an end would be read to the limit before anybody looks whether others begin inside of it. What is longer
 * than this share of the limit, which few are, is looked at early, so that damage costs little memory.
 */
const EARLY_SHARE = 64;

async function cutElement(cutting: Cutting, offset: number): Promise<CutElement> {
  const { cursor, finder, limits, standsAlone, isKnown } = cutting;
  const place = cursor.placeOf(offset);
  const early = Math.ceil(limits.maxBytes / EARLY_SHARE);
  const first = await cursor.scan(offset, early);
  const isLong = first.kind === "too large";
  const next =
    isLong && standsAlone ? await finder.findEarly(offset + 1, offset + early) : undefined;
  if (next !== undefined)
    return { piece: goingOn(faultAt(place, "record_broken", UNCLOSED), next), next };
  const { scan, kind } = isLong ? await cursor.scan(offset) : first;
  if (kind !== "whole") return mendElement(cutting, place, scan, kind);
  const end = scan.position;
  if (scan.deepest > limits.maxDepth) return { piece: tooDeep(place, scan), next: end };
  const bytes = cursor.between(offset, end);
  if (isKnown(bytes)) {
    await finder.learn(offset);
    return { piece: { kind: "known", ...place, bytes: cursor.between(offset, end) }, next: end };
  }
  return readElement(cutting, place, end);
}

/** Reads what seems to be an element. What is none may have ended too early: its end is believed if one follows. */
async function readElement(
  { cursor, finder, isRecord, limits }: Cutting,
  place: Place,
  end: number,
): Promise<CutElement> {
  const piece = parseElement(cursor.between(place.offset, end), place);
  const isGood = piece.kind === "record" && isRecord(piece.value);
  if (isGood) await finder.learn(place.offset);
  if (isGood || (await finder.isFollowed(end)))
    return { piece: again(piece, cursor, end), next: end };
  const next = await finder.find(place.offset + 1, place.offset + limits.maxBytes);
  if (next === undefined) return { piece: again(piece, cursor, end), next: end };
  const fault =
    piece.kind === "fault" ? piece : faultAt(place, "record_broken", "It is out of place.");
  return { piece: goingOn(fault, next), next };
}

/** Looking further may have moved the bytes in memory. */
function again(piece: JsonRecord | Fault, cursor: JsonCursor, end: number): JsonPiece {
  return piece.kind === "fault" ? piece : { ...piece, bytes: cursor.between(piece.offset, end) };
}

function parseElement(bytes: Buffer, place: Place): JsonRecord | Fault {
  try {
    const value: unknown = JSON.parse(bytes.toString("utf8"));
    return { kind: "record", ...place, bytes, value };
  } catch (error) {
    return faultAt(place, "record_broken", `It is no valid JSON: ${reasonOf(error)}.`);
  }
}

/** An element without an end: damaged if another begins inside of it, else cut off or really that large. */
async function mendElement(
  { cursor, finder, limits }: Cutting,
  place: Place,
  scan: JsonValueScan,
  kind: "too large" | "cut off",
): Promise<CutElement> {
  const stop = kind === "too large" ? place.offset + limits.maxBytes : cursor.end();
  const next = await finder.find(place.offset + 1, stop);
  if (next !== undefined)
    return { piece: goingOn(faultAt(place, "record_broken", UNCLOSED), next), next };
  if (kind === "cut off") return { piece: faultAt(place, "file_cut_off", CUT_OFF), next };
  const isEnded = await cursor.skipRest(scan);
  const piece = tooLarge(place, scan.position - place.offset, limits);
  return { piece, next: isEnded ? scan.position : undefined };
}

/** The offset of a list that is a member of the object the file is. */
async function findMember(
  cursor: JsonCursor,
  start: number,
  name: string,
): Promise<number | undefined> {
  if ((await cursor.byteAt(start)) !== OPEN_OBJECT) return undefined;
  for (let at = start + 1; ; ) {
    at = await cursor.skipBlank(at);
    if ((await cursor.byteAt(at)) === COMMA) at = await cursor.skipBlank(at + 1);
    if ((await cursor.byteAt(at)) !== QUOTE) return undefined;
    const key = await cursor.scan(at);
    if (key.kind !== "whole") return undefined;
    const text = cursor.between(at, key.scan.position).toString("utf8");
    const colon = await cursor.skipBlank(key.scan.position);
    at = await cursor.skipBlank(colon + 1);
    if (text === JSON.stringify(name))
      return (await cursor.byteAt(at)) === OPEN_LIST ? at : undefined;
    cursor.release(at);
    const { scan, kind } = await cursor.scan(at);
    const isPassed = kind === "whole" || (kind === "too large" && (await cursor.skipRest(scan)));
    if (!isPassed) return undefined;
    at = scan.position;
  }
}

async function skipMark(cursor: JsonCursor): Promise<number> {
  await cursor.byteAt(2);
  return cursor.between(0, 3).equals(BYTE_ORDER_MARK) ? 3 : 0;
}

const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);
const UNCLOSED = "It does not end before the next one begins.";
const CUT_OFF = "The file ends in the middle of it.";
const LOST = "No element could be found after this place; the rest was not read.";
const GOES_ON = "Something follows after the end; it was not read.";
const ENDLESS = "The file ends before its list does; it was probably cut off.";

/** Whoever repairs the file wants to know how much is missing. */
function goingOn(fault: Fault, next: number): Fault {
  return { ...fault, message: `${fault.message} Reading went on at byte ${next}.` };
}

function tooDeep(place: Place, { deepest }: JsonValueScan): Fault {
  return faultAt(place, "record_too_deep", `It is nested ${deepest} levels deep.`);
}

function tooLarge(place: Place, bytes: number, { maxBytes }: RecordLimits): Fault {
  return faultAt(place, "record_too_large", `It has ${bytes} bytes; at most ${maxBytes} are read.`);
}

/** Engines quote the text in their message; only what went wrong is worth telling. */
function reasonOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  const [reason = ""] = message.split(/ in JSON at| in "|, \.\.\.|, "/);
  return reason.slice(0, 120).toWellFormed();
}
