/** Runs on a terminal. */

import type { z } from "zod";
import { moreLine } from "../../kernel/operation/rendering.ts";
import { shortId, shortIds } from "../../kernel/operation/short-ids.ts";
import { runMark } from "../../kernel/operation/state-marks.ts";
import {
  blocks,
  clip,
  count,
  fieldLines,
  groupDigits,
  manyLines,
  money,
  oneLine,
  section,
  table,
} from "../../kernel/operation/terminal-text.ts";
import { spanText, timeAgo } from "../../kernel/operation/terminal-time.ts";
import { eventText } from "./event-text.ts";
import type { eventList, runDetail, runList, runSummary } from "./run-shape.ts";

type Summary = z.output<typeof runSummary>;

export function renderRunList({ items, nextCursor, asOf }: z.output<typeof runList>): string {
  if (items.length === 0)
    return 'No runs to show. Start one, for example with `ask "What should we do next?"`.';
  const short = shortIds(items.map(({ id }) => id));
  const columns = [
    { title: "ID", width: 36 },
    { title: "STATE" },
    { title: "METHOD", isSpare: true },
    { title: "TITLE", width: 50 },
    { title: "PROJECT", width: 20 },
    { title: "TURNS", align: "right" as const, isSpare: true },
    { title: "COST", align: "right" as const },
    { title: "BEGUN" },
    { title: "" },
  ];
  const rows = items.map((run) => [
    short(run.id),
    runMark(run.state),
    run.method,
    run.title,
    run.projectName,
    groupDigits(run.turns),
    costText(run),
    timeAgo(run.createdAt, asOf),
    run.openWaits > 0 ? `${run.openWaits} in the inbox` : run.isArchived ? "archived" : "",
  ]);
  return blocks(table(columns, rows), moreLine(nextCursor));
}

export function renderRun(detail: z.output<typeof runDetail>): string {
  const { run, steps, waits, children, childRuns, asOf } = detail;
  const began = run.startedAt ?? run.createdAt;
  return blocks(
    `${runMark(run.state)}  ${oneLine(run.title)}${run.isArchived ? " (archived)" : ""}`,
    run.reason &&
      `${run.reason.message}${run.reason.hint === undefined ? "" : `\n${run.reason.hint}`}`,
    fieldLines([
      ["id", run.id],
      ["method", run.method],
      ["project", run.projectName ?? run.projectId],
      ["started by", `${run.startedByName ?? run.startedBy}, ${timeAgo(run.createdAt, asOf)}`],
      ["took", spanText((run.finishedAt ?? asOf) - began)],
      ["part of", run.parentRunId],
      ["used", usedText(run)],
      ["limits", limitsText(run.limits)],
      ["left", `${count(detail.exchanges, "exchange")}, ${count(detail.artifacts, "artifact")}`],
    ]),
    section("Steps", steps.length === 0 ? "" : stepTable(steps)),
    section(
      "Waits for",
      [
        ...waits.map(
          ({ id, title }) => `${shortId(id)}  ${oneLine(title)}  (\`inbox show ${shortId(id)}\`)`,
        ),
        ...andMore(run.openWaits - waits.length, "`inbox list` shows all"),
      ].join("\n"),
    ),
    section(
      "Runs below it",
      [
        ...children.map(
          ({ id, title, state }) => `${shortId(id)}  ${runMark(state)}  ${clip(title, 60)}`,
        ),
        ...andMore(
          childRuns - children.length,
          `\`run list --parent ${shortId(run.id)}\` shows all`,
        ),
      ].join("\n"),
    ),
    section(
      "Result",
      run.result === undefined ? "" : manyLines(JSON.stringify(run.result, null, 2)),
    ),
  );
}

function andMore(left: number, where: string): readonly string[] {
  return left > 0 ? [`and ${groupDigits(left)} more: ${where}`] : [];
}

export function renderEvents({ items, nextCursor, asOf }: z.output<typeof eventList>): string {
  if (items.length === 0) return "Nothing has happened yet.";
  const columns = [
    { title: "WHEN" },
    { title: "#", align: "right" as const },
    { title: "WHAT", width: 28 },
    { title: "BY", width: 18 },
    { title: "DETAILS", width: 110 },
  ];
  const rows = items.map((event) => [
    timeAgo(event.at, asOf),
    String(event.seq),
    event.type,
    event.actorName ?? event.actor,
    eventText(event.data),
  ]);
  return blocks(table(columns, rows), moreLine(nextCursor));
}

export function costText({ costMicroUsd, hasUnknownCost, turns }: Summary): string {
  if (turns === 0) return "";
  if (!hasUnknownCost) return money(costMicroUsd);
  return costMicroUsd === 0 ? "unknown" : `${money(costMicroUsd)} + unknown`;
}

function usedText(run: Summary): string {
  const tokens = `${groupDigits(run.inputTokens)} tokens in, ${groupDigits(run.outputTokens)} out`;
  return [count(run.turns, "turn"), tokens, costText(run)].filter(Boolean).join(", ");
}

function limitsText(limits: z.output<typeof runDetail>["run"]["limits"]): string {
  const { turns, jobs, tokens, costMicroUsd, wallMs } = limits;
  return [
    `${groupDigits(turns)} turns`,
    `${groupDigits(jobs)} jobs`,
    tokens === undefined ? "" : `${groupDigits(tokens)} tokens`,
    costMicroUsd === undefined ? "" : money(costMicroUsd),
    wallMs === undefined ? "" : spanText(wallMs),
  ]
    .filter(Boolean)
    .join(", ");
}

function stepTable(steps: z.output<typeof runDetail>["steps"]): string {
  const columns = [
    { title: "", width: 2 },
    { title: "STEP", width: 40 },
    { title: "DONE", align: "right" as const },
    { title: "NOW", width: 40 },
    { title: "WHY", width: 60 },
  ];
  const rows = steps.map((step) => [
    stepMark(step),
    step.step,
    `${step.done}/${step.total}`,
    [
      step.active > 0 ? `${step.active} under way` : "",
      step.held > 0 ? `${step.held} held` : "",
      step.failed > 0 ? `${step.failed} failed` : "",
      step.cancelled > 0 ? `${step.cancelled} cancelled` : "",
    ]
      .filter(Boolean)
      .join(", "),
    step.held + step.failed > 0 ? step.lastFailure : "",
  ]);
  return table(columns, rows);
}

function stepMark({
  held,
  failed,
  active,
  done,
  total,
}: z.output<typeof runDetail>["steps"][number]) {
  const state =
    held > 0
      ? "held"
      : active > 0
        ? "running"
        : failed > 0
          ? "failed"
          : done === total
            ? "completed"
            : "cancelled";
  return runMark(state).slice(0, 1);
}
