/**
 * The head of a library file: `key: value` lines between two `---`. A strict small part of YAML:
 * texts, lists of texts and one level of named texts. Every value is text; whoever reads a field
 * decides what it means. What YAML would read differently is refused instead of guessed.
 */

import { scanStringLiteral } from "../base/string-literal.ts";
import type { Fault } from "../base/text-position.ts";

export interface FrontMatter {
  readonly fields: ReadonlyMap<string, FrontMatterField>;
  /** Without blank lines at its beginning and white space at its end. */
  readonly body: string;
  /** The line of the file on which the body begins. */
  readonly bodyLine: number;
}

export type FrontMatterField =
  | { readonly kind: "text"; readonly line: number; readonly text: string }
  | { readonly kind: "list"; readonly line: number; readonly items: readonly LinedText[] }
  | {
      readonly kind: "map";
      readonly line: number;
      readonly entries: ReadonlyMap<string, LinedText>;
    };

interface LinedText {
  readonly line: number;
  readonly text: string;
}

interface Line {
  readonly number: number;
  readonly offset: number;
  readonly lead: string;
  /** Without indentation and trailing spaces. */
  readonly text: string;
}

const CODE = "front_matter_invalid";
const ENTRY = /^([A-Za-z][\w-]*):(?: +(.+))?$/;
const HEAD_HINT = "The head stands between two lines of three dashes.";
const ONE_LINE_HINT = "Long texts stay on one line.";
const QUOTE_HINT = 'Put the value into double quotes: "…".';

/** The text must use plain line feeds. */
export function readFrontMatter(text: string): FrontMatter | Fault {
  const [first, ...rest] = splitLines(text);
  if (first === undefined || !isDashes(first)) {
    return fault(0, "The file must begin with a line of three dashes", HEAD_HINT);
  }
  const closing = rest.findIndex(isDashes);
  if (closing === -1) return fault(0, "The head is never closed", HEAD_HINT);
  const fields = readFields(rest.slice(0, closing));
  if ("code" in fields) return fields;
  const bodyStart = rest.slice(closing + 1).find((line) => line.text !== "");
  return {
    fields,
    body: bodyStart === undefined ? "" : text.slice(bodyStart.offset).trimEnd(),
    bodyLine: bodyStart?.number ?? closing + 2,
  };
}

function splitLines(text: string): Line[] {
  let next = 0;
  return text.split("\n").map((raw, index) => {
    const offset = next;
    next += raw.length + 1;
    const lead = raw.slice(0, raw.length - raw.trimStart().length);
    return { number: index + 1, offset, lead, text: raw.trim() };
  });
}

function isDashes(line: Line): boolean {
  return line.lead === "" && line.text === "---";
}

function readFields(lines: readonly Line[]): ReadonlyMap<string, FrontMatterField> | Fault {
  const fields = new Map<string, FrontMatterField>();
  const groups = groupByField(lines);
  if ("code" in groups) return groups;
  for (const { line, below } of groups) {
    const entry = readEntry(line);
    if ("code" in entry) return entry;
    const { key, rest } = entry;
    if (fields.has(key)) return fault(line.offset, `The field "${key}" stands twice`);
    const field = rest === undefined ? readBlock(line, below) : readInline(line, rest, below);
    if ("code" in field) return field;
    fields.set(key, field);
  }
  return fields;
}

interface FieldLines {
  readonly line: Line;
  readonly below: Line[];
}

function groupByField(lines: readonly Line[]): readonly FieldLines[] | Fault {
  const groups: FieldLines[] = [];
  for (const line of lines) {
    if (line.text === "" || line.text.startsWith("#")) continue;
    const tab = line.lead.search(/[^ ]/);
    if (tab !== -1) return fault(line.offset + tab, "Indent with spaces, not tabs");
    if (line.lead === "") groups.push({ line, below: [] });
    else {
      const group = groups.at(-1);
      if (group === undefined) return fault(line.offset, "This indented line belongs to no field");
      group.below.push(line);
    }
  }
  return groups;
}

interface Entry {
  readonly key: string;
  readonly rest: string | undefined;
}

function readEntry(line: Line): Entry | Fault {
  const [, key, rest] = ENTRY.exec(line.text) ?? [];
  if (key !== undefined) return { key, rest };
  return fault(
    line.offset + line.lead.length,
    "This line is not of the form `key: value`",
    "A space follows the colon; keys begin with a letter.",
  );
}

function readInline(line: Line, rest: string, below: readonly Line[]): FrontMatterField | Fault {
  const extra = below[0];
  if (extra !== undefined) {
    return fault(
      extra.offset,
      "A field has a value on its line or lines below it, not both",
      ONE_LINE_HINT,
    );
  }
  const offset = line.offset + line.lead.length + line.text.length - rest.length;
  if (rest.startsWith("[")) return readInlineList(line, rest, offset);
  const scalar = readScalar(rest, offset);
  return "code" in scalar ? scalar : { kind: "text", line: line.number, text: scalar.text };
}

function readBlock(line: Line, below: readonly Line[]): FrontMatterField | Fault {
  const [first] = below;
  if (first === undefined) {
    return fault(
      line.offset,
      "This field has no value",
      'Write "" for an empty text and [] for an empty list.',
    );
  }
  const uneven = below.find(({ lead }) => lead !== first.lead);
  if (uneven !== undefined) {
    return fault(
      uneven.offset,
      "Lines of one field are indented alike",
      `Nesting goes one level deep. ${ONE_LINE_HINT}`,
    );
  }
  return first.text.startsWith("- ") ? readBlockList(line, below) : readMap(line, below);
}

function readBlockList(line: Line, below: readonly Line[]): FrontMatterField | Fault {
  const items: LinedText[] = [];
  for (const { number, offset, lead, text } of below) {
    const start = offset + lead.length;
    const rest = /^- +(.+)$/.exec(text)?.[1];
    if (rest === undefined)
      return fault(start, "Every line of a list begins with a dash and a space");
    const scalar = readScalar(rest, start + text.length - rest.length);
    if ("code" in scalar) return scalar;
    items.push({ line: number, text: scalar.text });
  }
  return { kind: "list", line: line.number, items };
}

function readMap(line: Line, below: readonly Line[]): FrontMatterField | Fault {
  const entries = new Map<string, LinedText>();
  for (const each of below) {
    const entry = readEntry(each);
    if ("code" in entry) return entry;
    const { key, rest } = entry;
    const start = each.offset + each.lead.length;
    if (rest === undefined)
      return fault(start, `"${key}" has no value`, 'Write "" for an empty text.');
    if (entries.has(key)) return fault(start, `"${key}" stands twice`);
    const scalar = readScalar(rest, start + each.text.length - rest.length);
    if ("code" in scalar) return scalar;
    entries.set(key, { line: each.number, text: scalar.text });
  }
  return { kind: "map", line: line.number, entries };
}

function readInlineList(line: Line, rest: string, offset: number): FrontMatterField | Fault {
  if (!rest.endsWith("]")) return fault(offset, "The list has no closing bracket on its line");
  const items: LinedText[] = [];
  let start = 1;
  for (const end of itemEnds(rest)) {
    const raw = rest.slice(start, end);
    const item = raw.trim();
    const isEmptyList = item === "" && items.length === 0 && end === rest.length - 1;
    if (isEmptyList) break;
    const scalar = readScalar(item, offset + start + raw.length - raw.trimStart().length);
    if ("code" in scalar) return scalar;
    items.push({ line: line.number, text: scalar.text });
    start = end + 1;
  }
  return { kind: "list", line: line.number, items };
}

/** The offsets of the commas outside quotes, and of the closing bracket. */
function itemEnds(list: string): number[] {
  const ends: number[] = [];
  let quote = "";
  for (let at = 1; at < list.length - 1; at += 1) {
    const character = list.charAt(at);
    if (quote === '"' && character === "\\") at += 1;
    else if (character === quote) quote = "";
    else if (quote === "" && (character === '"' || character === "'")) quote = character;
    else if (quote === "" && character === ",") ends.push(at);
  }
  return [...ends, list.length - 1];
}

function readScalar(text: string, offset: number): { readonly text: string } | Fault {
  if (text.startsWith('"')) {
    const literal = scanStringLiteral(text, 0);
    if ("code" in literal) return { ...literal, code: CODE, offset: offset + literal.offset };
    if (literal.end === text.length) return { text: literal.value };
    return fault(offset + literal.end, "Nothing may follow the closing quote");
  }
  if (text.startsWith("'")) {
    const inner = /^'((?:[^']|'')*)'$/.exec(text)?.[1];
    if (inner !== undefined) return { text: inner.replaceAll("''", "'") };
    return fault(
      offset,
      "The quotes do not match",
      "Inside single quotes a quote is written twice.",
    );
  }
  if (text === "") return fault(offset, "A value is missing here");
  const odd = /^[-?:](?= |$)|^[\]{}&*!|>%@`,#[]|: |:$| #/.exec(text);
  return odd === null
    ? { text }
    : fault(offset + odd.index, "YAML reads this differently", QUOTE_HINT);
}

function fault(offset: number, message: string, hint?: string): Fault {
  return { code: CODE, message, offset, ...(hint === undefined ? {} : { hint }) };
}
