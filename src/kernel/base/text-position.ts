/** Places in a text as people count them, and errors that point at one. */

import { ProductError } from "./errors.ts";

export interface TextPosition {
  /** UTF-16 units from the start, as JavaScript and editors count. */
  readonly offset: number;
  /** From 1. */
  readonly line: number;
  /** From 1, in UTF-16 units. */
  readonly column: number;
}

export function positionAt(text: string, offset: number): TextPosition {
  let line = 1;
  let lineStart = 0;
  for (let next = text.indexOf("\n"); next !== -1 && next < offset; ) {
    line += 1;
    lineStart = next + 1;
    next = text.indexOf("\n", lineStart);
  }
  return { offset, line, column: offset - lineStart + 1 };
}

/** The line that holds the offset with an arrow under it; long lines are shown around the place. */
export function pointAt(text: string, offset: number): string {
  const lineStart = offset === 0 ? 0 : text.lastIndexOf("\n", offset - 1) + 1;
  const newline = text.indexOf("\n", offset);
  const lineEnd = newline === -1 ? text.length : newline;
  const start = Math.max(lineStart, offset - 60);
  const end = Math.min(lineEnd, offset + 40);
  const before = start > lineStart ? "…" : "";
  const after = end < lineEnd ? "…" : "";
  const shown = `${before}${text.slice(start, end)}${after}`.replaceAll(/\s/g, " ");
  return `${shown}\n${" ".repeat(before.length + offset - start)}^`;
}

export interface Fault {
  readonly code: string;
  /** A sentence without its full stop; the place is added to it. */
  readonly message: string;
  readonly offset: number;
  readonly hint?: string;
  readonly details?: Readonly<Record<string, unknown>>;
}

/** The error's details carry `offset`, `line`, `column` and an `excerpt` with an arrow. */
export function errorAt(text: string, fault: Fault): ProductError {
  const position = positionAt(text, fault.offset);
  const place =
    position.line === 1
      ? `column ${position.column}`
      : `line ${position.line}, column ${position.column}`;
  return new ProductError(fault.code, `${fault.message} (${place}).`, {
    ...(fault.hint === undefined ? {} : { hint: fault.hint }),
    details: { ...position, excerpt: pointAt(text, fault.offset), ...fault.details },
  });
}

/** How a message names the character at an offset; invisible ones by their number. */
export function nameCharacter(text: string, offset: number): string {
  const point = text.codePointAt(offset);
  if (point === undefined) return "the end";
  const character = String.fromCodePoint(point);
  return /^[\p{L}\p{N}\p{P}\p{S}]$/u.test(character)
    ? `"${character}"`
    : `U+${point.toString(16).toUpperCase().padStart(4, "0")}`;
}
