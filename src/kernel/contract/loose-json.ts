/**
 * The careful JSON reader: slower than JSON.parse, but it knows where everything stands. It takes
 * comments, trailing commas and raw control characters, noting each; it notes keys written twice,
 * reserved keys and whole numbers that cannot be kept exactly; and at a cut it says exactly what
 * was complete and what was still open. A fault it does not understand ends the reading as
 * `broken`: it never guesses.
 *
 * Prefix promise: for every prefix of a valid document the state is `cut` (or `whole` at the end),
 * and the value holds only leaves that were complete in the text.
 */

import { createScanner } from "jsonc-parser";
import { isReservedKey, MOST_DEPTH, noteReservedKey } from "./inspect.ts";
import { excerpt, excerptOf, type Ledger } from "./ledger.ts";
import { formatPath, type Path } from "./path.ts";
import type { OpenLeaf } from "./reading.ts";

export interface LooseReading {
  readonly state: "whole" | "cut" | "broken";
  /** `undefined` when not even the first leaf was complete. */
  readonly value: unknown;
  /** Offset in the reply just after the value, or of the fault. */
  readonly end: number;
  readonly path: Path;
  readonly open?: OpenLeaf;
  /** Why the reading ended as `broken`, as a clause. */
  readonly fault?: string;
  readonly tooDeep?: boolean;
}

/** The scanner's token numbers; its own names are const enums, which type stripping cannot read. */
const TOKEN = {
  openBrace: 1,
  closeBrace: 2,
  openBracket: 3,
  closeBracket: 4,
  comma: 5,
  colon: 6,
  null: 7,
  true: 8,
  false: 9,
  string: 10,
  number: 11,
  lineComment: 12,
  blockComment: 13,
  lineBreak: 14,
  space: 15,
  end: 17,
} as const;
const SCAN_ERROR = { none: 0, openComment: 1, openString: 2, openNumber: 3, control: 6 } as const;

type Attach = (value: unknown) => void;

/** Told of every whole value: what path it has, and where in the reply it stands. */
export type PlaceFound = (path: Path, start: number, end: number) => void;

/** Reads the one value that `source` begins with; `base` is where `source` stands in the reply. */
export function readLooseJson(
  source: string,
  ledger: Ledger,
  base: number = 0,
  onPlace?: PlaceFound,
): LooseReading {
  const scanner = createScanner(source);
  const path: (string | number)[] = [];
  let token = 0;
  let result: unknown;
  let stopped: Omit<LooseReading, "value"> | undefined;

  advance();
  readValue(0, (value) => {
    result = value;
  });
  if (stopped !== undefined) return { value: result, ...stopped };
  return { state: "whole", value: result, end: base + end(), path: [] };

  function advance(): void {
    token = scanner.scan();
    while (token >= TOKEN.lineComment && token <= TOKEN.space) {
      if (token < TOKEN.lineBreak && scanError() === SCAN_ERROR.none) noteComment();
      else if (token < TOKEN.lineBreak) {
        token = TOKEN.end;
        return;
      }
      token = scanner.scan();
    }
  }

  function is(kind: number): boolean {
    return token === kind;
  }

  /** False once the reading has stopped; every caller then unwinds without touching the value. */
  function readValue(depth: number, attach: Attach): boolean {
    const start = offset();
    const isWhole = readToken(depth, attach);
    if (isWhole) onPlace?.([...path], base + start, base + end());
    return isWhole;
  }

  function readToken(depth: number, attach: Attach): boolean {
    switch (token) {
      case TOKEN.openBrace:
        return readObject(depth, attach);
      case TOKEN.openBracket:
        return readArray(depth, attach);
      case TOKEN.string:
        return readString((text) => attach(text), "value");
      case TOKEN.number:
        return readNumber(attach);
      case TOKEN.null:
        attach(null);
        return true;
      case TOKEN.true:
      case TOKEN.false:
        attach(is(TOKEN.true));
        return true;
      default:
        return cutOrBroken("a value was expected");
    }
  }

  function readObject(depth: number, attach: Attach): boolean {
    if (depth >= MOST_DEPTH) return tooDeep();
    const object: Record<string, unknown> = {};
    attach(object);
    advance();
    while (!is(TOKEN.closeBrace)) {
      let key = "";
      if (!is(TOKEN.string)) return cutOrBroken("a quoted key was expected");
      if (!readString((text) => (key = text), "key")) return false;
      const keyOffset = offset();
      advance();
      path.push(key);
      if (!is(TOKEN.colon)) return cutOrBroken("a colon was expected after the key");
      advance();
      if (Object.hasOwn(object, key)) noteRepeatedKey(key, object[key], keyOffset);
      let reserved: unknown;
      const set: Attach = isReservedKey(key)
        ? (value) => (reserved = value)
        : (value) => (object[key] = value);
      if (!readValue(depth + 1, set)) return false;
      if (isReservedKey(key)) noteReservedKey(ledger, path, reserved, base + keyOffset);
      path.pop();
      if (!readSeparator(TOKEN.closeBrace)) return false;
    }
    return true;
  }

  function readArray(depth: number, attach: Attach): boolean {
    if (depth >= MOST_DEPTH) return tooDeep();
    const array: unknown[] = [];
    attach(array);
    advance();
    while (!is(TOKEN.closeBracket)) {
      path.push(array.length);
      if (!readValue(depth + 1, (value) => array.push(value))) return false;
      path.pop();
      if (!readSeparator(TOKEN.closeBracket)) return false;
    }
    return true;
  }

  function readSeparator(close: number): boolean {
    advance();
    if (is(close)) return true;
    if (!is(TOKEN.comma)) return cutOrBroken("a comma or a closing bracket was expected");
    const at = offset();
    advance();
    if (is(close)) noteTrailingComma(at);
    return true;
  }

  function readString(take: (text: string) => void, role: "key" | "value"): boolean {
    const error = scanError();
    if (error === SCAN_ERROR.openString) {
      if (end() < source.length) return broken("a text runs over a line break");
      return cut(role === "value" ? scanner.getTokenValue() : undefined);
    }
    if (error === SCAN_ERROR.none) {
      take(scanner.getTokenValue());
      return true;
    }
    const text = error === SCAN_ERROR.control ? readWithControls() : undefined;
    if (text === undefined) return broken("a text holds an escape that JSON does not know");
    take(text);
    return true;
  }

  /** The scanner keeps one error a token: a bad escape may hide behind a raw tab, so read it again. */
  function readWithControls(): string | undefined {
    const raw = source.slice(offset(), end());
    const escaped = raw.replace(/\p{Cc}/gu, escapeControl);
    const text = parseString(escaped);
    if (text !== undefined) {
      note(
        "syntactic",
        offset(),
        excerpt(raw),
        excerpt(escaped),
        "A raw control character was escaped.",
      );
    }
    return text;
  }

  function readNumber(attach: Attach): boolean {
    if (end() === source.length && path.length > 0) return cut();
    const written = source.slice(offset(), end());
    const value = Number(written);
    if (scanError() !== SCAN_ERROR.none || !/^-?(0|[1-9])/.test(written)) {
      return broken("a number is not written as JSON writes numbers");
    }
    if (/^-?\d{16,}$/.test(written) && BigInt(written) !== BigInt(value)) {
      const sentence = `The whole number ${written} is too large to be kept exactly.`;
      note("lossy", offset(), written, String(value), sentence);
    }
    attach(value);
    return true;
  }

  function cutOrBroken(expectation: string): boolean {
    if (is(TOKEN.end)) return cut();
    const rest = source.slice(offset());
    const isOpenWord = rest.length < 5 && ["null", "true", "false"].some((w) => w.startsWith(rest));
    if (isOpenWord || rest === "-" || rest === "/") return cut();
    return broken(expectation);
  }

  function cut(text?: string): boolean {
    const open = { path: [...path], ...(text === undefined ? {} : { text }) };
    stopped = { state: "cut", end: base + source.length, path: open.path, open };
    return false;
  }

  function broken(fault: string): boolean {
    stopped = { state: "broken", end: base + offset(), path: [...path], fault };
    return false;
  }

  function tooDeep(): boolean {
    const fault = `it is nested deeper than ${MOST_DEPTH} levels`;
    stopped = { state: "broken", end: base + offset(), path: [...path], fault, tooDeep: true };
    return false;
  }

  /** As a plain number: the library's own names cannot be imported. */
  function scanError(): number {
    return scanner.getTokenError();
  }

  function offset(): number {
    return scanner.getTokenOffset();
  }

  function end(): number {
    return scanner.getTokenOffset() + scanner.getTokenLength();
  }

  function note(
    loss: "syntactic" | "coerced" | "lossy",
    at: number,
    before: string,
    after: string,
    sentence: string,
  ): void {
    const where = formatPath(path);
    ledger.add({ step: "jsonc", path: where, offset: base + at, before, after, sentence, loss });
  }

  function noteComment(): void {
    const comment = source.slice(offset(), end());
    note("syntactic", offset(), excerpt(comment), "", "A comment was left out.");
  }

  function noteTrailingComma(at: number): void {
    note("syntactic", at, ",", "", "A comma before a closing bracket was left out.");
  }

  function noteRepeatedKey(key: string, earlier: unknown, at: number): void {
    const sentence = `The key "${key}" is written more than once; the last one counts.`;
    note("coerced", at, excerptOf(earlier), "", sentence);
  }
}

function escapeControl(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

function parseString(json: string): string | undefined {
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === "string" ? value : undefined;
  } catch {
    return undefined;
  }
}
