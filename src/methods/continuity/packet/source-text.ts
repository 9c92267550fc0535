/** Somebody's words as they may stand in a packet: where they came from, and which of them may not be seen. */

import type { Piece, SourceRef } from "../../../kernel/prompt/part.ts";
import type { Span } from "../../../kernel/store/thought-source.ts";

export interface SourceText {
  readonly ref: SourceRef;
  readonly text: string;
  /** In places of `text`; may touch and overlap. */
  readonly hidden: readonly Span[];
}

/** On one line: text of several lines could pass for a section of the packet. */
export function lineOf(ref: SourceRef, text: string, hidden: readonly Span[] = []): SourceText {
  if (hidden.length === 0) return { ref, text: text.replaceAll(/\s+/g, " ").trim(), hidden };
  const places = new Int32Array(text.length + 1);
  let line = "";
  for (let at = 0; at < text.length; at += 1) {
    places[at] = line.length;
    const unit = text.charAt(at);
    if (!/\s/.test(unit)) line += unit;
    else if (line !== "" && !line.endsWith(" ")) line += " ";
  }
  places[text.length] = line.length;
  const trimmed = line.trimEnd();
  return { ref, text: trimmed, hidden: moved(hidden, (at) => places[at] ?? line.length) };
}

/** As it was written, without blank lines before and after it. */
export function blockOf(ref: SourceRef, text: string, hidden: readonly Span[] = []): SourceText {
  const body = text.trimEnd();
  const skipped = /^(?:[^\S\n]*\n)*/.exec(body)?.[0].length ?? 0;
  const block = body.slice(skipped);
  return { ref, text: block, hidden: moved(hidden, (at) => Math.max(0, at - skipped)) };
}

/** Whether something of it may be seen. */
export function isReadable({ text, hidden }: SourceText): boolean {
  if (hidden.length === 0) return /\S/.test(text);
  const units = [...Array(text.length).keys()];
  return units.some(
    (at) => /\S/.test(text.charAt(at)) && !hidden.some(({ start, end }) => at >= start && at < end),
  );
}

export function pieceOf({ ref, text }: SourceText, maximum?: number): Piece {
  return maximum === undefined ? { ref, text } : { ref, text, maximum };
}

function moved(hidden: readonly Span[], place: (at: number) => number): readonly Span[] {
  return hidden
    .map(({ start, end }) => ({ start: place(start), end: place(end) }))
    .filter(({ start, end }) => start < end);
}
