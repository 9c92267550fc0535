/**
 * What changed between two texts, line by line. The work is bounded: texts with little in common are
 * shown as one replaced by the other.
 */

import { commonLength } from "./first-difference.ts";

export interface DiffLine {
  readonly change: "same" | "removed" | "added";
  readonly text: string;
  /** In a changed line the stretch that its counterpart does not have. */
  readonly mark?: { readonly start: number; readonly end: number };
}

const MOST_EDITS = 400;

export function diffLines(before: string, after: string): readonly DiffLine[] {
  const old = before.split("\n");
  const now = after.split("\n");
  let head = 0;
  while (head < old.length && head < now.length && old[head] === now[head]) head += 1;
  let tail = 0;
  const most = Math.min(old.length, now.length) - head;
  while (tail < most && old[old.length - 1 - tail] === now[now.length - 1 - tail]) tail += 1;
  const middle = diffMiddle(old.slice(head, old.length - tail), now.slice(head, now.length - tail));
  return [
    ...old.slice(0, head).map((text): DiffLine => ({ change: "same", text })),
    ...markPairs(middle),
    ...old.slice(old.length - tail).map((text): DiffLine => ({ change: "same", text })),
  ];
}

function diffMiddle(old: readonly string[], now: readonly string[]): DiffLine[] {
  const traces = findEdits(old, now);
  if (traces === undefined) return replaced(old, now);
  const lines: DiffLine[] = [];
  let [x, y] = [old.length, now.length];
  for (let edits = traces.length - 1; edits > 0; edits -= 1) {
    const reach = traces[edits - 1];
    const diagonal = x - y;
    const isAdded = cameFromAbove(reach, edits, diagonal);
    const fromDiagonal = isAdded ? diagonal + 1 : diagonal - 1;
    const fromX = at(reach, fromDiagonal);
    const fromY = fromX - fromDiagonal;
    const afterEdit = isAdded ? fromX : fromX + 1;
    while (x > afterEdit) {
      x -= 1;
      y -= 1;
      lines.push({ change: "same", text: old[x] ?? "" });
    }
    lines.push(
      isAdded
        ? { change: "added", text: now[fromY] ?? "" }
        : { change: "removed", text: old[fromX] ?? "" },
    );
    [x, y] = [fromX, fromY];
  }
  for (; x > 0; x -= 1) lines.push({ change: "same", text: old[x - 1] ?? "" });
  return lines.toReversed();
}

function replaced(old: readonly string[], now: readonly string[]): DiffLine[] {
  return [
    ...old.map((text): DiffLine => ({ change: "removed", text })),
    ...now.map((text): DiffLine => ({ change: "added", text })),
  ];
}

/** How far down the old text each diagonal gets with so many edits; its middle is diagonal 0. */
type Reach = Int32Array;

/**
 * Myers' greedy search: for 0, 1, 2 … edits, how far each diagonal reaches. Undefined when more
 * edits are needed than are worth showing.
 */
function findEdits(old: readonly string[], now: readonly string[]): readonly Reach[] | undefined {
  const traces: Reach[] = [];
  const limit = Math.min(MOST_EDITS, old.length + now.length);
  for (let edits = 0; edits <= limit; edits += 1) {
    const before = traces.at(-1);
    const reach = new Int32Array(2 * edits + 1).fill(-1);
    for (let diagonal = -edits; diagonal <= edits; diagonal += 2) {
      let x =
        edits === 0
          ? 0
          : cameFromAbove(before, edits, diagonal)
            ? at(before, diagonal + 1)
            : at(before, diagonal - 1) + 1;
      while (x < old.length && x - diagonal < now.length && old[x] === now[x - diagonal]) x += 1;
      reach[diagonal + edits] = x;
      if (x >= old.length && x - diagonal >= now.length) {
        traces.push(reach);
        return traces;
      }
    }
    traces.push(reach);
  }
  return undefined;
}

/** Whether the furthest way to this diagonal ends with an added line rather than a removed one. */
function cameFromAbove(before: Reach | undefined, edits: number, diagonal: number): boolean {
  if (diagonal === -edits) return true;
  return diagonal !== edits && at(before, diagonal - 1) < at(before, diagonal + 1);
}

function at(reach: Reach | undefined, diagonal: number): number {
  return reach?.[diagonal + (reach.length - 1) / 2] ?? -1;
}

/** Where lines were replaced one for one, each pair shows what is new in it. */
function markPairs(lines: readonly DiffLine[]): DiffLine[] {
  const marked = [...lines];
  for (let start = 0; start < lines.length; ) {
    const removed = countFrom(lines, start, "removed");
    const added = countFrom(lines, start + removed, "added");
    const pairs = removed === added ? removed : 0;
    for (let pair = 0; pair < pairs; pair += 1) {
      const [old, now] = [lines[start + pair], lines[start + removed + pair]];
      if (old === undefined || now === undefined) continue;
      marked[start + pair] = withMark(old, now.text);
      marked[start + removed + pair] = withMark(now, old.text);
    }
    start += Math.max(1, removed + added);
  }
  return marked;
}

function countFrom(lines: readonly DiffLine[], start: number, change: DiffLine["change"]): number {
  let end = start;
  while (lines[end]?.change === change) end += 1;
  return end - start;
}

/** Whole words, where the script has words between blanks. */
function withMark(line: DiffLine, other: string): DiffLine {
  const { text } = line;
  let start = commonLength(text, other);
  const most = Math.min(text.length, other.length) - start;
  let tail = 0;
  while (tail < most && text.at(-1 - tail) === other.at(-1 - tail)) tail += 1;
  let end = text.length - tail;
  while (start > 0 && isInsideWord(text, start)) start -= 1;
  while (end < text.length && isInsideWord(text, end)) end += 1;
  return { ...line, mark: { start, end } };
}

function isInsideWord(text: string, place: number): boolean {
  return isOfWord(text.charCodeAt(place - 1)) && isOfWord(text.charCodeAt(place));
}

/** Surrogates count, so that no character is cut in two. */
function isOfWord(code: number): boolean {
  if (code >= 0xd800 && code <= 0xdfff) return true;
  return code < 0x2000 && /[\p{L}\p{M}\p{N}_]/u.test(String.fromCharCode(code));
}
