/** The small syntaxes inside a section: a word, a list of bullets, `key: value` lines. */

import { isReservedKey, noteReservedKey } from "./inspect.ts";
import { excerpt, type Ledger } from "./ledger.ts";
import { resolveShape, type Shape, typesOf } from "./shape.ts";

/** `[SUCCESS]`, `**SUCCESS**`, `` `SUCCESS` `` and `SUCCESS.` are all SUCCESS; the rest follows it. */
export function readWord(text: string): { word: string; rest: string } {
  const feed = text.indexOf("\n");
  const line = (feed === -1 ? text : text.slice(0, feed)).trim();
  const rest = feed === -1 ? "" : text.slice(feed + 1).trim();
  const bare = withoutMarks(line);
  const split = /^([A-Z][A-Z0-9_]+)[\])*`]*\s*(?:[:.–—-]|\s-)\s+(\S.*)$/.exec(bare);
  if (split === null) return { word: bare, rest };
  return { word: split[1] ?? bare, rest: [split[2] ?? "", rest].filter(Boolean).join("\n") };
}

function withoutMarks(line: string): string {
  let start = 0;
  let end = line.length;
  while (start < end && "[(*_`\"'>- ".includes(line.charAt(start))) start += 1;
  while (end > start && "])*_`\"'. ".includes(line.charAt(end - 1))) end -= 1;
  return line.slice(start, end);
}

const BULLET = /^([ \t]*)(?:[-*+•]|\d{1,3}[.)])[ \t]+/;
const NOTHING = /^(?:none|n\/a|nothing|-|–|—)\.?$/i;

/** One entry a bullet; lines under a bullet belong to it. An explicit "none" is the empty list. */
export function readBullets(text: string, field: string, offset: number, ledger: Ledger): unknown {
  if (text.startsWith("[")) {
    const items = parseList(text);
    if (items !== undefined) return items;
  }
  const { items, lead } = collectBullets(text);
  if (items.length === 0) return readLines(text, field, offset, ledger);
  if (lead !== "") {
    const sentence = "Text before the first item of a list was left aside.";
    ledger.add({
      step: "sections",
      path: field,
      offset,
      before: excerpt(lead),
      after: "",
      sentence,
      loss: lead.endsWith(":") ? "syntactic" : "coerced",
    });
  }
  const [only, second] = items;
  if (only !== undefined && second === undefined && NOTHING.test(withoutMarks(only))) {
    return noItems(only, field, offset, ledger);
  }
  return items;
}

function collectBullets(text: string): { items: string[]; lead: string } {
  const items: string[] = [];
  const lead: string[] = [];
  let indent = 0;
  for (const line of text.split(/\r?\n/)) {
    const bullet = BULLET.exec(line);
    const depth = bullet?.[1]?.length ?? 0;
    if (bullet !== null && (items.length === 0 || depth <= indent)) {
      indent = depth;
      items.push(line.slice(bullet[0].length).trim());
    } else if (items.length === 0) lead.push(line);
    else items.push(`${items.pop() ?? ""}\n${line.trim()}`);
  }
  return { items: items.map((item) => item.trim()), lead: lead.join("\n").trim() };
}

function readLines(text: string, field: string, offset: number, ledger: Ledger): unknown {
  const lines = text
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter(Boolean);
  if (lines.length === 1 && NOTHING.test(withoutMarks(text)))
    return noItems(text, field, offset, ledger);
  const sentence = "Lines without bullets were read as the items of a list.";
  ledger.add({
    step: "sections",
    path: field,
    offset,
    before: excerpt(text),
    after: `${lines.length} items`,
    sentence,
    loss: "coerced",
  });
  return lines;
}

function noItems(
  written: string,
  field: string,
  offset: number | undefined,
  ledger: Ledger,
): unknown[] {
  const sentence = `"${written}" was read as the empty list.`;
  const place = offset === undefined ? {} : { offset };
  ledger.add({
    step: "sections",
    path: field,
    ...place,
    before: written,
    after: "[]",
    sentence,
    loss: "coerced",
  });
  return [];
}

function parseList(text: string): unknown[] | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

const PAIR =
  /^[ \t]*(?:[-*+•][ \t]+)?[*_`"']*([\p{L}_][\p{L}\p{N}_ -]{0,60}?)[*_`"']*[ \t]*[:=][*_`]*[ \t]*(.*)$/u;

/** `key: value` lines. A value is JSON where it reads as JSON and the field is not text. */
export function readPairs(
  text: string,
  shape: Shape,
  root: Shape,
  field: string,
  ledger: Ledger,
): unknown {
  const pairs: [string, string][] = [];
  const stray: string[] = [];
  for (const line of text.split(/\r?\n/)) {
    const pair = line.length > 10_000 ? null : PAIR.exec(line);
    const [, key = "", value = ""] = pair ?? [];
    const last = pairs.at(-1);
    if (pair !== null) pairs.push([key.trim(), value.trim()]);
    else if (line.trim() === "") continue;
    else if (last === undefined) stray.push(line.trim());
    else pairs[pairs.length - 1] = [last[0], `${last[1]}\n${line.trim()}`.trim()];
  }
  if (pairs.length === 0) return text;
  if (stray.length > 0) {
    const sentence = "Text before the first `key: value` line was left aside.";
    ledger.add({
      step: "sections",
      path: field,
      before: excerpt(stray.join("\n")),
      after: "",
      sentence,
      loss: "syntactic",
    });
  }
  const value: Record<string, unknown> = {};
  for (const [key, written] of pairs) {
    const name = nameFor(key, shape);
    if (written === "") continue;
    if (isReservedKey(name)) noteReservedKey(ledger, [field, name], written);
    else
      value[name] = readPairValue(
        written,
        resolveShape(shape.properties?.[name] ?? {}, root),
        `${field}.${name}`,
        ledger,
      );
  }
  return value;
}

function nameFor(key: string, shape: Shape): string {
  const plain = key.toLowerCase().replace(/[\s_-]+/g, "");
  const names = Object.keys(shape.properties ?? {});
  return names.find((name) => name.toLowerCase().replace(/[\s_-]+/g, "") === plain) ?? key;
}

function readPairValue(written: string, shape: Shape, path: string, ledger: Ledger): unknown {
  const types = typesOf(shape);
  if (types.includes("string") && !(types.includes("null") && written === "null")) return written;
  const parsed = parseValue(written);
  if (parsed !== undefined) return parsed;
  if (!types.includes("array")) return written;
  if (NOTHING.test(written)) return noItems(written, path, undefined, ledger);
  const items = written
    .split(/[,;\n]/)
    .map((item) => withoutMarks(item.trim()))
    .filter(Boolean);
  const sentence = "Values after a key were read as the items of a list.";
  ledger.add({
    step: "sections",
    path,
    before: excerpt(written),
    after: `${items.length} items`,
    sentence,
    loss: "coerced",
  });
  return items;
}

function parseValue(written: string): unknown {
  try {
    const value: unknown = JSON.parse(written);
    return typeof value === "number" && Number.isInteger(value) && !Number.isSafeInteger(value)
      ? undefined
      : value;
  } catch {
    return undefined;
  }
}
