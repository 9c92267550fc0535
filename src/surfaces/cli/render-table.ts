/** Rows under headings, as wide as the terminal allows; what does not fit even when cut is shown row by row. */

import { isId } from "../../kernel/base/ids.ts";
import { humanValue } from "./human-value.ts";
import type { Style } from "./style.ts";
import { cutToWidth, padEnd, padStart, textWidth } from "./text-width.ts";

type Row = Readonly<Record<string, unknown>>;

const GAP = 2;
const NARROWEST = 8;

/** `columns` is Infinity where nothing may be cut, e.g. in a pipe. */
export function renderTable(rows: readonly Row[], columns: number, style: Style): string {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const cells = rows.map((row) => names.map((name) => humanValue(name, row[name])));
  const natural = names.map((name, i) =>
    Math.max(textWidth(name), ...cells.map((line) => textWidth(line[i] ?? ""))),
  );
  const isFirm = names.map((_, i) => cells.every((line) => isId(line[i] ?? "")));
  const widths = fitWidths(natural, isFirm, columns);
  if (widths === undefined) return renderRecords(rows, style);
  const isNumeric = names.map((name) => rows.every((row) => typeof row[name] === "number"));
  const line = (texts: readonly string[]) =>
    texts
      .map((text, i) => {
        const width = widths[i] ?? 0;
        const cut = cutToWidth(text, width);
        return isNumeric[i] ? padStart(cut, width) : padEnd(cut, width);
      })
      .join(" ".repeat(GAP))
      .trimEnd();
  return [style("bold", line(names)), ...cells.map(line)].join("\n");
}

export function renderFields(fields: Row, style: Style): string {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined);
  const width = Math.max(0, ...entries.map(([name]) => textWidth(name)));
  return entries
    .map(([name, value]) => `${style("bold", padEnd(name, width))}  ${humanValue(name, value)}`)
    .join("\n");
}

function renderRecords(rows: readonly Row[], style: Style): string {
  return rows.map((row) => renderFields(row, style)).join("\n\n");
}

/** Takes from the widest column until all fit; ids are cut last, since half an id is of little use. */
function fitWidths(
  natural: readonly number[],
  isFirm: readonly boolean[],
  columns: number,
): readonly number[] | undefined {
  const widths = natural.map((width) => Math.min(width, columns));
  let excess = widths.reduce((sum, width) => sum + width, GAP * (widths.length - 1)) - columns;
  for (const mayCutFirm of [false, true]) {
    while (excess > 0) {
      const widest = widths.reduce((best, width, i) => {
        const mayShrink = width > NARROWEST && (mayCutFirm || !isFirm[i]);
        return mayShrink && width > (widths[best] ?? 0) ? i : best;
      }, -1);
      if (widest < 0) break;
      widths[widest] = (widths[widest] ?? 0) - 1;
      excess -= 1;
    }
  }
  return excess <= 0 ? widths : undefined;
}
