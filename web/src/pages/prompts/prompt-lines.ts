/** A prompt as lines of pieces, each piece with where it came from: the source map laid over the messages as sent. */

import type { SourceRange } from "../../../../src/kernel/prompt/compiled-prompt.ts";
import type { PromptTrace } from "../../../../src/kernel/prompt/prompt-trace.ts";
import type { SourceKind } from "../../parts/reference.tsx";

export type Trace = Pick<
  PromptTrace,
  | "characters"
  | "layers"
  | "sourceMap"
  | "ledger"
  | "cuts"
  | "marker"
  | "blocks"
  | "cache"
  | "tokens"
>;

export interface Message {
  readonly role: string;
  readonly text: string;
}

export interface PromptPiece {
  readonly text: string;
  /** Its place in the trace's list of ranges; undefined where nothing is known. */
  readonly range: number | undefined;
}

export interface PromptLine {
  readonly pieces: readonly PromptPiece[];
  /** Given where a message begins. */
  readonly role: string | undefined;
}

/** A trace that does not fit the text, because something was masked since, marks nothing. */
export function promptLines(
  messages: readonly Message[],
  trace: Trace | undefined,
): readonly PromptLine[] {
  return messages.flatMap(({ role, text }, n) => {
    const pieces =
      trace === undefined ? [{ text, range: undefined }] : messagePieces(text, n, trace);
    return toLines(pieces).map((line, at) => ({ pieces: line, role: at === 0 ? role : undefined }));
  });
}

function messagePieces(text: string, message: number, trace: Trace): readonly PromptPiece[] {
  const blocks = trace.blocks[message] ?? [];
  if ((blocks.at(-1)?.end ?? 0) > text.length) return [{ text, range: undefined }];
  const pieces: PromptPiece[] = [];
  let at = 0;
  for (const { start, end, textStart } of blocks) {
    if (start > at) pieces.push({ text: text.slice(at, start), range: undefined });
    for (const [range, { start: from, end: to }] of trace.sourceMap.entries()) {
      const first = Math.max(from, textStart);
      const last = Math.min(to, textStart + end - start);
      if (first >= last) continue;
      pieces.push({ text: text.slice(start + first - textStart, start + last - textStart), range });
    }
    at = end;
  }
  if (at < text.length) pieces.push({ text: text.slice(at), range: undefined });
  return pieces;
}

function toLines(pieces: readonly PromptPiece[]): readonly (readonly PromptPiece[])[] {
  const lines: PromptPiece[][] = [[]];
  for (const { text, range } of pieces) {
    for (const [n, part] of text.split("\n").entries()) {
      if (n > 0) lines.push([]);
      if (part !== "") lines.at(-1)?.push({ text: part, range });
    }
  }
  return lines;
}

const KINDS: Readonly<Record<string, SourceKind>> = {
  task: "task",
  decision: "decision",
  highlight: "highlight",
  conversation: "conversation",
  message: "conversation",
  glossary: "glossary",
};

/** Which letter a range stands under. */
export function sourceKind(range: Pick<SourceRange, "ref"> | undefined): SourceKind {
  return KINDS[range?.ref?.type ?? ""] ?? "fixed";
}

/** The letter most of a layer stands under. */
export function layerKind(layer: string, { sourceMap }: Trace): SourceKind {
  const sizes = new Map<SourceKind, number>();
  for (const range of sourceMap) {
    if (range.layer !== layer || range.kind !== "text") continue;
    const kind = sourceKind(range);
    sizes.set(kind, (sizes.get(kind) ?? 0) + range.end - range.start);
  }
  return [...sizes].toSorted(([, a], [, b]) => b - a)[0]?.[0] ?? "fixed";
}
