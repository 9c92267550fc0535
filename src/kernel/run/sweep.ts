/** What happens because time passes: leases run out, timers fire, deadlines answer, lost messages are sent again. */

import { describeError } from "../base/errors.ts";
import { type DatabaseWork, runSql } from "../store/database-work.ts";
import { sqlText } from "../store/sql-text.ts";
import type { Store } from "../store/store.ts";
import { isStoreAway } from "../store/store-errors.ts";
import { answerOverdue, listOverdue } from "./answer-wait.ts";
import { addKeptJob } from "./batches.ts";
import { closeEndedRuns } from "./end-runs.ts";
import {
  type EngineTools,
  type EngineTransaction,
  inEngineTransaction,
} from "./engine-transaction.ts";
import { listExpired, makeReady } from "./jobs.ts";
import { giveRoom } from "./lanes.ts";
import { changeState, lockFreeRuns, lockRuns, runEvent, writeRuns } from "./run-drafts.ts";
import { isEnded } from "./run-state.ts";
import { closeTimers, type KeptJob } from "./waits.ts";

const MOST_AT_ONCE = 500;

/** True when something was due. Looks first, so that an idle workspace is not written to. */
export async function sweep(
  tools: EngineTools,
  store: Store,
  now: number,
  takesOver: boolean,
): Promise<boolean> {
  const due = await store.read(() => findDue(now, takesOver));
  if (!due) return false;
  if (takesOver) await store.write(() => inEngineTransaction(tools, now, takeOverExpired));
  const timers = await store.read(() => listDueTimers(now));
  await each(tools, store, now, timers, fireTimers);
  const waits = await store.read(() => listOverdue(now));
  await each(tools, store, now, waits, answerOverdue);
  return true;
}

interface OfRun {
  readonly run_id: string;
}

/** All in one transaction; where that fails, one by one, and a run whose timer or wait cannot be acted on is failed. */
async function each<Due extends OfRun>(
  tools: EngineTools,
  store: Store,
  now: number,
  due: readonly Due[],
  act: (transaction: EngineTransaction, due: readonly Due[]) => DatabaseWork<void>,
): Promise<void> {
  if (due.length === 0) return;
  const write = (body: (transaction: EngineTransaction) => DatabaseWork<void>) =>
    store.write(() => inEngineTransaction(tools, now, body));
  try {
    await write((transaction) => act(transaction, due));
  } catch (groupError) {
    if (isStoreAway(groupError)) throw groupError;
    for (const one of due) {
      try {
        await write((transaction) => act(transaction, [one]));
      } catch (error) {
        if (isStoreAway(error)) throw error;
        await write((transaction) => failRun(transaction, one.run_id, error));
      }
    }
  }
}

function* failRun(
  transaction: EngineTransaction,
  runId: string,
  error: unknown,
): DatabaseWork<void> {
  const runs = yield* lockRuns([runId]);
  const run = runs.get(runId);
  if (!run || isEnded(run.state)) return;
  changeState(transaction, run, { state: "failed", reason: describeError(error) });
  yield* writeRuns(transaction, runs);
  yield* closeEndedRuns(transaction, [run]);
}

function* findDue(now: number, takesOver: boolean): DatabaseWork<boolean> {
  const rows = yield* runSql(FIND_DUE, [takesOver ? now : 0, now, now]);
  return rows.length > 0;
}

/** The dead worker's jobs become ready; whatever it still tries to write fails at the fence. */
function* takeOverExpired(transaction: EngineTransaction): DatabaseWork<void> {
  const { lanes, queue, now, events } = transaction;
  const expired = yield* listExpired(now, MOST_AT_ONCE);
  // Runs come before their jobs, as everywhere; one in other hands is looked at again by the next sweep.
  const runs = yield* lockFreeRuns(expired.map(({ run_id }) => run_id));
  const jobs = yield* makeReady(
    expired.filter(({ run_id }) => runs.has(run_id)),
    now,
  );
  if (jobs.length === 0) return;
  giveRoom(
    lanes,
    jobs.map(({ lane }) => lane),
    now,
  );
  yield* queue.settle(jobs.map(({ id, message, lane }) => ({ jobId: id, message, lane })));
  yield* queue.enqueue(
    jobs.map(({ id, lane, priority }) => ({ jobId: id, lane, priority, runAt: now })),
    now,
  );
  for (const job of jobs) {
    const run = runs.get(job.run_id);
    if (run)
      events.push(runEvent(run, "job.taken_over", { job: job.id, step: job.step, item: job.item }));
  }
}

interface DueTimer extends OfRun {
  readonly id: string;
  readonly follow_up: string;
}

function* listDueTimers(now: number): DatabaseWork<readonly DueTimer[]> {
  return yield* runSql<DueTimer>(LIST_DUE_TIMERS, [now, MOST_AT_ONCE]);
}

function* fireTimers(transaction: EngineTransaction, due: readonly DueTimer[]): DatabaseWork<void> {
  const runs = yield* lockRuns(due.map(({ run_id }) => run_id));
  // Another worker may have fired some of them while we waited for the runs.
  const closed = yield* runSql<{ id: string }>(closeTimers, [
    JSON.stringify(due.map(({ id }) => ({ id }))),
  ]);
  const isOurs = new Set(closed.map(({ id }) => id));
  for (const timer of due) {
    const run = runs.get(timer.run_id);
    if (!run || !isOurs.has(timer.id)) continue;
    run.openTimers -= 1;
    run.isChanged = true;
    if (isEnded(run.state)) continue;
    const { job, batchId } = JSON.parse(timer.follow_up) as KeptJob;
    yield* addKeptJob(transaction, { run, job, batchId });
    transaction.events.push(runEvent(run, "timer.fired", { timer: timer.id }));
  }
  yield* writeRuns(transaction, runs);
}

const FIND_DUE = sqlText(
  `select 1 where exists (select 1 from job where state = 'leased' and lease_until < ?)
     or exists (select 1 from timer where is_open = 1 and due_at <= ?)
     or exists (select 1 from wait where state = 'open' and deadline is not null and deadline <= ?)`,
);
const LIST_DUE_TIMERS = sqlText(
  "select id, run_id, follow_up from timer where is_open = 1 and due_at <= ? order by due_at limit ?",
);
