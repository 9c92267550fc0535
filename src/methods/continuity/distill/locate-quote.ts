/** Finds words that were said to be quoted. White space, case, typographic signs and marks of bold text do not count. */

import type { Span } from "../../../kernel/store/thought-source.ts";

/** Shorter quotes prove nothing: they stand everywhere. */
const SHORTEST = 8;
const SHORTEST_UNSPACED = 4;

/** In the text as it is written; undefined when it does not stand there. */
export function locateQuote(text: string, quote: string): Span | undefined {
  const wanted = fold(withoutDressing(quote)).text.trim();
  const isUnspaced = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u.test(wanted);
  if (wanted.length < (isUnspaced ? SHORTEST_UNSPACED : SHORTEST)) return undefined;
  const folded = fold(text);
  const at = folded.text.indexOf(wanted);
  if (at === -1) return undefined;
  const start = folded.places[at] ?? 0;
  const last = folded.places[at + wanted.length - 1] ?? start;
  return { start, end: characterEnd(text, last) };
}

/** Quotation marks around it, and dots where it was cut. */
function withoutDressing(quote: string): string {
  return quote
    .trim()
    .replace(/^["'“”„«»‘’「『]+/u, "")
    .replace(/["'“”«»‘’」』]+$/u, "")
    .replace(/^(?:…|\.\.\.)\s*|\s*(?:…|\.\.\.)$/gu, "");
}

interface Folded {
  readonly text: string;
  /** For each unit of the folded text, where it came from. */
  readonly places: readonly number[];
}

const SIGNS: ReadonlyMap<string, string> = new Map([
  ["“", '"'],
  ["”", '"'],
  ["„", '"'],
  ["«", '"'],
  ["»", '"'],
  ["‘", "'"],
  ["’", "'"],
  ["–", "-"],
  ["—", "-"],
  ["‑", "-"],
  ["\u00a0", " "],
]);

function fold(text: string): Folded {
  const units: string[] = [];
  const places: number[] = [];
  let wasSpace = true;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charAt(at);
    if (unit === "*" || unit === "`" || unit === "\u00ad") continue;
    const isSpace = /\s/.test(unit);
    if (isSpace && wasSpace) continue;
    wasSpace = isSpace;
    const plain = isSpace ? " " : (SIGNS.get(unit) ?? unit.toLowerCase());
    units.push(plain);
    for (let each = 0; each < plain.length; each += 1) places.push(at);
  }
  return { text: units.join(""), places };
}

/** Not between the halves of one character. */
function characterEnd(text: string, last: number): number {
  const code = text.charCodeAt(last);
  return code >= 0xd800 && code < 0xdc00 ? last + 2 : last + 1;
}
