/** Changes to a text, by places in the text as it was before any of them. */

import type { Span } from "./diagram.ts";

export interface TextEdit extends Span {
  readonly text: string;
}

/** Of two at one place the one that comes first in the list is written first. */
export function applyEdits(source: string, edits: readonly TextEdit[]): string {
  const pieces: string[] = [];
  let from = 0;
  for (const { start, end, text } of edits.toSorted((a, b) => a.start - b.start || a.end - b.end)) {
    if (start < from) throw new Error(`Two edits meet at ${start}.`);
    pieces.push(source.slice(from, start), text);
    from = end;
  }
  pieces.push(source.slice(from));
  return pieces.join("");
}

export function insertAt(offset: number, text: string): TextEdit {
  return { start: offset, end: offset, text };
}

export function replace(span: Span, text: string): TextEdit {
  return { start: span.start, end: span.end, text };
}

/** The line break that the text uses already. */
export function newlineOf(source: string): string {
  const at = source.search(/\r\n|\r|\n/);
  if (at === -1) return "\n";
  return source.startsWith("\r\n", at) ? "\r\n" : source.charAt(at);
}

export function lineStartOf(source: string, offset: number): number {
  let at = offset;
  while (at > 0 && !isBreak(source.charAt(at - 1))) at -= 1;
  return at;
}

export function lineEndOf(source: string, offset: number): number {
  let at = offset;
  while (at < source.length && !isBreak(source.charAt(at))) at += 1;
  return at;
}

/** The blanks a line begins with. */
export function indentAt(source: string, offset: number): string {
  const line = source.slice(lineStartOf(source, offset), offset);
  return /^[^\S\r\n]*/.exec(line)?.[0] ?? "";
}

function isBreak(character: string): boolean {
  return character === "\n" || character === "\r";
}
