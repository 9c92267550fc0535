/** A packet's text as lines of pieces, each piece with the thought it came from. */

import type { Output } from "../../api/operation.ts";
import type { SourceKind } from "../../parts/reference.tsx";

export type ContextRef = Output<"packet.show">["contextRefs"][number];

export interface Piece {
  readonly text: string;
  readonly kind: SourceKind;
  /** `task:ID`; undefined for the packet's own words. */
  readonly thought: string | undefined;
}

export interface Line {
  /** Where it begins in the text. */
  readonly at: number;
  readonly pieces: readonly Piece[];
  readonly role: "heading" | "marker" | "text";
}

const MARKER = "[Prompt truncated to budget]";
const HEADING = /^[A-Z][A-Z &/+'-]{3,}:?$/;
const CONCEPTS = "NAMED CONCEPTS";

interface Range {
  readonly start: number;
  readonly end: number;
  readonly type: ContextRef["type"];
  readonly thought: string;
}

export function packetLines(text: string, refs: readonly ContextRef[]): readonly Line[] {
  const ranges = refs
    .flatMap(({ type, id, ranges: own }) =>
      own.map(({ start, end }): Range => ({ start, end, type, thought: `${type}:${id}` })),
    )
    .toSorted((a, b) => a.start - b.start);
  let at = 0;
  let isConcept = false;
  return text.split("\n").map((line) => {
    const start = at;
    at += line.length + 1;
    const role = line === MARKER ? "marker" : HEADING.test(line) ? "heading" : "text";
    if (role === "heading") isConcept = line.startsWith(CONCEPTS);
    return { at: start, role, pieces: linePieces(line, start, ranges, isConcept) };
  });
}

function linePieces(
  line: string,
  start: number,
  ranges: readonly Range[],
  isConcept: boolean,
): readonly Piece[] {
  const end = start + line.length;
  const pieces: Piece[] = [];
  let at = start;
  const plain = (to: number) => {
    if (to > at)
      pieces.push({ text: line.slice(at - start, to - start), kind: "fixed", thought: undefined });
  };
  for (const range of ranges) {
    const from = Math.max(range.start, at);
    const to = Math.min(range.end, end);
    if (from >= to) continue;
    plain(from);
    const kind = kindOf(range.type, isConcept);
    pieces.push({ text: line.slice(from - start, to - start), kind, thought: range.thought });
    at = to;
  }
  plain(end);
  return pieces;
}

export function kindOf(type: string | undefined, isConcept = false): SourceKind {
  switch (type) {
    case "task":
    case "decision":
    case "highlight":
    case "conversation":
      return type;
    case "message":
      return "conversation";
    case "project":
      return isConcept ? "glossary" : "fixed";
    default:
      return "fixed";
  }
}

export interface Share {
  readonly kind: SourceKind;
  readonly characters: number;
}

const ORDER: readonly SourceKind[] = [
  "fixed",
  "decision",
  "task",
  "glossary",
  "highlight",
  "conversation",
];

/** How much of the text each kind of source takes; the packet's own words first. */
export function packetShares(lines: readonly Line[]): readonly Share[] {
  const sizes = new Map<SourceKind, number>(ORDER.map((kind) => [kind, 0]));
  for (const { pieces } of lines) {
    // Line breaks are the packet's own.
    sizes.set("fixed", (sizes.get("fixed") ?? 0) + 1);
    for (const { kind, text } of pieces) sizes.set(kind, (sizes.get(kind) ?? 0) + text.length);
  }
  return [...sizes]
    .map(([kind, characters]) => ({ kind, characters }))
    .filter(({ characters }) => characters > 0);
}
