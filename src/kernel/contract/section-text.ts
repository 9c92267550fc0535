/** The small syntaxes inside a section: a word, a list of bullets, `key: value` lines. */

import { plainKey } from "./coerce.ts";
import { isReservedKey, noteReservedKey } from "./inspect.ts";
import { excerpt, type Ledger, type Repair } from "./ledger.ts";
import { resolveShape, type Shape, typesOf } from "./shape.ts";

/** The field that a section fills, and where its text begins in the reply. */
export interface Place {
  readonly path: string;
  readonly offset: number;
}

/** `[SUCCESS]`, `**SUCCESS**`, `` `SUCCESS` `` and `SUCCESS.` are all SUCCESS; the rest follows it. */
export function readWord(text: string): { word: string; rest: string } {
  const feed = text.indexOf("\n");
  const line = (feed === -1 ? text : text.slice(0, feed)).trim();
  const rest = feed === -1 ? "" : text.slice(feed + 1).trim();
  const split = /^[[(*_`"'> -]{0,6}([A-Z][A-Z0-9_]+)[\])*`]{0,4}\s*[:.–—-]\s+(\S.*)$/.exec(line);
  if (split === null) return { word: withoutMarks(line), rest };
  return { word: split[1] ?? "", rest: [split[2] ?? "", rest].filter(Boolean).join("\n") };
}

function withoutMarks(line: string): string {
  let start = 0;
  let end = line.length;
  while (start < end && "[(*_`\"'>- ".includes(line.charAt(start))) start += 1;
  while (end > start && "])*_`\"'. ".includes(line.charAt(end - 1))) end -= 1;
  return line.slice(start, end);
}

const BULLET = /^([ \t]*)(?:[-*+•]|\d{1,3}[.)])[ \t]+/;
const NOTHING = /^(?:none|n\/a|nothing)?$/i;

/** One entry a bullet; lines under a bullet belong to it. An explicit "none" is the empty list. */
export function readBullets(text: string, place: Place, ledger: Ledger): unknown {
  const written = text.startsWith("[") ? parseValue(text) : undefined;
  if (Array.isArray(written)) return written;
  const { items, lead } = collectBullets(text);
  if (items.length === 0) return readLines(text, place, ledger);
  if (lead !== "") {
    const loss = lead.endsWith(":") ? "syntactic" : "coerced";
    note(ledger, place, lead, "", "Text before the first item of a list was left aside.", loss);
  }
  const [only, second] = items;
  const isNone = only !== undefined && second === undefined && NOTHING.test(withoutMarks(only));
  return isNone ? noItems(only, place, ledger) : items;
}

function collectBullets(text: string): { items: string[]; lead: string } {
  const items: string[][] = [];
  const lead: string[] = [];
  let indent = 0;
  for (const line of text.split(/\r?\n/)) {
    const bullet = BULLET.exec(line);
    const depth = bullet?.[1]?.length ?? 0;
    const current = items.at(-1);
    if (bullet !== null && (current === undefined || depth <= indent)) {
      indent = depth;
      items.push([line.slice(bullet[0].length)]);
    } else if (current === undefined) lead.push(line);
    else current.push(line.trim());
  }
  return { items: items.map((lines) => lines.join("\n").trim()), lead: lead.join("\n").trim() };
}

function readLines(text: string, place: Place, ledger: Ledger): unknown {
  const lines = nonBlankLines(text);
  if (lines.length === 1 && NOTHING.test(withoutMarks(text))) return noItems(text, place, ledger);
  const sentence = "Lines without bullets were read as the items of a list.";
  note(ledger, place, text, `${lines.length} items`, sentence, "coerced");
  return lines;
}

function noItems(written: string, place: Place, ledger: Ledger): unknown[] {
  note(ledger, place, written, "[]", `"${written}" was read as the empty list.`, "coerced");
  return [];
}

const PAIR =
  /^[ \t]*(?:[-*+•][ \t]+)?[*_`"']{0,3}([\p{L}_][\p{L}\p{N}_ -]{0,60})[*_`"']{0,3}[ \t]*[:=][*_`]{0,3}[ \t]*(.*)$/u;

/** `key: value` lines. A value is JSON where it reads as JSON and the field is not text. */
export function readPairs(
  text: string,
  shape: { readonly field: Shape; readonly root: Shape },
  place: Place,
  ledger: Ledger,
): unknown {
  const { pairs, lead } = collectPairs(text);
  if (pairs.length === 0) return text;
  if (lead !== "") {
    const sentence = "Text before the first `key: value` line was left aside.";
    note(ledger, place, lead, "", sentence, "syntactic");
  }
  const value: Record<string, unknown> = {};
  for (const [key, written] of pairs) {
    const name = nameFor(key, shape.field);
    const at = { ...place, path: `${place.path}.${name}` };
    if (written === "") continue;
    if (isReservedKey(name)) noteReservedKey(ledger, [place.path, name], written, place.offset);
    else
      value[name] = readPairValue(
        written,
        resolveShape(shape.field.properties?.[name] ?? {}, shape.root),
        at,
        ledger,
      );
  }
  return value;
}

function collectPairs(text: string): { pairs: (readonly [string, string])[]; lead: string } {
  const pairs: { key: string; lines: string[] }[] = [];
  const lead: string[] = [];
  for (const line of nonBlankLines(text)) {
    const pair = PAIR.exec(line);
    if (pair !== null) pairs.push({ key: (pair[1] ?? "").trim(), lines: [pair[2] ?? ""] });
    else (pairs.at(-1)?.lines ?? lead).push(line);
  }
  return {
    pairs: pairs.map(({ key, lines }) => [key, lines.join("\n").trim()] as const),
    lead: lead.join("\n"),
  };
}

function nameFor(key: string, shape: Shape): string {
  const names = Object.keys(shape.properties ?? {});
  return names.find((name) => plainKey(name) === plainKey(key)) ?? key;
}

function readPairValue(written: string, shape: Shape, place: Place, ledger: Ledger): unknown {
  const types = typesOf(shape);
  if (types.includes("string") && !(types.includes("null") && written === "null")) return written;
  const parsed = parseValue(written);
  if (parsed !== undefined) return parsed;
  if (!types.includes("array")) return written;
  if (NOTHING.test(withoutMarks(written))) return noItems(written, place, ledger);
  const items = written.split(/[,;\n]/).map((item) => withoutMarks(item.trim()));
  const sentence = "Values after a key were read as the items of a list.";
  note(ledger, place, written, `${items.length} items`, sentence, "coerced");
  return items.filter(Boolean);
}

function nonBlankLines(text: string): string[] {
  return text
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter(Boolean);
}

/** A whole number that would be changed by reading it stays text. */
function parseValue(written: string): unknown {
  try {
    const value: unknown = JSON.parse(written);
    return Number.isInteger(value) && !Number.isSafeInteger(value) ? undefined : value;
  } catch {
    return undefined;
  }
}

function note(
  ledger: Ledger,
  { path, offset }: Place,
  before: string,
  after: string,
  sentence: string,
  loss: Repair["loss"],
): void {
  ledger.add({ step: "sections", path, offset, before: excerpt(before), after, sentence, loss });
}
