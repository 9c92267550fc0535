/** An answer as sections of list items, tables and paragraphs, each with its place in the answer. */

import type { AnswerLine, HeadingMark } from "./answer-lines.ts";
import type { Group, GroupWords } from "./group-words.ts";

export interface TextRange {
  readonly start: number;
  readonly end: number;
}

export interface Section {
  readonly heading: (HeadingMark & TextRange) | undefined;
  /** What stands in it, by its own heading or by one above it. */
  readonly group: Group | undefined;
  /** The group is named further above. */
  readonly isInherited: boolean;
  readonly items: readonly Item[];
  readonly tables: readonly Table[];
  readonly paragraphs: readonly TextRange[];
}

export interface Item extends TextRange {
  /** Where the words of its own beginning end; what follows is detail. */
  readonly headEnd: number;
  readonly isNumbered: boolean;
  readonly hasBox: boolean;
  readonly isTicked: boolean;
  readonly children: readonly Item[];
}

export interface Table {
  readonly header: readonly string[];
  readonly rows: readonly TableRow[];
}

export interface TableRow extends TextRange {
  readonly cells: readonly string[];
}

export function outlineAnswer(
  answer: string,
  lines: readonly AnswerLine[],
  words: GroupWords,
): readonly Section[] {
  const sections: Section[] = [];
  const above: { readonly level: number; readonly group: Group | undefined }[] = [];
  for (const part of partsOf(lines)) {
    const { heading } = part;
    if (heading !== undefined) {
      while ((above.at(-1)?.level ?? 0) >= heading.level) above.pop();
    }
    const own = heading && words.headingGroup(heading.title);
    const inherited = above.findLast(({ group }) => group !== undefined)?.group;
    const group = own ?? (heading && inherited);
    if (heading !== undefined) above.push({ level: heading.level, group });
    sections.push({
      heading,
      group,
      isInherited: own === undefined && group !== undefined,
      ...blocksOf(answer, part.lines),
    });
  }
  return sections;
}

function partsOf(lines: readonly AnswerLine[]) {
  const parts: { heading: (HeadingMark & TextRange) | undefined; lines: AnswerLine[] }[] = [
    { heading: undefined, lines: [] },
  ];
  for (const line of lines) {
    if (line.heading === undefined) parts.at(-1)?.lines.push(line);
    else {
      const { content: start, end } = line;
      parts.push({ heading: { ...line.heading, start, end }, lines: [] });
    }
  }
  return parts;
}

interface OpenItem {
  start: number;
  end: number;
  headEnd: number;
  indent: number;
  isNumbered: boolean;
  hasBox: boolean;
  isTicked: boolean;
  /** Text lines still belong to its own beginning. */
  isHead: boolean;
  children: OpenItem[];
}

function blocksOf(answer: string, lines: readonly AnswerLine[]) {
  const items: OpenItem[] = [];
  const paragraphs: { start: number; end: number }[] = [];
  const rows: AnswerLine[][] = [];
  let open: OpenItem[] = [];
  let before: AnswerLine["kind"] = "blank";
  for (const line of lines) {
    const last = open.at(-1);
    if (line.kind === "bullet") open = addItem(items, open, line);
    else if (last !== undefined && belongs(line, open, before)) extend(open, line, before);
    else {
      if (line.kind !== "blank") open = [];
      if (line.kind === "row") {
        if (before !== "row") rows.push([]);
        rows.at(-1)?.push(line);
      } else if (line.kind === "text") addText(paragraphs, line, before);
    }
    before = line.kind;
  }
  return { items, paragraphs, tables: rows.flatMap((each) => tableOf(answer, each)) };
}

function addItem(items: OpenItem[], open: readonly OpenItem[], line: AnswerLine): OpenItem[] {
  const item: OpenItem = {
    start: line.content,
    end: line.end,
    headEnd: line.end,
    indent: line.indent,
    isNumbered: line.bullet?.isNumbered ?? false,
    hasBox: line.bullet?.hasBox ?? false,
    isTicked: line.bullet?.isTicked ?? false,
    isHead: true,
    children: [],
  };
  const parents = open.filter((parent) => isBelow(item, parent));
  const parent = parents.at(-1);
  (parent?.children ?? items).push(item);
  for (const each of parents) each.end = item.end;
  return [...parents, item];
}

/** Dashes under a number are its details even where nothing is indented: so they come from the clipboard. */
function isBelow(item: OpenItem, parent: OpenItem): boolean {
  if (item.indent > parent.indent) return true;
  return item.indent === parent.indent && parent.isNumbered && !item.isNumbered;
}

function belongs(line: AnswerLine, open: readonly OpenItem[], before: AnswerLine["kind"]): boolean {
  if (line.kind === "blank") return true;
  if (line.kind === "row") return false;
  const outermost = open[0]?.indent ?? 0;
  return before !== "blank" || line.indent > outermost;
}

function extend(open: readonly OpenItem[], line: AnswerLine, before: AnswerLine["kind"]): void {
  if (line.kind === "blank") {
    for (const item of open) item.isHead = false;
    return;
  }
  const last = open.at(-1);
  const isHead = last?.isHead === true && line.kind === "text" && before !== "blank";
  for (const item of open) item.end = line.end;
  if (last === undefined) return;
  if (isHead) last.headEnd = line.end;
  else last.isHead = false;
}

function addText(
  paragraphs: { start: number; end: number }[],
  line: AnswerLine,
  before: AnswerLine["kind"],
): void {
  const last = paragraphs.at(-1);
  if (before === "text" && last !== undefined) last.end = line.end;
  else paragraphs.push({ start: line.content, end: line.end });
}

function tableOf(answer: string, rows: readonly AnswerLine[]): readonly Table[] {
  const [header, rule, ...rest] = rows;
  if (header === undefined || rule === undefined) return [];
  if (!/^\|?(?:\s*:?-+:?\s*\|)+\s*(?::?-+:?)?\s*\|?$/.test(answer.slice(rule.content, rule.end))) {
    return [];
  }
  return [
    {
      header: cellsOf(answer, header),
      rows: rest.map((row) => ({
        start: row.content,
        end: row.end,
        cells: cellsOf(answer, row),
      })),
    },
  ];
}

function cellsOf(answer: string, { content, end }: AnswerLine): readonly string[] {
  const inside = answer.slice(content, end).replace(/^\|/, "").replace(/\|$/, "");
  return inside.split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll("\\|", "|"));
}
