/** Places inside a JSON text. But for `endOfJson` the text is known to be valid. */

import type { Span } from "../diagram/diagram.ts";

export interface JsonMember {
  readonly key: string;
  readonly keySpan: Span;
  readonly valueSpan: Span;
}

const QUOTED = /"(?:[^"\\\n]+|\\.)*"?/y;
const SPACE = /[ \t\r\n]*/y;
const PLAIN = /[^\s,\]}]+/y;

/** Just behind the value whose opening bracket stands at `start`; nothing where it is never closed. */
export function endOfJson(text: string, start: number): number | undefined {
  let depth = 0;
  for (let at = start; at < text.length; at += 1) {
    const character = text.charAt(at);
    if (character === '"') at = endOf(QUOTED, text, at) - 1;
    else if (character === "{" || character === "[") depth += 1;
    else if (character === "}" || character === "]") depth -= 1;
    else continue;
    if (depth <= 0) return character === '"' ? undefined : at + 1;
  }
  return undefined;
}

/** Of the object or array that begins at `start`; the keys of an array are its indexes. */
export function membersAt(text: string, start: number): JsonMember[] {
  const isArray = text.charAt(start) === "[";
  const members: JsonMember[] = [];
  let at = endOf(SPACE, text, start + 1);
  while (at < text.length && !"]}".includes(text.charAt(at))) {
    const keySpan = { start: at, end: isArray ? at : endOf(QUOTED, text, at) };
    const colon = endOf(SPACE, text, keySpan.end);
    const from = isArray ? at : endOf(SPACE, text, colon + 1);
    const valueSpan = { start: from, end: endOfValue(text, from) };
    const key = isArray
      ? String(members.length)
      : String(JSON.parse(text.slice(keySpan.start, keySpan.end)));
    members.push({ key, keySpan, valueSpan });
    at = endOf(SPACE, text, valueSpan.end);
    if (text.charAt(at) === ",") at = endOf(SPACE, text, at + 1);
  }
  return members;
}

/** Where the value at the path begins, or as much of the path as there is. */
export function locateValue(text: string, path: readonly PropertyKey[]): Span {
  let span: Span = { start: 0, end: text.length };
  for (const part of path) {
    if (!"{[".includes(text.charAt(span.start))) return span;
    const found = membersAt(text, span.start).find(({ key }) => key === String(part));
    if (found === undefined) return span;
    span = found.valueSpan;
  }
  return span;
}

/** Where a character of a string's value stands in the text; `start` is its opening quote. */
export function offsetInString(text: string, start: number, characters: number): number {
  let at = start + 1;
  for (let count = 0; count < characters && at < text.length; count += 1) {
    const isEscape = text.charAt(at) === "\\";
    at += isEscape ? (text.charAt(at + 1) === "u" ? 6 : 2) : 1;
  }
  return at;
}

function endOfValue(text: string, start: number): number {
  const first = text.charAt(start);
  if (first === '"') return endOf(QUOTED, text, start);
  if (first === "{" || first === "[") return endOfJson(text, start) ?? text.length;
  return endOf(PLAIN, text, start);
}

function endOf(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return at + (pattern.exec(text)?.[0].length ?? 0);
}
