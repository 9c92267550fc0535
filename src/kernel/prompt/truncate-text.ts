/**
 * Shortens text so that a reader sees it was shortened: at a word where there is one near, never
 * inside what is read as one character, with open code fences closed, ending in an ellipsis.
 */

export const ELLIPSIS = "…";

export interface Truncation {
  /** How much of the original stands before the ending. */
  readonly kept: number;
  /** The ellipsis, and what closes an open code fence; empty when all was kept. */
  readonly ending: string;
}

/** The result has at most `limit` characters. Undefined when not even the ellipsis fits. */
export function findTruncation(text: string, limit: number): Truncation | undefined {
  if (text.length <= limit) return { kept: text.length, ending: "" };
  if (limit < ELLIPSIS.length) return undefined;
  let kept = cutPosition(text, limit - ELLIPSIS.length);
  for (;;) {
    // The ellipsis is looked at too: behind closing marks it would open their fence again.
    const open = findOpenFence(text.slice(0, kept) + ELLIPSIS);
    if (open === undefined) return { kept, ending: ELLIPSIS };
    const ending = `${ELLIPSIS}\n${open.marks}`;
    if (kept + ending.length <= limit) return { kept, ending };
    const shorter = cutPosition(text, limit - ending.length);
    kept = shorter > open.contentStart ? shorter : trimEnd(text, open.start);
  }
}

export function truncateText(text: string, limit: number): string {
  const cut = findTruncation(text, limit);
  return cut === undefined ? "" : text.slice(0, cut.kept) + cut.ending;
}

/** A word that began this far back is cut in two rather than dropped. */
const LONGEST_WORD = 40;

function cutPosition(text: string, limit: number): number {
  if (limit <= 0) return 0;
  const earliest = Math.max(0, limit - LONGEST_WORD);
  for (let at = limit; at > earliest; at -= 1) {
    if (isSpace(text.charCodeAt(at))) return trimEnd(text, at);
  }
  return trimEnd(text, characterStart(text, limit));
}

function trimEnd(text: string, end: number): number {
  let at = end;
  while (at > 0 && isSpace(text.charCodeAt(at - 1))) at -= 1;
  return at;
}

function isSpace(code: number): boolean {
  return code === 32 || (code >= 9 && code <= 13) || code === 0xa0 || code === 0x3000;
}

/** Enough to see every written character whole; piles of marks beyond it are not writing. */
const CONTEXT = 128;
let graphemes: Intl.Segmenter | undefined;

/** The start of the character, as people count them, that the position falls into. */
function characterStart(text: string, position: number): number {
  if (isPlain(text.charCodeAt(position - 1)) && isPlain(text.charCodeAt(position))) return position;
  let from = Math.max(0, position - CONTEXT);
  if (isLowSurrogate(text.charCodeAt(from))) from += 1;
  const window = text.slice(from, position + CONTEXT);
  graphemes ??= new Intl.Segmenter("und", { granularity: "grapheme" });
  return from + (graphemes.segment(window).containing(position - from)?.index ?? 0);
}

function isPlain(code: number): boolean {
  return code < 0x300 && code !== 0x0d && code !== 0x0a;
}

function isLowSurrogate(code: number): boolean {
  return code >= 0xdc00 && code <= 0xdfff;
}

interface OpenFence {
  readonly marks: string;
  readonly start: number;
  readonly contentStart: number;
}

const FENCE_LINE = /^ {0,3}(`{3,}|~{3,})([^\n]*)$/gm;

function findOpenFence(text: string): OpenFence | undefined {
  if (!text.includes("```") && !text.includes("~~~")) return undefined;
  let open: OpenFence | undefined;
  for (const line of text.matchAll(FENCE_LINE)) {
    const [whole, marks = "", after = ""] = line;
    if (open !== undefined) {
      if (closes(open.marks, marks) && after.trim() === "") open = undefined;
      // A backtick after the marks makes it inline code, not the opening of a fence.
    } else if (marks.startsWith("~") || !after.includes("`")) {
      open = { marks, start: line.index, contentStart: line.index + whole.length };
    }
  }
  return open;
}

function closes(opening: string, marks: string): boolean {
  return marks.startsWith(opening.charAt(0)) && marks.length >= opening.length;
}
