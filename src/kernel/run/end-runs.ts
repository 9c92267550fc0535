/** When a run ends, whatever it still owns ends with it, and its parent hears of it. */

import { type Json, withMembers } from "../base/json.ts";
import { type DatabaseWork, runSql, writeSql } from "../store/database-work.ts";
import { sqlOverRows } from "../store/sql-text.ts";
import { rowsChangedMeanwhile } from "../store/store-errors.ts";
import { addKeptJob } from "./batches.ts";
import type { NewJob } from "./decision.ts";
import type { EngineTransaction } from "./engine-transaction.ts";
import { giveRoom } from "./lanes.ts";
import { loseExchanges } from "./lost-exchanges.ts";
import { changeState, lockMoreRuns, type RunDraft, writeRuns } from "./run-drafts.ts";
import { isEnded } from "./run-state.ts";
import type { KeptJob } from "./waits.ts";

/** Call it after `writeRuns`, with the drafts that ended in this transaction. */
export function* closeEndedRuns(
  transaction: EngineTransaction,
  ended: readonly RunDraft[],
): DatabaseWork<void> {
  const owning = ended.filter(hasLeftovers);
  if (owning.length > 0) yield* cancelLeftovers(transaction, owning);
  for (const { id, method, state } of ended) {
    if (state !== "completed" && state !== "failed" && state !== "cancelled") continue;
    yield* transaction.handlers.ending(method)?.apply({ id, state, now: transaction.now }) ?? [];
  }
  const parents = ended.filter(({ parentRunId, onEnd }) => parentRunId !== null && onEnd !== null);
  if (parents.length > 0) yield* tellParents(transaction, parents);
  const withChildren = ended.filter(({ openRuns }) => openRuns > 0);
  if (withChildren.length > 0) yield* cancelChildren(transaction, withChildren);
}

function hasLeftovers({ openJobs, heldJobs, openWaits, openTimers }: RunDraft): boolean {
  return openJobs + heldJobs + openWaits + openTimers > 0;
}

interface CancelledJob {
  readonly id: string;
  readonly run_id: string;
  readonly fence: number;
}

function* cancelLeftovers(
  transaction: EngineTransaction,
  runs: readonly RunDraft[],
): DatabaseWork<void> {
  const { queue, lanes, now } = transaction;
  const ids = JSON.stringify(runs.map(({ id }) => ({ id })));
  const leased = yield* runSql<{ lane: string }>(LIST_LEASED_LANES, [ids]);
  // The fence moves on, so a worker that still performs one of these cannot write.
  const cancelled = yield* runSql<CancelledJob>(CANCEL_JOBS, [ids, now]);
  // A worker that is claiming some of them wants our run next: waiting for each other would take the database a second
  // to notice. It goes first, and we decide again.
  if ((yield* runSql(FIND_OPEN_JOB, [ids])).length > 0) throw rowsChangedMeanwhile("run");
  giveRoom(
    lanes,
    leased.map(({ lane }) => lane),
    now,
  );
  // Only now: a worker may have been starting calls until the moment its jobs were cancelled.
  const begun = cancelled.filter(({ fence }) => fence > 1);
  yield* loseExchanges(
    transaction,
    begun.map(({ id, run_id }) => ({ id, run_id, progress: null })),
    { code: "run_ended", message: "The run ended while this call was under way." },
  );
  yield* writeSql(CANCEL_WAITS, [ids]);
  yield* writeSql(CLOSE_TIMERS, [ids]);
  yield* writeSql(CLEAR_COUNTS, [ids]);
  yield* queue.cancel(cancelled.map(({ id }) => id));
}

function* tellParents(
  transaction: EngineTransaction,
  children: readonly RunDraft[],
): DatabaseWork<void> {
  const parents = yield* lockMoreRuns(children.flatMap(({ parentRunId }) => parentRunId ?? []));
  for (const child of children) {
    const parent = parents.get(child.parentRunId ?? "");
    if (!parent || isEnded(parent.state)) continue;
    parent.openRuns = Math.max(0, parent.openRuns - 1);
    parent.isChanged = true;
    const { job, batchId } = JSON.parse(child.onEnd ?? "null") as KeptJob;
    yield* addKeptJob(transaction, { run: parent, job: withChild(job, child), batchId });
  }
  yield* writeRuns(transaction, parents);
  yield* closeEndedRuns(
    transaction,
    [...parents.values()].filter(({ state, isChanged }) => isChanged && isEnded(state)),
  );
}

function withChild(job: NewJob, child: RunDraft): NewJob {
  const told: Json = {
    runId: child.id,
    state: child.state,
    result: child.result ?? null,
    reason:
      child.reason === null ? null : { code: child.reason.code, message: child.reason.message },
  };
  return { ...job, input: withMembers(job.input, { child: told }) };
}

function* cancelChildren(
  transaction: EngineTransaction,
  parents: readonly RunDraft[],
): DatabaseWork<void> {
  const ids = JSON.stringify(parents.map(({ id }) => ({ id })));
  const found = yield* runSql<{ id: string }>(LIST_OPEN_CHILDREN, [ids]);
  const children = yield* lockMoreRuns(found.map(({ id }) => id));
  for (const child of children.values()) {
    const reason = { code: "parent_ended", message: "The run that started it has ended." };
    changeState(transaction, child, { state: "cancelled", reason });
  }
  yield* writeRuns(transaction, children);
  yield* closeEndedRuns(transaction, [...children.values()]);
  yield* writeSql(CLEAR_OPEN_RUNS, [ids]);
}

const OF_RUNS = "run_id in (select id from {rows})";
const LIST_LEASED_LANES = sqlOverRows(
  { id: "text" },
  `select lane from job where state = 'leased' and ${OF_RUNS}`,
);
const OPEN_STATES = "('ready','parked','blocked','leased','held')";
const CANCEL =
  "update job set state = 'cancelled', worker = null, lease_until = null, fence = fence + 1, finished_at =";
const CANCEL_JOBS = {
  sqlite: `${CANCEL} ?2 where state in ${OPEN_STATES} and run_id in (select value->>'$.id' from json_each(?1))
    returning id, run_id, fence`,
  postgres: `with free as (select id from job where state in ${OPEN_STATES}
      and run_id in (select id from json_to_recordset($1::json) as x(id text)) order by id for no key update skip locked)
    ${CANCEL} $2 where id in (select id from free) returning id, run_id, fence`,
};
const FIND_OPEN_JOB = sqlOverRows(
  { id: "text" },
  `select 1 from job where state in ${OPEN_STATES} and ${OF_RUNS} limit 1`,
);
const CANCEL_WAITS = sqlOverRows(
  { id: "text" },
  `update wait set state = 'cancelled', version = version + 1 where state in ('open','early') and ${OF_RUNS}`,
);
const CLOSE_TIMERS = sqlOverRows(
  { id: "text" },
  `update timer set is_open = 0 where is_open = 1 and ${OF_RUNS}`,
);
const CLEAR_COUNTS = sqlOverRows(
  { id: "text" },
  "update run set open_jobs = 0, held_jobs = 0, open_waits = 0, open_timers = 0 where id in (select id from {rows})",
);
const CLEAR_OPEN_RUNS = sqlOverRows(
  { id: "text" },
  "update run set open_runs = 0 where id in (select id from {rows})",
);
const LIST_OPEN_CHILDREN = sqlOverRows(
  { id: "text" },
  "select id from run where state not in ('completed','failed','cancelled') and parent_run_id in (select id from {rows})",
);
