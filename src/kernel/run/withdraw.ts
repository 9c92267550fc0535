/** Ends what a run planned and no longer wants: jobs, waits, timers and runs below it, by their keys. */

import { type DatabaseWork, runSql, writeSql } from "../store/database-work.ts";
import { sqlOverRows } from "../store/sql-text.ts";
import { rowsChangedMeanwhile } from "../store/store-errors.ts";
import { changeTokens, type TokenChanges } from "./batches.ts";
import type { Withdrawal } from "./decision.ts";
import { closeEndedRuns } from "./end-runs.ts";
import type { EngineTransaction } from "./engine-transaction.ts";
import { giveRoom } from "./lanes.ts";
import { loseExchanges } from "./lost-exchanges.ts";
import { changeState, lockMoreRuns, type RunDraft, runEvent, writeRuns } from "./run-drafts.ts";
import type { KeptJob } from "./waits.ts";

/** The run must be locked. Places in batches that become free are added to `tokens`. */
export function* withdraw(
  transaction: EngineTransaction,
  run: RunDraft,
  { jobs = [], waits = [], timers = [], runs = [] }: Withdrawal,
  tokens: TokenChanges,
): DatabaseWork<void> {
  run.isChanged = true;
  if (jobs.length > 0) yield* withdrawJobs(transaction, run, toRows(run, jobs), tokens);
  if (waits.length > 0) {
    const closed = yield* runSql<KeptRow>(CANCEL_WAITS, [toRows(run, waits)]);
    run.openWaits -= closed.length;
    for (const { id } of closed)
      transaction.events.push(runEvent(run, "wait.withdrawn", { wait: id }));
    freePlaces(closed, tokens);
  }
  if (timers.length > 0) {
    const closed = yield* runSql<KeptRow>(CLOSE_TIMERS, [toRows(run, timers)]);
    run.openTimers -= closed.length;
    freePlaces(closed, tokens);
  }
  if (runs.length > 0) yield* withdrawRuns(transaction, run, toRows(run, runs), tokens);
}

function toRows({ id }: RunDraft, keys: readonly string[]): string {
  return JSON.stringify(keys.map((key) => ({ run_id: id, key })));
}

interface WithdrawnJob {
  readonly id: string;
  readonly lane: string;
  readonly fence: number;
  readonly batch_id: string | null;
  readonly was: string;
}

function* withdrawJobs(
  transaction: EngineTransaction,
  run: RunDraft,
  rows: string,
  tokens: TokenChanges,
): DatabaseWork<void> {
  const { queue, lanes, now } = transaction;
  const found = yield* runSql<WithdrawnJob>(FIND_JOBS, [rows]);
  // The fence moves on, so a worker that still performs one of these cannot write.
  const cancelled = new Set(
    (yield* runSql<{ id: string }>(CANCEL_JOBS, [rows, now])).map(({ id }) => id),
  );
  // One that a worker is claiming at this moment: it goes first, and we decide again.
  if (found.length !== cancelled.size) throw rowsChangedMeanwhile("run");
  for (const { was, batch_id: batchId } of found) {
    if (was === "held") run.heldJobs -= 1;
    else run.openJobs -= 1;
    if (batchId !== null) changeTokens(tokens, batchId, -1, 0, was === "blocked" ? 0 : -1);
  }
  const leased = found.filter(({ was }) => was === "leased");
  giveRoom(
    lanes,
    leased.map(({ lane }) => lane),
    now,
  );
  yield* loseExchanges(
    transaction,
    found
      .filter(({ fence }) => fence > 0)
      .map(({ id }) => ({ id, run_id: run.id, progress: null })),
    { code: "withdrawn", message: "The run went on without this call." },
    new Map([[run.id, run]]),
  );
  yield* queue.cancel([...cancelled]);
}

function* withdrawRuns(
  transaction: EngineTransaction,
  run: RunDraft,
  rows: string,
  tokens: TokenChanges,
): DatabaseWork<void> {
  const found = yield* runSql<{ id: string; on_end: string | null }>(FIND_RUNS, [rows]);
  if (found.length === 0) return;
  // Nobody waits for their end any more, so nobody is told of it.
  yield* writeSql(FORGET_ENDS, [rows]);
  const children = yield* lockMoreRuns(found.map(({ id }) => id));
  for (const child of children.values()) {
    const reason = { code: "withdrawn", message: "The run that started it went on without it." };
    changeState(transaction, child, { state: "cancelled", reason });
  }
  yield* writeRuns(transaction, children);
  yield* closeEndedRuns(transaction, [...children.values()]);
  run.openRuns -= found.length;
  freePlaces(
    found.map(({ on_end }) => ({ follow_up: on_end })),
    tokens,
  );
}

interface KeptRow {
  readonly id: string;
  readonly follow_up: string | null;
}

function freePlaces(kept: readonly Pick<KeptRow, "follow_up">[], tokens: TokenChanges): void {
  for (const { follow_up: text } of kept) {
    const { batchId } = (JSON.parse(text ?? "null") ?? { batchId: null }) as Partial<KeptJob>;
    if (batchId) changeTokens(tokens, batchId, -1);
  }
}

const KEYS = { run_id: "text", key: "text" } as const;
const OPEN_STATES = "('ready','parked','blocked','leased','held')";
const FIND_JOBS = sqlOverRows(
  KEYS,
  `select job.id, job.lane, job.fence, job.batch_id, job.state as was from job join {rows} on job.run_id = x.run_id and job.key = x.key
   where job.state in ${OPEN_STATES}`,
);
const CANCEL = `update job set state = 'cancelled', worker = null, lease_until = null, fence = fence + 1, finished_at =`;
const CANCEL_JOBS = {
  sqlite: `${CANCEL} ?2 where state in ${OPEN_STATES}
     and (run_id, key) in (select value->>'$.run_id', value->>'$.key' from json_each(?1)) returning id`,
  postgres: `with free as (select id from job where state in ${OPEN_STATES}
       and (run_id, key) in (select run_id, key from json_to_recordset($1::json) as x(run_id text, key text))
       order by id for no key update skip locked)
     ${CANCEL} $2 where id in (select id from free) returning id`,
};
const CANCEL_WAITS = sqlOverRows(
  KEYS,
  `update wait set state = 'cancelled', version = version + 1 where state = 'open'
   and (run_id, key) in (select run_id, key from {rows}) returning id, follow_up`,
);
const CLOSE_TIMERS = sqlOverRows(
  KEYS,
  "update timer set is_open = 0 where is_open = 1 and (run_id, key) in (select run_id, key from {rows}) returning id, follow_up",
);
const CHILDREN = `state not in ('completed','failed','cancelled') and (parent_run_id, key) in (select run_id, key from {rows})`;
const FIND_RUNS = sqlOverRows(KEYS, `select id, on_end from run where ${CHILDREN}`);
const FORGET_ENDS = sqlOverRows(KEYS, `update run set on_end = null where ${CHILDREN}`);
