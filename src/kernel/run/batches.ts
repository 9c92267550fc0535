/**
 * Batches: jobs that finish together. `remaining` counts tokens: a job that hands its place to a follow-up
 * keeps its token alive, so a batch of chains ends when the last chain does. Whoever takes the last token,
 * in whatever transaction, adds the follow-up; the row's lock makes that exactly one.
 */

import { type DatabaseWork, runRows, runSql, writeRows, writeSql } from "../store/database-work.ts";
import { insertText, sqlForRows, sqlText } from "../store/sql-text.ts";
import type { NewBatch, NewJob } from "./decision.ts";
import type { EngineTransaction } from "./engine-transaction.ts";
import { releaseBlocked } from "./jobs.ts";
import { addJobs, type PlannedJob, SPREAD_HANDLER } from "./plan-jobs.ts";
import { type RunDraft, type RunDrafts, runEvent } from "./run-drafts.ts";

/** A large batch is added this many jobs at a time, so that no transaction grows long. */
export const SLICE = 500;

export interface PlannedBatch {
  readonly run: RunDraft;
  readonly batch: NewBatch;
  /** The batch whose token waits here until the follow-up takes it. */
  readonly parentBatchId: string | null;
}

/** Adds batches and their first jobs; gives the tokens that were planned but were not new, by batch. */
export function* addBatches(
  transaction: EngineTransaction,
  planned: readonly PlannedBatch[],
): DatabaseWork<{ readonly isNew: readonly boolean[]; readonly lostTokens: TokenChanges }> {
  const lostTokens: TokenChanges = new Map();
  if (planned.length === 0) return { isNew: [], lostTokens };
  const rows = planned.map(({ run, batch, parentBatchId }) => ({
    id: transaction.nextId(),
    run_id: run.id,
    key: batch.key,
    parent_batch_id: parentBatchId,
    total: batch.jobs.length,
    remaining: batch.jobs.length,
    concurrency: batch.concurrency ?? null,
    running: Math.min(batch.concurrency ?? 0, batch.jobs.length),
    follow_up: JSON.stringify(batch.followUp),
    created_at: transaction.now,
  }));
  const inserted = new Set(
    (yield* runRows<{ id: string }>(INSERT_BATCHES, rows)).map(({ id }) => id),
  );
  const isNew = rows.map(({ id }) => inserted.has(id));
  const slices: { batch_id: string; position: number; jobs: string }[] = [];
  const jobs: PlannedJob[] = [];
  rows.forEach(({ id }, position) => {
    const plan = planned[position];
    if (!plan || !inserted.has(id)) return;
    const { run, batch } = plan;
    batch.jobs.slice(0, SLICE).forEach((job, place) => {
      jobs.push({
        run,
        job,
        batchId: id,
        isBlocked: place >= (batch.concurrency ?? Number.POSITIVE_INFINITY),
      });
    });
    for (let from = SLICE; from < batch.jobs.length; from += SLICE) {
      slices.push({
        batch_id: id,
        position: from / SLICE,
        jobs: JSON.stringify(batch.jobs.slice(from, from + SLICE)),
      });
    }
    if (batch.jobs.length > SLICE) jobs.push({ run, job: spreadJob(id, 1), batchId: null });
    // An empty batch has no last job: it is over at once.
    if (batch.jobs.length === 0) changeTokens(lostTokens, id, 0);
  });
  if (slices.length > 0) yield* writeRows(INSERT_SLICES, slices);
  const areNew = yield* addJobs(transaction, jobs);
  jobs.forEach(({ batchId, isBlocked }, position) => {
    if (batchId !== null && !areNew[position]) loseToken(lostTokens, batchId, isBlocked === true);
  });
  return { isNew, lostTokens };
}

/** Adds the next slice of a large batch. */
export function* spreadSlice(
  transaction: EngineTransaction,
  run: RunDraft,
  slice: { readonly batchId: string; readonly position: number },
): DatabaseWork<TokenChanges> {
  const lostTokens: TokenChanges = new Map();
  const [found] = yield* runSql<{ jobs: string; concurrency: number | null }>(FIND_SLICE, [
    slice.batchId,
    slice.position,
  ]);
  if (!found) return lostTokens;
  yield* writeSql(DELETE_SLICE, [slice.batchId, slice.position]);
  const jobs = (JSON.parse(found.jobs) as NewJob[]).map(
    (job): PlannedJob => ({
      run,
      job,
      batchId: slice.batchId,
      isBlocked: found.concurrency !== null,
    }),
  );
  const next = { run, job: spreadJob(slice.batchId, slice.position + 1), batchId: null };
  const areNew = yield* addJobs(transaction, [...jobs, next]);
  jobs.forEach(({ isBlocked }, position) => {
    if (!areNew[position]) loseToken(lostTokens, slice.batchId, isBlocked === true);
  });
  if (found.concurrency !== null) changeTokens(lostTokens, slice.batchId, 0);
  return lostTokens;
}

/** Change of remaining tokens by batch, of those that are under way, and how many ended in failure. */
export type TokenChanges = Map<string, { delta: number; running: number; failed: number }>;

export function changeTokens(
  changes: TokenChanges,
  batchId: string,
  delta: number,
  failed = 0,
  running = delta,
): void {
  const change = changes.get(batchId);
  if (change) {
    change.delta += delta;
    change.running += running;
    change.failed += failed;
  } else changes.set(batchId, { delta, running, failed });
}

/** The job was there already. A blocked one was never under way, so it leaves no room for another. */
function loseToken(changes: TokenChanges, batchId: string, isBlocked: boolean): void {
  changeTokens(changes, batchId, -1, 0, isBlocked ? 0 : -1);
}

/**
 * Books the tokens, lets blocked jobs of limited batches go, and closes batches that are empty.
 * A follow-up may itself take or give tokens, so it goes round until nothing changes.
 */
export function* bookTokens(
  transaction: EngineTransaction,
  runs: RunDrafts,
  changes: TokenChanges,
): DatabaseWork<void> {
  let pending = changes;
  while (pending.size > 0) {
    const rows = [...pending]
      .map(([id, change]) => ({ id, ...change }))
      .toSorted((a, b) => (a.id < b.id ? -1 : 1));
    pending = new Map();
    const batches = yield* runRows<BatchRow>(BOOK_TOKENS, rows);
    const followUps: PlannedJob[] = [];
    for (const batch of batches) {
      const run = runs.get(batch.run_id);
      if (!run) continue;
      if (batch.remaining > 0) {
        yield* refill(transaction, batch);
        continue;
      }
      if (batch.is_open === 0) continue;
      yield* writeSql(CLOSE_BATCH, [transaction.now, batch.id]);
      const job = JSON.parse(batch.follow_up) as NewJob;
      followUps.push({ run, job, batchId: batch.parent_batch_id });
      transaction.events.push(
        runEvent(run, "batch.finished", {
          batch: batch.key,
          total: batch.total,
          failed: batch.failed,
        }),
      );
    }
    const areNew = yield* addJobs(transaction, followUps);
    followUps.forEach(({ batchId }, position) => {
      if (batchId !== null && !areNew[position]) changeTokens(pending, batchId, -1);
    });
  }
}

/** Adds the follow-up of a wait, a timer or a child. One that is there already takes no place, so its token is given back. */
export function* addKeptJob(
  transaction: EngineTransaction,
  planned: PlannedJob,
): DatabaseWork<void> {
  const [isNew] = yield* addJobs(transaction, [planned]);
  if (isNew || planned.batchId === null) return;
  const tokens: TokenChanges = new Map();
  changeTokens(tokens, planned.batchId, -1);
  yield* bookTokens(transaction, new Map([[planned.run.id, planned.run]]), tokens);
}

function* refill({ queue, now }: EngineTransaction, batch: BatchRow): DatabaseWork<void> {
  if (batch.concurrency === null || batch.running >= batch.concurrency) return;
  const released = yield* releaseBlocked(batch.id, batch.concurrency - batch.running, now);
  if (released.length === 0) return;
  yield* writeSql(ADD_RUNNING, [released.length, batch.id]);
  yield* queue.enqueue(
    released.map(({ id, lane, priority, run_at }) => ({
      jobId: id,
      lane,
      priority,
      runAt: run_at,
    })),
    now,
  );
}

function spreadJob(batchId: string, position: number): NewJob {
  return {
    key: `spread:${batchId}:${position}`,
    handler: SPREAD_HANDLER,
    input: { batchId, position },
  };
}

interface BatchRow {
  readonly id: string;
  readonly run_id: string;
  readonly key: string;
  readonly parent_batch_id: string | null;
  readonly total: number;
  readonly remaining: number;
  readonly failed: number;
  readonly concurrency: number | null;
  readonly running: number;
  readonly is_open: number;
  readonly follow_up: string;
}

const INSERT_BATCHES = insertText(
  "batch",
  {
    id: "text",
    run_id: "text",
    key: "text",
    parent_batch_id: "text",
    total: "int",
    remaining: "int",
    concurrency: "int",
    running: "int",
    follow_up: "text",
    created_at: "int",
  },
  "on conflict (run_id, key) do nothing",
  "id",
);
const INSERT_SLICES = insertText("batch_slice", {
  batch_id: "text",
  position: "int",
  jobs: "text",
});
const FIND_SLICE = sqlText(
  "select s.jobs, b.concurrency from batch_slice s join batch b on b.id = s.batch_id where s.batch_id = ? and s.position = ?",
);
const DELETE_SLICE = sqlText("delete from batch_slice where batch_id = ? and position = ?");
const BOOK_TOKENS = sqlForRows(
  { id: "text", delta: "int", running: "int", failed: "int" },
  `update batch set remaining = batch.remaining + x.delta, failed = batch.failed + x.failed,
     running = case when batch.concurrency is null then 0 else batch.running + x.running end
   from {rows} where batch.id = x.id
   returning batch.id, batch.run_id, batch.key, batch.parent_batch_id, batch.total, batch.remaining, batch.failed,
     batch.concurrency, batch.running, batch.is_open, batch.follow_up`,
);
const CLOSE_BATCH = sqlText("update batch set is_open = 0, finished_at = ? where id = ?");
const ADD_RUNNING = sqlText("update batch set running = running + ? where id = ?");
