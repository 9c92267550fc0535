/** Tasks on a terminal. */

import type { z } from "zod";
import { moreLine } from "../../kernel/operation/rendering.ts";
import { shortId, shortIds } from "../../kernel/operation/short-ids.ts";
import { taskMark } from "../../kernel/operation/state-marks.ts";
import {
  blocks,
  fieldLines,
  manyLines,
  section,
  table,
} from "../../kernel/operation/terminal-text.ts";
import { timeAgo } from "../../kernel/operation/terminal-time.ts";
import type { nextTask, taskDetail, taskList, taskShape } from "./task-shape.ts";

type Summary = z.output<typeof taskList>["items"][number];

export function renderTaskList({ items, nextCursor, asOf }: z.output<typeof taskList>): string {
  if (items.length === 0)
    return "No tasks to show. Add one with `task add TITLE`, or see finished ones with `--closed`.";
  return blocks(taskTable(items, asOf), moreLine(nextCursor));
}

export function renderTask(detail: z.output<typeof taskDetail>): string {
  const { task, children, mayBecome, asOf } = detail;
  return blocks(
    taskBody(task, asOf, detail.createdByName),
    section("Parts", children.length === 0 ? "" : taskTable(children, asOf)),
    mayBecome.length === 0 ? "It is final." : `It may become ${mayBecome.join(", ")}.`,
  );
}

export function renderNextTask({ task, asOf }: z.output<typeof nextTask>): string {
  if (task === undefined)
    return "Nothing is waiting for you. `task list --closed` shows what was done, `task add TITLE` adds work.";
  return blocks(taskBody(task, asOf), `Begin it with \`task start ${shortId(task.id)}\`.`);
}

export function taskLine({ id, title, status }: Pick<Summary, "id" | "title" | "status">): string {
  return `task ${shortId(id)} "${title}", ${status.replace("_", " ")}`;
}

function taskTable(tasks: readonly Summary[], asOf: number): string {
  const short = shortIds(tasks.map(({ id }) => id));
  const columns = [
    { title: "ID", width: 36 },
    { title: "STATUS" },
    { title: "URGENCY" },
    { title: "TITLE", width: 56 },
    { title: "PROJECT", width: 20, isSpare: true },
    { title: "WHO", width: 16 },
    { title: "MADE", isSpare: true },
  ];
  const rows = tasks.map((task) => [
    short(task.id),
    taskMark(task.status),
    task.urgency === "normal" ? "" : task.urgency,
    titleWithFlags(task),
    task.projectName,
    task.assigneeName,
    timeAgo(task.createdAt, asOf),
  ]);
  return table(columns, rows);
}

function titleWithFlags({ title, hasBlocker, hasOpenLoop, isInactive }: Summary): string {
  const flags = [
    hasBlocker ? "[blocker]" : "",
    hasOpenLoop ? "[open loop]" : "",
    isInactive ? "(archived)" : "",
  ];
  return [...flags.filter(Boolean), title].join(" ");
}

function taskBody(task: z.output<typeof taskShape>, asOf: number, madeBy?: string): string {
  return blocks(
    `${taskMark(task.status)}  ${titleWithFlags(task)}`,
    fieldLines([
      ["id", task.id],
      ["urgency", task.urgency],
      ["project", task.projectName ?? task.projectId],
      ["assigned to", task.assigneeName ?? task.assigneeId ?? "nobody"],
      ["part of", task.parentId],
      ["run", task.runId === undefined ? undefined : `${task.runId} ${task.stage ?? ""}`.trim()],
      ["tags", task.tags.join(", ")],
      ["on hold", task.holdReason],
      ["confidence", task.confidence?.toString()],
      ["drawn from", task.source && `${task.source.type} ${task.source.id}`],
      ["made", `${timeAgo(task.createdAt, asOf)}${madeBy === undefined ? "" : ` by ${madeBy}`}`],
      ["changed", `${timeAgo(task.updatedAt, asOf)}, version ${task.version}`],
    ]),
    section("Summary", manyLines(task.summary ?? "")),
    section("Description", manyLines(task.description ?? "")),
    section("For an agent", manyLines(task.extraPrompt ?? "")),
    section("Input", jsonText(task.input)),
    section("Output", jsonText(task.output)),
    section("More", jsonText(task.additionalInfo)),
    section("Quote", manyLines(task.source?.quote ?? "")),
  );
}

function jsonText(value: unknown): string {
  return value === undefined ? "" : manyLines(JSON.stringify(value, null, 2));
}
