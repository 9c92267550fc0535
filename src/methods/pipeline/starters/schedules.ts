/** Schedules as rows. When each is due next stands in its row, so that no restart forgets it. */

import { ProductError } from "../../../kernel/base/errors.ts";
import {
  type Act,
  checkVersion,
  deleteAudited,
  getForChange,
  insertAudited,
  updateAudited,
} from "../../../kernel/store/audited-rows.ts";
import { type DatabaseWork, queryFirst } from "../../../kernel/store/database-work.ts";
import { nextDue, parseCron } from "./cron.ts";
import type { ChosenWorkflow } from "./started-workflow.ts";
import { SCHEDULES } from "./starter-migration.ts";
import { type ScheduleTable, starters } from "./starter-tables.ts";
import { checkZone } from "./time-zone.ts";

export interface ScheduleTimes {
  readonly cron: string;
  readonly time_zone: string;
}

export interface NewSchedule extends ChosenWorkflow, ScheduleTimes {
  readonly id: string;
  readonly name: string;
  readonly skips_busy: number;
}

export function* insertSchedule(schedule: NewSchedule, act: Act): DatabaseWork<ScheduleTable> {
  const row = {
    ...schedule,
    ...checkTimes(schedule, act.now),
    is_enabled: 1,
    last_due_at: null,
    last_outcome: null,
    last_run_id: null,
    last_note: null,
    created_by: act.actor,
    version: 1,
    created_at: act.now,
    updated_at: act.now,
  };
  return yield* insertAudited(SCHEDULES, row, act, { projectId: row.project_id });
}

export type SchedulePatch = Partial<Omit<NewSchedule, "id">>;

/** Other times count from now on. */
export function* updateSchedule(
  id: string,
  patch: SchedulePatch,
  act: Act,
  expectedVersion?: number,
): DatabaseWork<ScheduleTable> {
  const before = yield* getForChange(SCHEDULES, id);
  const { cron = before.cron, time_zone = before.time_zone } = patch;
  const isMoved = cron !== before.cron || time_zone !== before.time_zone;
  const { due_at, ...times } = isMoved ? checkTimes({ cron, time_zone }, act.now) : before;
  const due = before.is_enabled === 1 ? { due_at } : {};
  return yield* change(before, { ...patch, ...pickTimes(times), ...due }, act, { expectedVersion });
}

/** Times that pass meanwhile are not made up for. */
export function* setScheduleEnabled(
  id: string,
  isEnabled: boolean,
  act: Act,
  expectedVersion?: number,
): DatabaseWork<ScheduleTable> {
  const before = yield* getForChange(SCHEDULES, id);
  const verb = isEnabled ? "resumed" : "paused";
  if ((before.is_enabled === 1) === isEnabled) {
    checkVersion("schedule", before, expectedVersion);
    return before;
  }
  const due_at = isEnabled ? checkTimes(before, act.now).due_at : null;
  const cells = { is_enabled: isEnabled ? 1 : 0, due_at };
  return yield* change(before, cells, act, { verb, expectedVersion });
}

export function* deleteSchedule(
  id: string,
  act: Act,
  expectedVersion?: number,
): DatabaseWork<void> {
  const before = yield* getForChange(SCHEDULES, id);
  checkVersion("schedule", before, expectedVersion);
  yield* deleteAudited(SCHEDULES, before, act, { projectId: before.project_id });
}

export function* findSchedule(id: string): DatabaseWork<ScheduleTable | undefined> {
  return yield* queryFirst(starters.selectFrom("schedule").selectAll().where("id", "=", id));
}

/** The next times, as many as are wanted and there are. */
export function upcoming(times: ScheduleTimes, after: number, wanted: number): readonly number[] {
  const cron = parseCron(times.cron);
  const found: number[] = [];
  for (let last: number | undefined = after; last !== undefined && found.length < wanted; ) {
    last = nextDue(cron, times.time_zone, last);
    if (last !== undefined) found.push(last);
  }
  return found;
}

function checkTimes(
  { cron, time_zone }: ScheduleTimes,
  now: number,
): ScheduleTimes & { readonly due_at: number } {
  const zone = checkZone(time_zone);
  const [due_at] = upcoming({ cron, time_zone: zone }, now, 1);
  if (due_at !== undefined) return { cron, time_zone: zone, due_at };
  throw new ProductError("schedule_never_due", `"${cron}" names days that never come.`, {
    hint: "Such as the 30th of February. Change the day or the month.",
  });
}

function pickTimes({ cron, time_zone }: ScheduleTimes): ScheduleTimes {
  return { cron, time_zone };
}

function* change(
  before: ScheduleTable,
  cells: Partial<ScheduleTable>,
  act: Act,
  { verb, expectedVersion }: { verb?: string; expectedVersion: number | undefined },
): DatabaseWork<ScheduleTable> {
  checkVersion("schedule", before, expectedVersion);
  const projectId = cells.project_id === undefined ? before.project_id : cells.project_id;
  return yield* updateAudited(SCHEDULES, before, cells, act, { projectId, verb });
}
