/**
 * Starts what is due. A schedule's row is locked, moved on to its next time and its run started in one commit, so
 * that each time counts once, whoever looks, and none is lost. Times that passed while nobody looked are made up for
 * by one run, which says how many there were.
 */

import { describeError, ProductError } from "../../../kernel/base/errors.ts";
import type { JsonObject } from "../../../kernel/base/json.ts";
import type { Kernel } from "../../../kernel/operation/kernel.ts";
import { isEnded } from "../../../kernel/run/run-state.ts";
import { findForChange, touchRow } from "../../../kernel/store/audited-rows.ts";
import { type DatabaseWork, query, queryFirst } from "../../../kernel/store/database-work.ts";
import { appendEvents, WORKSPACE_STREAM } from "../../../kernel/store/events.ts";
import { isStoreAway } from "../../../kernel/store/store-errors.ts";
import { nextDue, parseCron } from "./cron.ts";
import { inputWhenDue } from "./due-input.ts";
import { type StartTools, startFrom } from "./started-workflow.ts";
import { SCHEDULES } from "./starter-migration.ts";
import { type ScheduleTable, starters } from "./starter-tables.ts";

/** More are due again a moment later. */
const AT_ONCE = 50;
const MOST_COUNTED = 100;

/**
 * Gives how many runs were started. Failures stand in the schedule; unforeseen ones are thrown as well. A store that is
 * away is nobody's failure: it is thrown, and what was due stays due.
 */
export async function startDueSchedules(kernel: Kernel): Promise<number> {
  const due = await kernel.store.read(() => listDue(kernel.clock.now()));
  if (due.length === 0) return 0;
  const model = await kernel.models.defaultModel();
  const tools = { engine: kernel.engine, library: kernel.library, model };
  const troubles: unknown[] = [];
  let started = 0;
  for (const id of due) {
    const now = kernel.clock.now();
    try {
      if (await kernel.store.write(() => startIfDue(tools, id, now))) started += 1;
    } catch (error) {
      if (isStoreAway(error)) throw error;
      if (!(error instanceof ProductError)) troubles.push(error);
      const { message } = describeError(error);
      await kernel.store.write(() => noteFailure(id, message, now));
    }
  }
  if (started > 0) kernel.wake();
  else kernel.changes.notify();
  if (troubles.length > 0) throw new AggregateError(troubles, "Schedules could not be started.");
  return started;
}

function* listDue(now: number): DatabaseWork<readonly string[]> {
  const rows = yield* query(
    starters
      .selectFrom("schedule")
      .select("id")
      .where("due_at", "is not", null)
      .where("due_at", "<=", now)
      .orderBy("due_at")
      .limit(AT_ONCE),
  );
  return rows.map(({ id }) => id);
}

function* startIfDue(tools: StartTools, id: string, now: number): DatabaseWork<boolean> {
  const row = yield* lockDue(id, now);
  if (row === undefined) return false;
  if (row.skips_busy === 1 && (yield* isGoing(row.last_run_id))) {
    const note = "The run before was still going.";
    yield* moveOn(row, { last_outcome: "skipped", last_note: note }, now);
    return false;
  }
  const missed = countMissed(row, now);
  const input = inputWhenDue(JSON.parse(row.input) as JsonObject, row.due_at, row.time_zone);
  const runId = yield* startFrom(tools, row, input, now);
  const last_note = missed === 0 ? null : `${sayMissed(missed)} missed while nothing ran.`;
  yield* moveOn(row, { last_outcome: "started", last_run_id: runId, last_note }, now);
  yield* appendEvents(
    [
      {
        stream: row.project_id ?? WORKSPACE_STREAM,
        type: "schedule.started",
        projectId: row.project_id,
        actor: row.runs_as,
        data: { id, runId, dueAt: row.due_at, missed },
      },
    ],
    now,
  );
  return true;
}

type DueRow = ScheduleTable & { readonly due_at: number };

/** Others who looked at the same moment find it moved on. */
function* lockDue(id: string, now: number): DatabaseWork<DueRow | undefined> {
  const row = yield* findForChange(SCHEDULES, id);
  if (row === undefined || row.due_at === null || row.due_at > now) return undefined;
  return { ...row, due_at: row.due_at };
}

function* noteFailure(id: string, note: string, now: number): DatabaseWork<void> {
  const row = yield* lockDue(id, now);
  if (row !== undefined) yield* moveOn(row, { last_outcome: "failed", last_note: note }, now);
}

function* moveOn(row: DueRow, cells: Partial<ScheduleTable>, now: number): DatabaseWork<void> {
  const due_at = nextDue(parseCron(row.cron), row.time_zone, now);
  // Times were checked to come again; were a zone's rules changed so that they do not, it would rest for ever.
  if (due_at === undefined) throw new Error(`"${row.cron}" is never due again.`);
  yield* touchRow(SCHEDULES, row.id, { ...cells, due_at, last_due_at: row.due_at });
}

function* isGoing(runId: string | null): DatabaseWork<boolean> {
  if (runId === null) return false;
  const run = yield* queryFirst(starters.selectFrom("run").select("state").where("id", "=", runId));
  return run !== undefined && !isEnded(run.state);
}

function countMissed({ cron, time_zone, due_at }: DueRow, now: number): number {
  const times = parseCron(cron);
  let missed = 0;
  for (let at = nextDue(times, time_zone, due_at); at !== undefined && at <= now; ) {
    missed += 1;
    if (missed === MOST_COUNTED) break;
    at = nextDue(times, time_zone, at);
  }
  return missed;
}

function sayMissed(missed: number): string {
  if (missed === 1) return "One more time was";
  return missed === MOST_COUNTED ? `${missed} or more times were` : `${missed} more times were`;
}
