/** The report as Markdown, aligned so that it also reads well in a terminal. */

import { SHAPES, type Shape } from "./subject.ts";
import { type Baseline, type Row, ratio } from "./summary.ts";
import type { Verdict } from "./targets.ts";

const NOT_MEASURED = "–";
const shapeNames = SHAPES.map(({ name }) => name);

/** Steps per second, then what they cost in memory and syncs. */
export function speedTable(rows: readonly Row[]): string {
  return table(
    ["steps/s", ...shapeNames, "RSS MB", ...shapeNames.map((name) => `fsyncs/1000 ${name}`)],
    rows.map((row) => [
      row.peer,
      ...shapeNames.map((name) => whole(row.shapes[name]?.stepsPerSecond)),
      whole(row.rssMb),
      ...shapeNames.map((name) => whole(row.shapes[name]?.fsyncsPer1000Steps)),
    ]),
  );
}

/** Each embedded row as a multiple of LangGraph, each PostgreSQL row of the best peer there. */
export function ratioTable(rows: readonly Row[]): string {
  const baselineOf = ({ storage }: Row): Baseline =>
    storage === "sqlite" ? "langgraph" : "the best PostgreSQL peer";
  return table(
    ["ratio", ...shapeNames, "to"],
    rows.map((row) => [
      row.peer,
      ...shapeNames.map((name: Shape["name"]) =>
        times(ratio(rows, row.peer, name, baselineOf(row))),
      ),
      baselineOf(row),
    ]),
  );
}

export function verdictTable(verdicts: readonly Verdict[]): string {
  return table(
    ["target", "shape", "wanted", "found", ""],
    verdicts.map(({ peer, shape, target, found, met }) => [
      peer,
      shape,
      target,
      found === undefined ? NOT_MEASURED : found.toFixed(2),
      met === undefined ? "not measured" : met ? "met" : "MISSED",
    ]),
  );
}

function whole(value: number | undefined): string {
  return value === undefined ? NOT_MEASURED : value.toFixed(0);
}

function times(value: number | undefined): string {
  return value === undefined ? NOT_MEASURED : `${value.toFixed(2)}×`;
}

function table(head: readonly string[], body: readonly (readonly string[])[]): string {
  const lines = [head, ...body];
  const widths = head.map((_, column) =>
    Math.max(...lines.map((line) => line[column]?.length ?? 0)),
  );
  const render = (cells: readonly string[]) =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(" | ")} |`;
  const rule = `|${widths.map((width) => "-".repeat(width + 2)).join("|")}|`;
  return [render(head), rule, ...body.map(render)].join("\n");
}
