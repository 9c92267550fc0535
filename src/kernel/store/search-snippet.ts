/** The piece of a text that shows best why it was found. */

import { isWanted, placedTerms, type SearchQuery } from "./search-terms.ts";
import type { Span } from "./thought-source.ts";

export interface Snippet {
  readonly text: string;
  /** Where the words searched for stand in it. */
  readonly marks: readonly Span[];
}

const SNIPPET_LENGTH = 200;

export function makeSnippet(text: string, query: SearchQuery): Snippet {
  const found = placedTerms(text).filter(({ term }) => isWanted(term, query));
  const { start, end } = bestWindow(text, found);
  const lead = start > 0 ? "…" : "";
  const tail = end < text.length ? "…" : "";
  const marks = found
    .filter((term) => term.start >= start && term.end <= end)
    .map((term) => ({
      start: term.start - start + lead.length,
      end: term.end - start + lead.length,
    }));
  return { text: lead + text.slice(start, end) + tail, marks };
}

/** The window with the most different words of the query, the earliest among equals. */
function bestWindow(
  text: string,
  found: readonly { readonly term: string; readonly start: number; readonly end: number }[],
): Span {
  let best = { count: 0, first: 0 };
  for (let i = 0, j = 0; i < found.length; i += 1) {
    const first = found[i]?.start ?? 0;
    while (j < found.length && (found[j]?.end ?? 0) <= first + SNIPPET_LENGTH / 2) j += 1;
    const count = new Set(found.slice(i, j).map(({ term }) => term)).size;
    if (count > best.count) best = { count, first };
  }
  const wanted = Math.max(0, best.first - SNIPPET_LENGTH / 4);
  const start = Math.max(0, Math.min(wanted, text.length - SNIPPET_LENGTH));
  return {
    start: start === 0 ? 0 : nextBoundary(text, start, best.first),
    end: lastBoundary(text, Math.min(text.length, start + SNIPPET_LENGTH)),
  };
}

/** The start of the next word, but not beyond what must be shown. */
function nextBoundary(text: string, from: number, latest: number): number {
  for (let at = from; at <= latest; at += 1) if (/\s/.test(text.charAt(at - 1))) return at;
  return avoidHalf(text, from);
}

function lastBoundary(text: string, to: number): number {
  if (to === text.length) return to;
  for (let at = to; at > to - 30; at -= 1) if (/\s/.test(text.charAt(at))) return at;
  return avoidHalf(text, to);
}

/** Never between the halves of a surrogate pair. */
function avoidHalf(text: string, at: number): number {
  return /[\uDC00-\uDFFF]/.test(text.charAt(at)) && at > 0 ? at - 1 : at;
}
