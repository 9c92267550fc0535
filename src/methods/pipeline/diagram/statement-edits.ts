/** Where new statements go, and how old ones leave. Comments that stand in between always stay. */

import type { Diagram, Span } from "./diagram.ts";
import {
  indentAt,
  insertAt,
  lineEndOf,
  lineStartOf,
  newlineOf,
  replace,
  type TextEdit,
} from "./text-edit.ts";

/** A line of its own behind a statement, indented like it. */
export function insertBehind(diagram: Diagram, index: number, text: string): TextEdit {
  const { source, statements } = diagram;
  const statement = statements[index];
  const newline = newlineOf(source);
  if (statement === undefined) return insertAt(source.length, `${newline}${text}`);
  const { start, end } = statement.span;
  const indent = statement.kind === "header" ? "    " : indentAt(source, start);
  const line = lineEndOf(source, end);
  const next = statements[index + 1];
  // Another statement may follow in the same line, behind a semicolon.
  const isShared = next !== undefined && next.span.start < line;
  return isShared
    ? insertAt(end, `${newline}${indent}${text}`)
    : insertAt(line, `${newline}${indent}${text}`);
}

/** The whole line where nothing else stands in it. */
export function deleteStatement(diagram: Diagram, index: number): TextEdit {
  const { source, statements } = diagram;
  const span = statements[index]?.span ?? { start: 0, end: 0 };
  const lineStart = lineStartOf(source, span.start);
  const lineEnd = lineEndOf(source, span.end);
  const isAlone =
    source.slice(lineStart, span.start).trim() === "" &&
    /^[\s;]*$/.test(source.slice(span.end, lineEnd));
  const kept = hiddenIn(diagram, span);
  if (kept.length > 0) return replace(span, kept.join(newlineOf(source)));
  if (!isAlone) return replace({ start: span.start, end: skipSeparator(source, span.end) }, "");
  const newline = /^\r?\n|^\r/.exec(source.slice(lineEnd, lineEnd + 2))?.[0].length ?? 0;
  // Without a line break behind, the one before goes, so that no empty line is left at the end.
  const before =
    newline === 0 ? (/\r?\n$|\r$/.exec(source.slice(0, lineStart))?.[0].length ?? 0) : 0;
  return replace({ start: lineStart - before, end: lineEnd + newline }, "");
}

/** What stands in place of a piece that is taken out of a statement between two that stay. */
export function lineBreakFor(diagram: Diagram, span: Span, indent: string): string {
  const newline = newlineOf(diagram.source);
  return [...["", ...hiddenIn(diagram, span)].map((text) => text), indent].join(newline);
}

/** What is left of a piece that is taken away from an end of a statement. */
export function remainderOf(diagram: Diagram, span: Span): string {
  const newline = newlineOf(diagram.source);
  const kept = hiddenIn(diagram, span);
  return kept.length === 0 ? "" : `${newline}${kept.join(newline)}${newline}`;
}

function hiddenIn({ source, hidden }: Diagram, { start, end }: Span): string[] {
  return hidden
    .filter(({ span }) => span.start >= start && span.end <= end)
    .map(({ span }) => source.slice(span.start, span.end));
}

function skipSeparator(source: string, at: number): number {
  return (
    at + (/^[^\S\r\n]*;?[^\S\r\n]*/.exec(source.slice(at, lineEndOf(source, at)))?.[0].length ?? 0)
  );
}
