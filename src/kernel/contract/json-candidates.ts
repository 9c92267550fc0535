/**
 * Finds what could be JSON in a reply: bracketed ranges in prose, fenced blocks, and the brackets
 * still open at the end. One pass with a stack, so a reply full of brackets costs no more than one
 * without.
 *
 * Outside brackets quotes mean nothing (prose is full of apostrophes). Inside, a quote opens a text
 * that ends on its own line; one that does not is taken for prose, so a stray bracket in a sentence
 * cannot swallow the answer that follows it.
 */

import { fencedBlocks } from "./fences.ts";
import { endOfString } from "./inspect.ts";

export interface Candidate {
  readonly start: number;
  readonly end: number;
  /** False when the root bracket was never closed by bracket counting. */
  readonly closed: boolean;
  readonly depth: number;
}

export interface Candidates {
  /** In the order of the text; none lies inside another. */
  readonly closed: readonly Candidate[];
  /** Brackets open at the end that begin as JSON begins, outermost first. */
  readonly open: readonly Candidate[];
}

/** Open brackets that are kept; the answer is the outermost that reads as JSON. */
const MOST_OPEN = 64;

interface Opened {
  readonly brace: boolean;
  readonly start: number;
}

const BRACE_OPEN = 123;
const BRACE_CLOSE = 125;
const BRACKET_OPEN = 91;
const BRACKET_CLOSE = 93;
const QUOTE = 34;

export function findCandidates(text: string): Candidates {
  const ranges = bracketRanges(text);
  const closed = [...ranges.closed, ...fencedRanges(text)].toSorted(
    (a, b) => a.start - b.start || b.end - a.end,
  );
  return {
    closed: outermost(closed).filter(({ start }) => beginsLikeJson(text, start)),
    open: ranges.open.filter((candidate) => beginsLikeJson(text, candidate.start)),
  };
}

/** From the first bracket that begins like JSON to the last that could close it. */
export function widestCandidate(text: string): Candidate | undefined {
  const { closed, open } = bracketRanges(text);
  const first = [...closed, ...open]
    .toSorted((a, b) => a.start - b.start)
    .find((candidate) => beginsLikeJson(text, candidate.start));
  if (first === undefined) return undefined;
  const end = text.lastIndexOf(text[first.start] === "{" ? "}" : "]") + 1;
  if (end <= first.start) return undefined;
  return { start: first.start, end, closed: false, depth: first.depth };
}

function bracketRanges(text: string): { closed: Candidate[]; open: Candidate[] } {
  const stack: Opened[] = [];
  const closed: Candidate[] = [];
  let braces = 0;
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === BRACE_OPEN || code === BRACKET_OPEN) {
      if (stack.length === 0) depth = 0;
      stack.push({ brace: code === BRACE_OPEN, start: at });
      if (code === BRACE_OPEN) braces += 1;
      depth = Math.max(depth, stack.length);
    } else if (stack.length === 0) {
      continue;
    } else if (code === QUOTE) {
      at = endOfStringOnLine(text, at);
    } else if (code === BRACE_CLOSE || code === BRACKET_CLOSE) {
      const brace = code === BRACE_CLOSE;
      if ((brace ? braces : stack.length - braces) === 0) continue;
      let opened = stack.pop();
      while (opened !== undefined && opened.brace !== brace) {
        if (opened.brace) braces -= 1;
        opened = stack.pop();
      }
      if (opened === undefined) continue;
      if (brace) braces -= 1;
      while ((closed.at(-1)?.start ?? -1) > opened.start) closed.pop();
      closed.push({ start: opened.start, end: at + 1, closed: true, depth });
    }
  }
  const end = text.length;
  return {
    closed,
    open: stack.slice(0, MOST_OPEN).map(({ start }) => ({ start, end, closed: false, depth })),
  };
}

function endOfStringOnLine(text: string, open: number): number {
  const close = endOfString(text, open);
  return close < text.length && !text.slice(open, close).includes("\n") ? close : open;
}

function fencedRanges(text: string): Candidate[] {
  return fencedBlocks(text).flatMap(({ bodyStart, bodyEnd, closed }) => {
    const body = text.slice(bodyStart, bodyEnd);
    const start = bodyStart + body.length - body.trimStart().length;
    const end = bodyStart + body.trimEnd().length;
    const ends = `${text[start]}${text[end - 1]}`;
    return closed && (ends === "{}" || ends === "[]") && end - start > 1
      ? [{ start, end, closed: true, depth: 0 }]
      : [];
  });
}

function outermost(sorted: readonly Candidate[]): Candidate[] {
  const kept: Candidate[] = [];
  for (const candidate of sorted) {
    if (candidate.end > (kept.at(-1)?.end ?? 0)) kept.push(candidate);
  }
  return kept;
}

function beginsLikeJson(text: string, start: number): boolean {
  const inside = /\S/g;
  inside.lastIndex = start + 1;
  const first = inside.exec(text)?.[0];
  if (first === undefined) return true;
  return text[start] === "{" ? /["'“‘}/A-Za-z_]/.test(first) : /["'“‘[\]{\-\dtfn/]/.test(first);
}
