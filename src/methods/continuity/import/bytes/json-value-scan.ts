/**
 * Finds where a JSON value ends without reading it: quotes and brackets are enough. It looks at each byte once,
 * in as many steps as bytes come in. Whether the value is valid is for `JSON.parse` to say.
 */

export interface JsonValueScan {
  /** The next byte to look at. */
  position: number;
  depth: number;
  deepest: number;
  isInString: boolean;
  readonly shape: "bracketed" | "string" | "bare";
}

export const QUOTE = 0x22;
const BACKSLASH = 0x5c;
export const COMMA = 0x2c;
export const OPEN_LIST = 0x5b;
export const CLOSE_LIST = 0x5d;
export const OPEN_OBJECT = 0x7b;
export const CLOSE_OBJECT = 0x7d;

export function isBlank(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

export function beginScan(first: number | undefined, offset: number): JsonValueScan {
  const scan = { position: offset, depth: 0, deepest: 0, isInString: false };
  if (first === OPEN_LIST || first === OPEN_OBJECT) return { ...scan, shape: "bracketed" };
  if (first === QUOTE) return { ...scan, position: offset + 1, isInString: true, shape: "string" };
  return { ...scan, shape: "bare" };
}

/** True when the end was found: `position` is then the offset after it. Looks at bytes before `stop` only. */
export function scanOn(
  scan: JsonValueScan,
  bytes: Uint8Array,
  { start, stop }: { readonly start: number; readonly stop: number },
): boolean {
  const from = scan.position - start;
  const end = Math.min(bytes.length, stop - start);
  const isWhole =
    scan.shape === "bare"
      ? scanBare(scan, bytes, from, end)
      : scanBracketed(scan, bytes, from, end);
  scan.position += start;
  return isWhole;
}

/** The loop every byte goes through: it never looks past the end, which would make each look slow. */
function scanBracketed(scan: JsonValueScan, bytes: Uint8Array, from: number, end: number): boolean {
  const isText = scan.shape === "string";
  let { depth, deepest, isInString } = scan;
  let at = from;
  let isWhole = false;
  while (at < end) {
    if (isInString) {
      at = endOfString(bytes, at, end);
      // Past the end by one when the last byte there is escapes the next.
      if (at >= end) break;
      at += 1;
      isInString = false;
      isWhole = isText;
      if (isWhole) break;
      continue;
    }
    const byte = bytes[at];
    at += 1;
    if (byte === QUOTE) isInString = true;
    else if (byte === OPEN_OBJECT || byte === OPEN_LIST) {
      depth += 1;
      if (depth > deepest) deepest = depth;
    } else if (byte === CLOSE_OBJECT || byte === CLOSE_LIST) {
      depth -= 1;
      if (depth === 0) {
        isWhole = true;
        break;
      }
    }
  }
  scan.position = at;
  scan.depth = depth;
  scan.deepest = deepest;
  scan.isInString = isInString;
  return isWhole;
}

/** Most strings are short and some are very long: a few bytes are looked at here, the rest by the machine. */
const NEAR = 24;

/** Where the closing quote is; the end or past it when it is not there. `from` is not escaped. */
function endOfString(bytes: Uint8Array, from: number, end: number): number {
  let at = from;
  for (;;) {
    const near = Math.min(end, at + NEAR);
    while (at < near) {
      const byte = bytes[at];
      if (byte === QUOTE) return at;
      at += byte === BACKSLASH ? 2 : 1;
    }
    if (at >= end) return at;
    const found = bytes.indexOf(QUOTE, at);
    const quote = found === -1 || found > end ? end : found;
    let before = quote - 1;
    while (before >= at && bytes[before] === BACKSLASH) before -= 1;
    const isEscaped = (quote - before) % 2 === 0;
    if (!isEscaped) return quote;
    at = quote + 1;
    if (at >= end) return at;
  }
}

function scanBare(scan: JsonValueScan, bytes: Uint8Array, from: number, end: number): boolean {
  let at = from;
  while (at < end && !isBareEnd(bytes[at])) at += 1;
  scan.position = at;
  return at < end;
}

function isBareEnd(byte: number | undefined): boolean {
  return byte === COMMA || byte === CLOSE_LIST || byte === CLOSE_OBJECT || isBlank(byte);
}
