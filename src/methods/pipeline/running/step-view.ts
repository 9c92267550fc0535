/** A run's steps on a terminal. */

import type { z } from "zod";
import { runMark, taskMark } from "../../../kernel/operation/state-marks.ts";
import { blocks, clip, count, oneLine, table } from "../../../kernel/operation/terminal-text.ts";
import { spanText } from "../../../kernel/operation/terminal-time.ts";
import type { RunState } from "../../../kernel/store/engine-tables.ts";
import type { TaskStatus } from "../../../kernel/store/noun-tables.ts";
import type { outlineShape, stepShape } from "./step-shape.ts";

type Outline = z.output<typeof outlineShape>;
type Step = z.output<typeof stepShape>;

export function renderOutline(outline: Outline): string {
  const { name, state, reason, steps, startedAt, finishedAt, asOf } = outline;
  const took = startedAt === undefined ? "" : `  ${spanText((finishedAt ?? asOf) - startedAt)}`;
  const columns = [
    { title: "STEP", width: 12 },
    { title: "NAME", width: 34 },
    { title: "STATE" },
    { title: "TASKS", align: "right" as const },
    { title: "", width: 60 },
  ];
  const rows = steps
    .filter(({ type }) => type !== "decision")
    .map((step) => [step.id, step.name, markOf(step), tasksOf(step), noteOf(step)]);
  return blocks(
    `${runMark(state as RunState)}  ${oneLine(name)}${took}`,
    reason === undefined ? undefined : oneLine(reason),
    table(columns, rows),
    hintFor(outline),
  );
}

function markOf({ counts, status }: Step): string {
  const busiest = BUSIEST.find((each) => (counts[each] ?? 0) > 0) ?? status;
  return busiest === undefined ? "·" : taskMark(busiest);
}

/** What is going on matters more than what is over. */
const BUSIEST: readonly TaskStatus[] = [
  "in_progress",
  "on_hold",
  "failed",
  "waiting",
  "pending",
  "completed",
  "cancelled",
];

function tasksOf({ counts, items }: Step): string {
  const over = (counts.completed ?? 0) + (counts.failed ?? 0) + (counts.cancelled ?? 0);
  const all = Object.values(counts).reduce<number>((sum, each) => sum + (each ?? 0), 0);
  if (all === 0 && items === undefined) return "";
  return items === undefined ? `${over}/${all}` : `${over}/${Math.max(all, items.total)}`;
}

function noteOf({ counts, status, reason }: Step): string {
  if ((status === "on_hold" || status === "failed") && reason !== undefined)
    return clip(reason, 60);
  const parts = (["failed", "on_hold", "cancelled"] as const).flatMap((each) => {
    const amount = counts[each] ?? 0;
    return amount === 0 ? [] : [`${amount} ${each.replace("_", " ")}`];
  });
  return parts.join(", ");
}

function hintFor({ state, runId, steps }: Outline): string | undefined {
  const held = steps.reduce((sum, { counts }) => sum + (counts.on_hold ?? 0), 0);
  if (held > 0) return `${count(held, "step")} on hold: \`inbox list\` says what is asked.`;
  if (state === "waiting") return "What it waits for stands in `inbox list`.";
  if (state === "failed") return `\`step retry ${runId}\` does the failed steps again.`;
  return undefined;
}
