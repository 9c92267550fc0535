/**
 * Repair of JSON that is complete but badly written: wrong quotes, unquoted keys, missing commas,
 * Python's constants, raw line breaks, unescaped quotes. The repairing library explains nothing and
 * will invent brackets and nulls to please, so its work is compared with the text word by word.
 *
 * A change of quotes, commas, escapes and spaces is `syntactic`. A word, number or bracket that was
 * added, dropped or changed is `lossy`, and so is a text that does not stand in the source as it was
 * read, or that was left with an odd number of quotes: there the library guessed where it ends.
 */

import { visit } from "jsonc-parser";
import { jsonrepair } from "jsonrepair";
import { inspectValue } from "./inspect.ts";
import { excerpt, type Repair } from "./ledger.ts";
import { formatPath, type Path } from "./path.ts";

const ALWAYS_REPAIRED = 64 * 1024;
const MOST_LOOKING_BACK = 100_000_000;

/** The library looks back at every stray quote: a long text full of them could hold the process for seconds. */
export function isRepairable(source: string): boolean {
  if (source.length <= ALWAYS_REPAIRED) return true;
  return countStrayQuotes(source) * source.length <= MOST_LOOKING_BACK;
}

/** Quotes with content on both sides: neither after an opening or separator nor before a closing one. */
function countStrayQuotes(source: string): number {
  let count = 0;
  let before = "";
  for (let at = 0; at < source.length; at += 1) {
    const unit = source.charAt(at);
    if (unit === '"' && !"{[,:\\".includes(before)) {
      let next = at + 1;
      while (source.charCodeAt(next) <= 32) next += 1;
      if (!",:]}".includes(source.charAt(next))) count += 1;
      at = next - 1;
      before = '"';
    } else if (unit > " ") before = unit;
  }
  return count;
}

export interface RepairedJson {
  /** Valid JSON. */
  readonly json: string;
  readonly repairs: readonly Repair[];
}

/** `undefined` when the library can make nothing of it. `base` is where `source` stands in the reply. */
export function repairJson(source: string, base: number): RepairedJson | undefined {
  const json = attemptRepair(source);
  if (json === undefined) return undefined;
  const value: unknown = JSON.parse(json);
  if (inspectValue(value).tooDeep) return { json, repairs: [] };
  const changes = [
    ...placed(changesBetween(source, json), json),
    ...unfaithfulTexts(value, source),
  ];
  const repairs = changes.map(({ step, path, offset, before, after, sentence, loss }) => {
    return { step, path, offset: base + offset, before, after, sentence, loss };
  });
  return { json, repairs };
}

/** Tells each change where in the value it lies; both lists run in the order of the text. */
function placed(changes: readonly Change[], json: string): Change[] {
  const paths: string[] = [];
  const containers: Path[] = [];
  const settle = (end: number, path: () => Path) => {
    while (paths.length < changes.length && (changes[paths.length]?.landed ?? 0) <= end) {
      paths.push(formatPath(path()));
    }
  };
  const open = (
    _offset: number,
    _length: number,
    _line: number,
    _column: number,
    path: () => Path,
  ) => {
    containers.push(path());
  };
  const close = (offset: number) => settle(offset, () => containers.at(-1) ?? []);
  visit(json, {
    onObjectBegin: open,
    onArrayBegin: open,
    onObjectProperty: (key, offset, length, _line, _column, path) =>
      settle(offset + length, () => [...path(), key]),
    onLiteralValue: (_value, offset, length, _line, _column, path) => settle(offset + length, path),
    onObjectEnd: (offset) => {
      close(offset);
      containers.pop();
    },
    onArrayEnd: (offset) => {
      close(offset);
      containers.pop();
    },
  });
  return changes.map((change, index) => ({ ...change, path: paths[index] ?? "" }));
}

function attemptRepair(source: string): string | undefined {
  try {
    const repaired = jsonrepair(source);
    JSON.parse(repaired);
    return repaired;
  } catch {
    return undefined;
  }
}

/** `landed` is the offset in the repaired text. */
type Change = Repair & { readonly offset: number; readonly landed: number };

interface Word {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

const CONSTANTS = new Map([
  ["True", "true"],
  ["False", "false"],
  ["None", "null"],
]);

function changesBetween(before: string, after: string): Change[] {
  const changes: Change[] = [];
  let i = 0;
  let j = 0;
  for (;;) {
    const left = nextWord(before, i, true);
    const right = nextWord(after, j, false);
    const gap = { left: before.slice(i, left.start), right: after.slice(j, right.start) };
    if (gap.left !== gap.right) changes.push(punctuation(i, j, gap.left, gap.right));
    if (left.text !== right.text) {
      if (CONSTANTS.get(left.text) === right.text) changes.push(constant(left, right));
      else return [...changes, lostContent(left, right, before, after)];
    }
    if (left.text === "") return changes;
    i = left.end;
    j = right.end;
  }
}

/** The next word, number or bracket; quotes, separators, escapes and spaces are passed over. */
function nextWord(text: string, from: number, skipComments: boolean): Word {
  let at = from;
  while (at < text.length) {
    const skip = passedOver(text, at) || (skipComments ? commentLength(text, at) : 0);
    if (skip === 0) break;
    at += skip;
  }
  if (!isWordUnit(text.charCodeAt(at))) {
    return { text: text.charAt(at), start: at, end: Math.min(at + 1, text.length) };
  }
  let end = at + 1;
  while (isWordUnit(text.charCodeAt(end))) end += 1;
  return { text: text.slice(at, end), start: at, end };
}

const PASSED_OVER = new Set("\"'`´“”„‟‘’‚‛«»,:;+ \t\r\n\f\b\v\u00a0\u200b\u202f\u3000\ufeff");

function passedOver(text: string, at: number): number {
  const unit = text.charAt(at);
  if (PASSED_OVER.has(unit) || unit < " ") return 1;
  if (unit !== "\\") return text.startsWith("&quot;", at) ? "&quot;".length : 0;
  if (/^\\u00[01]/i.test(text.slice(at, at + 5))) return 6;
  return "nrtbf".includes(text.charAt(at + 1)) ? 2 : 1;
}

function commentLength(text: string, at: number): number {
  if (text.startsWith("//", at)) {
    const feed = text.indexOf("\n", at);
    return (feed === -1 ? text.length : feed) - at;
  }
  if (!text.startsWith("/*", at)) return 0;
  const close = text.indexOf("*/", at + 2);
  return close === -1 ? 0 : close + 2 - at;
}

function isWordUnit(code: number): boolean {
  return (
    (code >= 48 && code <= 57) ||
    (code >= 65 && code <= 90) ||
    (code >= 97 && code <= 122) ||
    code === 95 ||
    (code >= 128 && !PASSED_OVER.has(String.fromCharCode(code)))
  );
}

function punctuation(offset: number, landed: number, before: string, after: string): Change {
  const sentence = "Quotes, commas, escapes or comments were put right.";
  return change({ offset, landed, before, after, sentence, loss: "syntactic" });
}

function constant(left: Word, right: Word): Change {
  const sentence = `The constant ${left.text} was read as ${right.text}.`;
  const { text: before, start: offset } = left;
  const { text: after, start: landed } = right;
  return change({ offset, landed, before, after, sentence, loss: "syntactic" });
}

function lostContent(left: Word, right: Word, source: string, repaired: string): Change {
  const sentence = "A repair from here on would add, drop or change content.";
  const before = source.slice(left.start);
  const after = repaired.slice(right.start);
  return change({
    offset: left.start,
    landed: right.start,
    before,
    after,
    sentence,
    loss: "lossy",
  });
}

/** Keys and texts that the source does not hold as they were read, or that end in a guess. */
function unfaithfulTexts(value: unknown, source: string): Change[] {
  const decoded = decodeEscapes(source);
  const changes: Change[] = [];
  let rawFrom = 0;
  let decodedFrom = 0;
  for (const [text, path] of textsOf(value, [])) {
    const raw = source.indexOf(text, rawFrom);
    const found = raw === -1 ? decoded.indexOf(text, decodedFrom) : raw;
    const where = { offset: Math.max(raw, 0), landed: 0, path: formatPath(path), after: text };
    if (found === -1) {
      const sentence = "A text was read that the reply does not hold.";
      return [...changes, change({ ...where, before: "", sentence, loss: "lossy" })];
    }
    if (raw === -1) decodedFrom = found;
    else rawFrom = raw;
    if (text.split('"').length % 2 === 0) {
      const sentence = "An unescaped quote leaves open where this text ends.";
      changes.push(change({ ...where, before: text, sentence, loss: "lossy" }));
    }
  }
  return changes;
}

function* textsOf(value: unknown, path: Path): Generator<[string, Path]> {
  if (typeof value === "string") yield [value, path];
  else if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) yield* textsOf(item, [...path, index]);
  } else if (value !== null && typeof value === "object") {
    for (const [key, inner] of Object.entries(value)) {
      yield [key, [...path, key]];
      yield* textsOf(inner, [...path, key]);
    }
  }
}

function decodeEscapes(source: string): string {
  const plain: Record<string, string> = { n: "\n", r: "\r", t: "\t", b: "\b", f: "\f" };
  return source.replace(/\\(?:u([0-9a-fA-F]{4})|(["'\\/nrtbf]))/g, (_, hex?: string, unit = "") =>
    hex === undefined ? (plain[unit] ?? unit) : String.fromCharCode(Number.parseInt(hex, 16)),
  );
}

function change(made: Omit<Change, "step" | "path"> & { readonly path?: string }): Change {
  const { before, after } = made;
  return { path: "", ...made, step: "repair", before: excerpt(before), after: excerpt(after) };
}
