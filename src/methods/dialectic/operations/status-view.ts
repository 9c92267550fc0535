/** A dialectic on a terminal. */

import { shortId } from "../../../kernel/operation/short-ids.ts";
import { runMark } from "../../../kernel/operation/state-marks.ts";
import {
  blocks,
  clip,
  count,
  fieldLines,
  groupDigits,
  money,
  oneLine,
  table,
} from "../../../kernel/operation/terminal-text.ts";
import { spanText } from "../../../kernel/operation/terminal-time.ts";
import type { RunState } from "../../../kernel/store/engine-tables.ts";
import type { Status } from "./session-status.ts";

const MARKS: Readonly<
  Record<Status["stages"][number]["steps"][number]["cells"][number]["state"], string>
> = {
  ahead: "·",
  queued: "○",
  working: "●",
  held: "▮",
  complete: "✓",
  partial: "◐",
  stale: "~",
};

export function renderStatus(status: Status): string {
  const { title, state, startedAt, finishedAt, asOf, reason, slots, use } = status;
  const took = startedAt === undefined ? "" : `  ${spanText((finishedAt ?? asOf) - startedAt)}`;
  const cost = use.hasUnknownCost
    ? `${money(use.costMicroUsd)} and what has no known price`
    : money(use.costMicroUsd);
  return blocks(
    `${runMark(state as RunState)}  ${oneLine(title)}${took}`,
    state === "held" || state === "failed" || state === "paused"
      ? reason && oneLine(reason)
      : undefined,
    fieldLines([
      ["Id", shortId(status.runId)],
      ["Domain", status.domainTitle],
      ["Slots", slots.map(({ n, model }) => `${n} ${model}`).join(", ")],
      ["Iteration", String(status.iteration)],
      [
        "Used",
        `${count(use.turns, "call")}, ${groupDigits(use.inputTokens)} + ${groupDigits(use.outputTokens)} tokens, ${cost}`,
      ],
    ]),
    ...status.stages.map((stage) => stageText(stage, stage.key === status.stage)),
    notes(status),
  );
}

const WIDEST = 44;

function stageText(stage: Status["stages"][number], isCurrent: boolean): string {
  const head = `${stage.title} (${stage.key})  ${stage.done}/${stage.total}`;
  const isUntouched = stage.state === "ahead" && stage.done === 0;
  if (isUntouched && !isCurrent) return `${head}  ahead`;
  const rows = stage.steps.map(({ title, documentKey, done, total, cells }) => [
    `  ${title}`,
    documentKey,
    cells.length > WIDEST ? summary(cells) : cells.map(({ state }) => MARKS[state]).join(""),
    `${done}/${total}`,
  ]);
  const columns = [
    { title: head, width: 48 },
    { title: "KEY", width: 36 },
    { title: "SLOTS", width: WIDEST },
    { title: "", align: "right" as const },
  ];
  return table(columns, rows);
}

function summary(cells: Status["stages"][number]["steps"][number]["cells"]): string {
  const states = Object.entries(Object.groupBy(cells, ({ state }) => state));
  return states.map(([state, list]) => `${list?.length ?? 0} ${state}`).join(", ");
}

function notes(status: Status): string | undefined {
  const { stale, partial, openFeedback, gate, stages, runId } = status;
  const held = stages
    .flatMap(({ steps }) => steps.flatMap(({ cells }) => cells))
    .filter(({ state }) => state === "held").length;
  const lines = [
    gate === undefined ? undefined : `◆ ${clip(gate.reason, 150)}\n  ${wayOn(status)}`,
    held === 0
      ? undefined
      : `▮ ${count(held, "document")} could not be had: \`inbox list\` says why, \`dialectic retry\` tries again.`,
    stale === 0
      ? undefined
      : `~ ${count(stale, "document")} stale: \`dialectic run --stale\` makes them again.`,
    partial === 0 ? undefined : `◐ ${count(partial, "document")} with gaps.`,
    openFeedback === 0
      ? undefined
      : `${count(openFeedback, "open remark")}: \`dialectic feedback ${shortId(runId)}\` lists them.`,
  ].filter((line) => line !== undefined);
  return lines.length === 0 ? undefined : lines.join("\n");
}

/** The command, and what it will take. */
function wayOn({ gate, stage, stages, runId }: Status): string {
  if (gate?.answers.includes("next") !== true)
    return "`dialectic next --finish`, or `dialectic next --iterate`";
  const next = stages[stages.findIndex(({ key }) => key === stage) + 1];
  const takes = next === undefined ? "" : ` takes ${count(next.total, "call")}`;
  return `\`dialectic next\`${takes}; \`dialectic estimate ${shortId(runId)}\` says what it may cost`;
}
