/** Schedules as operations take and give them. */

import { z } from "zod";
import { asOfField, pageOf } from "../../../kernel/operation/operation-fields.ts";
import type { DatabaseWork } from "../../../kernel/store/database-work.ts";
import { showStarters, starterName, starterShape } from "./starter-shape.ts";
import type { ScheduleTable } from "./starter-tables.ts";

export const scheduleField = z
  .string()
  .min(1)
  .max(100)
  .describe("A schedule: its name, its id or a unique beginning of it.");

export const scheduleFields = {
  name: starterName,
  cron: z
    .string()
    .trim()
    .min(1)
    .max(200)
    .describe(
      "Minute, hour, day of the month, month, day of the week, such as `30 7 * * mon-fri`; or @hourly, @daily, @weekly, @monthly.",
    ),
  timeZone: z
    .string()
    .trim()
    .min(1)
    .max(100)
    .describe("Whose clocks it goes by, such as Europe/Berlin; UTC unless given."),
  skipBusy: z
    .boolean()
    .describe("Let a time pass unused while the run before is still going or waiting."),
};

export const scheduleShape = starterShape.extend({
  cron: z.string(),
  timeZone: z.string(),
  skipBusy: z.boolean(),
  nextAt: z.number().optional().describe("When it is due next; absent while paused."),
  lastDueAt: z.number().optional(),
  lastOutcome: z.enum(["started", "skipped", "failed"]).optional(),
  lastRunId: z.string().optional(),
  lastNote: z.string().optional().describe("Why nothing was started, or how many were missed."),
});

export const scheduleList = pageOf(scheduleShape);

export const scheduleDetail = scheduleShape.extend({
  upcoming: z.array(z.number()).readonly().describe("The next times, while it is not paused."),
  asOf: asOfField,
});

export function* showSchedules(
  rows: readonly ScheduleTable[],
): DatabaseWork<z.input<typeof scheduleShape>[]> {
  return (yield* showStarters(rows)).map(({ row, ...shown }) => ({
    ...shown,
    cron: row.cron,
    timeZone: row.time_zone,
    skipBusy: row.skips_busy === 1,
    nextAt: row.due_at ?? undefined,
    lastDueAt: row.last_due_at ?? undefined,
    lastOutcome: row.last_outcome ?? undefined,
    lastRunId: row.last_run_id ?? undefined,
    lastNote: row.last_note ?? undefined,
  }));
}
