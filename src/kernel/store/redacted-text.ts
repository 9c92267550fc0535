/** Taking redacted passages out of text. White space and case do not matter when passages are recognised. */

import type { Span } from "./thought-source.ts";

export const REDACTION_MARK = "[redacted]";

/** Shorter passages are taken out where they were drawn from, not wherever the same letters occur. */
export const SHORTEST_PASSAGE = 12;

/** Replaces the given spans of a text, which may touch and overlap. */
export function maskSpans(text: string, spans: readonly Span[]): string {
  let masked = "";
  let from = 0;
  for (const { start, end } of joinSpans(spans, text.length)) {
    masked += text.slice(from, start) + REDACTION_MARK;
    from = end;
  }
  return masked + text.slice(from);
}

/** Where whole passages occur in a text. */
export function findPassages(text: string, passages: readonly string[]): readonly Span[] {
  if (passages.length === 0) return [];
  const folded = fold(text);
  return passages.flatMap((passage) => {
    const wanted = fold(passage).text.trim();
    const spans: Span[] = [];
    if (wanted === "") return spans;
    for (
      let at = folded.text.indexOf(wanted);
      at !== -1;
      at = folded.text.indexOf(wanted, at + 1)
    ) {
      spans.push(unfoldSpan(folded, at, at + wanted.length));
    }
    return spans;
  });
}

/** How much of a text that still grows can be shown: up to where a passage may have begun that is not whole yet. */
export function settledLength(text: string, passages: readonly string[]): number {
  if (passages.length === 0) return text.length;
  const folded = fold(text);
  const begun = passages.map((passage) => longestBeginning(folded.text, fold(passage).text.trim()));
  const longest = Math.max(0, ...begun);
  return longest === 0 ? text.length : (folded.places[folded.text.length - longest] ?? 0);
}

/** How many letters at the end of the text are the beginning of the passage, but not all of it. */
function longestBeginning(text: string, passage: string): number {
  for (let length = Math.min(passage.length - 1, text.length); length > 0; length -= 1) {
    if (text.endsWith(passage.slice(0, length))) return length;
  }
  return 0;
}

/** Where any part of a passage occurs that is long enough to give it away. */
export function findOverlaps(text: string, passages: readonly string[]): readonly Span[] {
  const pieces = new Set(passages.flatMap((passage) => piecesOf(fold(passage).text.trim())));
  if (pieces.size === 0) return [];
  const folded = fold(text);
  const spans: Span[] = [];
  for (let at = 0; at + SHORTEST_PASSAGE <= folded.text.length; at += 1) {
    if (pieces.has(folded.text.slice(at, at + SHORTEST_PASSAGE))) {
      spans.push(unfoldSpan(folded, at, at + SHORTEST_PASSAGE));
    }
  }
  return spans;
}

interface Folded {
  readonly text: string;
  /** For each unit of the folded text, where it came from. */
  readonly places: readonly number[];
  readonly length: number;
}

function fold(text: string): Folded {
  const places: number[] = [];
  const units: string[] = [];
  let wasSpace = false;
  for (let i = 0; i < text.length; i += 1) {
    const unit = text.charAt(i);
    const isSpace = /\s/.test(unit);
    if (isSpace && wasSpace) continue;
    wasSpace = isSpace;
    const lower = isSpace ? " " : unit.toLowerCase();
    units.push(lower);
    for (let j = 0; j < lower.length; j += 1) places.push(i);
  }
  return { text: units.join(""), places, length: text.length };
}

function unfoldSpan({ places, length }: Folded, start: number, end: number): Span {
  return { start: places[start] ?? length, end: (places[end - 1] ?? length - 1) + 1 };
}

function piecesOf(passage: string): readonly string[] {
  const count = passage.length - SHORTEST_PASSAGE + 1;
  return Array.from({ length: Math.max(0, count) }, (_, i) =>
    passage.slice(i, i + SHORTEST_PASSAGE),
  );
}

function joinSpans(spans: readonly Span[], length: number): readonly Span[] {
  const joined: Span[] = [];
  for (const { start, end } of spans.toSorted((a, b) => a.start - b.start)) {
    const last = joined.at(-1);
    const cut = { start: Math.max(0, start), end: Math.min(end, length) };
    if (last !== undefined && cut.start <= last.end) {
      joined[joined.length - 1] = { start: last.start, end: Math.max(last.end, cut.end) };
    } else if (cut.start < cut.end) {
      joined.push(cut);
    }
  }
  return joined;
}
