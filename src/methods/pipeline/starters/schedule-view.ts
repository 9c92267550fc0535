/** Schedules on a terminal. Times are shown as clocks of their own place show them. */

import type { z } from "zod";
import { moreLine } from "../../../kernel/operation/rendering.ts";
import { shortId, shortIds } from "../../../kernel/operation/short-ids.ts";
import { doneLine } from "../../../kernel/operation/state-marks.ts";
import {
  blocks,
  fieldLines,
  manyLines,
  oneLine,
  section,
  table,
} from "../../../kernel/operation/terminal-text.ts";
import { timeAgo } from "../../../kernel/operation/terminal-time.ts";
import type { scheduleDetail, scheduleList, scheduleShape } from "./schedule-shape.ts";
import { localText } from "./time-zone.ts";

type Shown = z.output<typeof scheduleShape>;

export function renderSchedules({
  items,
  nextCursor,
  asOf,
}: z.output<typeof scheduleList>): string {
  if (items.length === 0)
    return "No schedules. Add one with `schedule add WORKFLOW '30 7 * * mon-fri'`.";
  const short = shortIds(items.map(({ id }) => id));
  const columns = [
    { title: "ID", width: 36 },
    { title: "NAME", width: 30 },
    { title: "STARTS", width: 30, isSpare: true },
    { title: "WHEN", width: 24, isSpare: true },
    { title: "NEXT" },
    { title: "IN" },
    { title: "LAST", width: 50, isSpare: true },
  ];
  const rows = items.map((schedule) => [
    short(schedule.id),
    schedule.name,
    schedule.workflow === schedule.name ? "" : schedule.workflow,
    schedule.cron,
    nextText(schedule),
    schedule.nextAt === undefined ? "" : farText(schedule.nextAt, asOf).replace(/^in /, ""),
    lastText(schedule, asOf),
  ]);
  return blocks(table(columns, rows), moreLine(nextCursor));
}

export function renderSchedule(schedule: z.output<typeof scheduleDetail>): string {
  const { id, name, asOf, timeZone, upcoming, input, lastRunId } = schedule;
  return blocks(
    `${schedule.isEnabled ? "○ due" : "▮ paused"}  ${oneLine(name)}`,
    fieldLines([
      ["id", id],
      ["starts", `${oneLine(schedule.workflow)}${versionText(schedule)}`],
      ["when", `${schedule.cron}, in ${timeZone}`],
      ["while busy", schedule.skipBusy ? "skips" : "starts another"],
      ["project", schedule.projectName ?? schedule.projectId],
      ["acts as", schedule.runsAsName ?? schedule.runsAs],
      ["model", schedule.model],
      ["last", lastText(schedule, asOf)],
      ["last run", lastRunId === undefined ? undefined : shortId(lastRunId)],
      ["changed", `${timeAgo(schedule.updatedAt, asOf)}, version ${schedule.version}`],
    ]),
    section(
      "Next",
      upcoming.map((at) => `${localText(timeZone, at)}  ${farText(at, asOf)}`.trimEnd()).join("\n"),
    ),
    section("Input", hasInput(input) ? manyLines(JSON.stringify(input, null, 2)) : undefined),
  );
}

export function changedLine(verb: string, schedule: Shown): string {
  const { id, name, nextAt } = schedule;
  const next = nextAt === undefined ? "It is paused." : `Next: ${nextText(schedule)}.`;
  return doneLine(`${verb} schedule ${shortId(id)} "${oneLine(name)}". ${next}`);
}

function nextText({ nextAt, timeZone }: Shown): string {
  return nextAt === undefined ? "paused" : `${localText(timeZone, nextAt)} ${timeZone}`;
}

function lastText({ lastDueAt, lastOutcome, lastNote }: Shown, asOf: number): string {
  if (lastDueAt === undefined) return "";
  const note = lastNote === undefined ? "" : `: ${oneLine(lastNote)}`;
  return `${lastOutcome ?? ""} ${timeAgo(lastDueAt, asOf)}${note}`;
}

/** Only where it is near: a date stands there already. */
function farText(at: number, asOf: number): string {
  const text = timeAgo(at, asOf);
  return text.startsWith("in ") ? text : "";
}

function versionText({ workflowVersion }: Shown): string {
  return workflowVersion === undefined ? "" : `, version ${workflowVersion}`;
}

function hasInput(input: unknown): boolean {
  return Object.keys(Object(input) as object).length > 0;
}
