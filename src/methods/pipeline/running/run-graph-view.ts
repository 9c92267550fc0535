/** A run's ways, and two runs side by side, on a terminal. */

import type { z } from "zod";
import { shortId } from "../../../kernel/operation/short-ids.ts";
import { runMark, taskMark } from "../../../kernel/operation/state-marks.ts";
import {
  blocks,
  clip,
  count,
  indent,
  oneLine,
  section,
  table,
} from "../../../kernel/operation/terminal-text.ts";
import { spanText } from "../../../kernel/operation/terminal-time.ts";
import type { RunState } from "../../../kernel/store/engine-tables.ts";
import type { comparisonShape, runGraphShape } from "./run-graph-shape.ts";

type Graph = z.output<typeof runGraphShape>;
type Comparison = z.output<typeof comparisonShape>;

export function renderRunGraph(graph: Graph): string {
  const { name, state, passes, pass, steps, edges } = graph;
  const round = passes === 1 ? "" : `, pass ${pass} of ${passes}`;
  const lines = steps.map(({ id, name: title, status }) => {
    const ways = edges
      .filter(({ source }) => source === id)
      .map(({ target, when, taken }) => {
        const how = when === undefined ? "" : ` ${clip(when, 50)}`;
        return `${taken > 0 ? "═▶" : "─▷"} ${target}${how}${taken > 1 ? ` (${taken} times)` : ""}`;
      });
    const mark = status === undefined ? "·" : taskMark(status);
    return [`${mark}  ${id}  ${oneLine(title)}`, ...ways.map((way) => indent(way))].join("\n");
  });
  return blocks(`${runMark(state as RunState)}  ${oneLine(name)}${round}`, lines.join("\n"));
}

export function renderComparison({ runs, steps }: Comparison): string {
  const heads = runs.map(({ runId, state, startedAt, finishedAt, costMicroUsd, turns }) => [
    shortId(runId),
    runMark(state as RunState),
    startedAt === undefined || finishedAt === undefined ? "" : spanText(finishedAt - startedAt),
    count(turns, "call"),
    `$${(costMicroUsd / 1e6).toFixed(4)}`,
  ]);
  const columns = [
    { title: "RUN" },
    { title: "" },
    { title: "TOOK" },
    { title: "" },
    { title: "COST" },
  ];
  const differing = steps.filter(({ isSame }) => !isSame);
  return blocks(
    table(columns, heads),
    differing.length === 0 ? "Every step went the same way and came to the same." : undefined,
    ...differing.map(({ id, name, sides, differences, moreDifferences }) =>
      section(
        `${id}  ${oneLine(name)}: ${sides.map((side) => side?.status ?? "not there").join(" | ")}`,
        [
          ...differences.map(({ path, values }) => {
            const [one, other] = values.map((value) => clip(JSON.stringify(value ?? null), 50));
            return `${path === "" ? "output" : path}: ${one} | ${other}`;
          }),
          ...(moreDifferences > 0 ? [`and ${moreDifferences} more`] : []),
        ].join("\n"),
      ),
    ),
  );
}
