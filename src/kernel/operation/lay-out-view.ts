/** A view on its way to a terminal: tables get the width there is, headings and marks of state their look. */

import { clip, fieldLines, pad, TABLE_MARKS, widthOf } from "./terminal-text.ts";

export type ViewLook = "bold" | "dim" | "red" | "yellow" | "cyan" | "green";

export interface ViewSurface {
  /** Infinity where nobody knows how wide it is, as in a pipe. */
  readonly columns: number;
  readonly style: (look: ViewLook, text: string) => string;
}

/** A pipe: columns as wide as their view asks for, no colours. */
export const PLAIN_SURFACE: ViewSurface = { columns: Infinity, style: (_, text) => text };

export function layOutView(view: string, surface: ViewSurface = PLAIN_SURFACE): string {
  const shown: string[] = [];
  const lines = view.split("\n");
  for (let at = 0; at < lines.length; ) {
    const head = partsOf(lines[at] ?? "", TABLE_MARKS.head);
    if (head === undefined) {
      shown.push(colourMark(lines[at] ?? "", surface));
      at += 1;
      continue;
    }
    const rows: (readonly string[])[] = [];
    for (at += 1; at < lines.length; at += 1) {
      const row = partsOf(lines[at] ?? "", TABLE_MARKS.row);
      if (row === undefined) break;
      rows.push(row.cells);
    }
    shown.push(...layOutTable(head.cells.map(readHead), rows, head.indent, surface));
  }
  return shown.join("\n");
}

interface Head {
  readonly title: string;
  readonly align: "right" | undefined;
  /** What the view asks for. */
  readonly cap: number;
  readonly isSpare: boolean;
}

function partsOf(line: string, mark: string) {
  const start = line.indexOf(mark);
  if (start < 0 || line.slice(0, start).trim() !== "") return undefined;
  const cells = line.slice(start + mark.length).split(TABLE_MARKS.cell);
  return { indent: line.slice(0, start), cells };
}

function readHead(cell: string): Head {
  const [, cap, align, spare, title = ""] = /^(\d+)([<>])([?!])(.*)$/.exec(cell) ?? [];
  return {
    title,
    align: align === ">" ? "right" : undefined,
    cap: Number(cap),
    isSpare: spare === "?",
  };
}

const GAP = 2;
/** Narrower, a text says little: first columns that can be spared go. */
const NARROW = 20;
/** Narrower, it says nothing any more. */
const NARROWEST = 8;

function layOutTable(
  heads: readonly Head[],
  rows: readonly (readonly string[])[],
  indent: string,
  surface: ViewSurface,
): readonly string[] {
  const fit = fitColumns(heads, rows, surface.columns - indent.length);
  if (fit === undefined) return layOutRecords(heads, rows, indent);
  const line = (cells: readonly string[], look: (text: string) => string) => {
    const shown = fit.map(({ i, width }) =>
      look(pad(clip(cells[i] ?? "", width), width, heads[i]?.align)),
    );
    return indent + shown.join(" ".repeat(GAP)).trimEnd();
  };
  const titles = heads.map(({ title }) => title);
  return [
    ...(titles.every((title) => title === "")
      ? []
      : [
          line(titles, (text) =>
            text.replace(/\S(?:.*\S)?/, (title) => surface.style("bold", title)),
          ),
        ]),
    ...rows.map((row) => line(row, (text) => colourMark(text, surface))),
  ];
}

interface Wish {
  readonly i: number;
  readonly natural: number;
  readonly cap: number;
  /** Of no use when it is cut: an id, a name without a space. */
  readonly isFirm: boolean;
  readonly isSpare: boolean;
}

interface Place {
  readonly i: number;
  readonly width: number;
}

/**
 * Takes from the widest until all fit: first what no view asked for, then from texts, then columns that can be spared,
 * then from texts again. Undefined where that is not enough.
 */
function fitColumns(
  heads: readonly Head[],
  rows: readonly (readonly string[])[],
  columns: number,
): readonly Place[] | undefined {
  let wishes = heads.map((head, i) =>
    wishOf(
      head,
      i,
      rows.map((row) => row[i] ?? ""),
    ),
  );
  if (columns === Infinity) return wishes.map(({ i, cap }) => ({ i, width: cap }));
  const narrow = ({ cap, isFirm }: Wish) => (isFirm ? cap : Math.min(cap, NARROW));
  while (widthBelow(wishes, narrow) > columns) {
    const spare = wishes.findLast(({ isSpare }) => isSpare);
    if (spare === undefined) break;
    wishes = wishes.filter((wish) => wish !== spare);
  }
  const narrowest = ({ cap, isFirm }: Wish) => (isFirm ? cap : Math.min(cap, NARROWEST));
  if (widthBelow(wishes, narrowest) > columns) return undefined;
  const widths = wishes.map(({ natural }) => natural);
  let excess = widthBelow(wishes, ({ natural }) => natural) - columns;
  for (const floorOf of [({ cap }: Wish) => cap, narrow, narrowest]) {
    while (excess > 0) {
      const widest = widths.reduce((best, width, i) => {
        const wish = wishes[i];
        const mayShrink = wish !== undefined && width > floorOf(wish);
        return mayShrink && width > (widths[best] ?? 0) ? i : best;
      }, -1);
      if (widest < 0) break;
      widths[widest] = (widths[widest] ?? 0) - 1;
      excess -= 1;
    }
  }
  return wishes.map(({ i }, at) => ({ i, width: widths[at] ?? 0 }));
}

function widthBelow(wishes: readonly Wish[], widthOfOne: (wish: Wish) => number): number {
  return wishes.reduce((sum, wish) => sum + widthOfOne(wish), GAP * (wishes.length - 1));
}

function wishOf({ title, cap, isSpare }: Head, i: number, cells: readonly string[]): Wish {
  const natural = Math.max(widthOf(title), ...cells.map(widthOf));
  const isFirm = cells.every((cell) => !cell.includes(" "));
  return { i, natural, cap: Math.max(widthOf(title), Math.min(natural, cap)), isFirm, isSpare };
}

/** What does not fit side by side even when cut stands one below the other. */
function layOutRecords(
  heads: readonly Head[],
  rows: readonly (readonly string[])[],
  indent: string,
): readonly string[] {
  return rows.flatMap((row, at) => [
    ...(at === 0 ? [] : [""]),
    ...fieldLines(heads.map(({ title }, i) => [title, row[i]] as const))
      .split("\n")
      .map((line) => indent + line),
  ]);
}

const MARK_LOOKS: Readonly<Record<string, ViewLook>> = {
  "✓": "green",
  "✗": "red",
  "◆": "yellow",
  "▮": "yellow",
  "!": "yellow",
  "●": "cyan",
  "○": "dim",
  "–": "dim",
};

/** A mark of state at the beginning of a line or a cell. */
function colourMark(text: string, { style }: ViewSurface): string {
  const [, before = "", mark = "", after = ""] = /^(\s*)([✓✗◆▮!●○–])((?:\s.*)?)$/u.exec(text) ?? [];
  const look = MARK_LOOKS[mark];
  return look === undefined ? text : before + style(look, mark) + after;
}
