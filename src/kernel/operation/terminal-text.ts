/** Text for terminals: one line where one is promised, cut by what the eye sees, aligned in columns. */

import { stripVTControlCharacters } from "node:util";

/** Foreign text on one line, without anything that would move the cursor or turn the reading direction. */
export function oneLine(text: string): string {
  return stripVTControlCharacters(text)
    .replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, " ")
    .replaceAll(/[\p{Cf}\p{Co}\p{Cs}]/gu, (mark) => (JOINERS.has(mark) ? mark : ""))
    .trim();
}

/** The same for text of several lines: only line feeds stay. */
export function manyLines(text: string): string {
  return text
    .split(/\r\n|[\n\r\u2028\u2029]/)
    .map((line) => stripVTControlCharacters(line.replaceAll("\t", "  ")))
    .map((line) => line.replaceAll(/[\p{Cc}\p{Cf}\p{Co}\p{Cs}]/gu, keepJoiner).trimEnd())
    .join("\n");
}

/** Cells a terminal uses for it. */
export function widthOf(text: string): number {
  if (/^[\x20-\x7e]*$/.test(text)) return text.length;
  let width = 0;
  for (const { segment } of graphemesOf(text)) width += cellsOf(segment);
  return width;
}

export function clip(text: string, width: number): string {
  const line = oneLine(text);
  if (widthOf(line) <= width) return line;
  let kept = "";
  let used = 0;
  for (const { segment } of graphemesOf(line)) {
    used += cellsOf(segment);
    if (used > width - 1) break;
    kept += segment;
  }
  return `${kept.trimEnd()}…`;
}

export interface Column {
  readonly title: string;
  readonly align?: "right";
  /** Longer cells are cut, but for terminals that have the room. */
  readonly width?: number;
  /** Left out where there is little room; the last such column goes first. */
  readonly isSpare?: boolean;
}

const CELL_WIDTH = 60;
/** What no terminal shows on a line; a text of many pages in a cell costs nobody more than this. */
const LONGEST_CELL = 400;

/**
 * Columns that are empty in every row are left out. How wide they are is decided where the terminal is known, by
 * `layOutView`; foreign text cannot hold the marks, since `oneLine` takes them out.
 */
export function table(
  columns: readonly Column[],
  rows: readonly (readonly (string | undefined)[])[],
): string {
  const cells = rows.map((row) => columns.map((_, i) => clip(row[i] ?? "", LONGEST_CELL)));
  const isUsed = columns.map((_, i) => cells.some((row) => row[i] !== ""));
  const head = columns
    .filter((_, i) => isUsed[i])
    .map(
      ({ title, align, width = CELL_WIDTH, isSpare }) =>
        `${Math.max(1, width)}${align === "right" ? ">" : "<"}${isSpare ? "?" : "!"}${title}`,
    );
  return [
    TABLE_MARKS.head + head.join(TABLE_MARKS.cell),
    ...cells.map((row) => TABLE_MARKS.row + row.filter((_, i) => isUsed[i]).join(TABLE_MARKS.cell)),
  ].join("\n");
}

/** Of the private use area, which `oneLine` and `manyLines` empty. */
export const TABLE_MARKS = { head: "\uf8f0", row: "\uf8f1", cell: "\uf8f2" } as const;

/** `name  value` lines; what is undefined or empty is left out. */
export function fieldLines(fields: readonly (readonly [string, string | undefined])[]): string {
  const shown = fields.filter(([, value]) => value !== undefined && value !== "");
  const width = Math.max(0, ...shown.map(([name]) => widthOf(name)));
  return shown.map(([name, value]) => `${pad(name, width)}  ${value}`).join("\n");
}

export function indent(text: string, by = "  "): string {
  return text
    .split("\n")
    .map((line) => (line === "" ? "" : by + line))
    .join("\n");
}

/** Blocks with a blank line between them; empty ones are left out. */
export function blocks(...parts: readonly (string | undefined)[]): string {
  return parts.filter((part) => part !== undefined && part !== "").join("\n\n");
}

/** A heading with what stands under it, or nothing when there is nothing. */
export function section(title: string, body: string | undefined): string | undefined {
  return body === undefined || body === "" ? undefined : `${title}\n${indent(body)}`;
}

export function count(amount: number, one: string, many = `${one}s`): string {
  return `${groupDigits(amount)} ${amount === 1 ? one : many}`;
}

export function groupDigits(amount: number): string {
  return amount.toLocaleString("en-US");
}

/** To the cent, below a cent to four places. */
export function money(microUsd: number): string {
  const dollars = microUsd / 1e6;
  if (microUsd === 0) return "$0.00";
  return Math.abs(dollars) < 0.01 ? `$${dollars.toFixed(4)}` : `$${dollars.toFixed(2)}`;
}

export function bytesText(bytes: number): string {
  const units = ["B", "kB", "MB", "GB", "TB"];
  let amount = bytes;
  let unit = 0;
  while (amount >= 1000 && unit < units.length - 1) {
    amount /= 1000;
    unit += 1;
  }
  return `${unit === 0 ? amount : amount.toFixed(1)} ${units[unit] ?? "B"}`;
}

/** Scripts and emoji are written with these. */
const JOINERS = new Set(["\u200c", "\u200d"]);

function keepJoiner(mark: string): string {
  return JOINERS.has(mark) ? mark : "";
}

let segmenter: Intl.Segmenter | undefined;

/** Made when first needed: it takes longer than most commands. */
function graphemesOf(text: string): Iterable<Intl.SegmentData> {
  segmenter ??= new Intl.Segmenter("en", { granularity: "grapheme" });
  return segmenter.segment(text);
}

const WIDE =
  /^[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe4f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}|\ufe0f/u;

function cellsOf(grapheme: string): number {
  if (/^[\x20-\x7e]$/.test(grapheme)) return 1;
  if (/^\p{M}+$/u.test(grapheme)) return 0;
  return WIDE.test(grapheme) ? 2 : 1;
}

export function pad(text: string, width: number, align?: "right"): string {
  const gap = " ".repeat(Math.max(0, width - widthOf(text)));
  return align === "right" ? gap + text : text + gap;
}
