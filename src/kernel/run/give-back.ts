/** Leased jobs that may not start: they go back, parked where their run stands at a limit, or for a moment. */

import { type DatabaseWork, runSql } from "../store/database-work.ts";
import { sqlOverRows } from "../store/sql-text.ts";
import type { EngineTransaction } from "./engine-transaction.ts";
import { endLeases, type JobRow } from "./jobs.ts";
import { giveRoom } from "./lanes.ts";
import { LIMIT_REACHED, type LimitReason } from "./limits.ts";
import { changeState, isParking, lockFreeRuns, type RunDraft, writeRuns } from "./run-drafts.ts";
import { isEnded } from "./run-state.ts";
import { addWaits } from "./waits.ts";

export interface Limited {
  readonly row: JobRow;
  readonly run: Readonly<RunDraft>;
  readonly limit: LimitReason;
}

/** A run may have been paused or ended after its jobs were announced. */
export function* parkAgain(
  { lanes, queue, now }: EngineTransaction,
  rows: readonly JobRow[],
  runs: ReadonlyMap<string, Readonly<RunDraft>>,
): DatabaseWork<void> {
  if (rows.length === 0) return;
  yield* endLeases(
    rows.map(({ id, fence, run_id, progress }) => {
      const isOver = isEnded(runs.get(run_id)?.state ?? "cancelled");
      const base = { id, fence, run_at: null, progress, failure: null, unused: 1 } as const;
      return isOver
        ? { ...base, state: "cancelled", finished_at: now }
        : { ...base, state: "parked", finished_at: null };
    }),
  );
  giveRoom(
    lanes,
    rows.map(({ lane }) => lane),
    now,
  );
  yield* queue.settle(rows.map(({ id, message, lane }) => ({ jobId: id, message, lane })));
}

/** Reaching a limit stops the whole run, visibly: one entry in the inbox, whatever is left of it parked. */
export function* stopAtLimits(
  transaction: EngineTransaction,
  limited: readonly Limited[],
): DatabaseWork<void> {
  if (limited.length === 0) return;
  const runs = yield* lockFreeRuns(limited.map(({ run }) => run.id));
  for (const { run: seen, limit } of limited) {
    const run = runs.get(seen.id);
    if (!run || isEnded(run.state) || isParking(run)) continue;
    changeState(transaction, run, { state: "held", reason: { ...limit, isStopped: true } });
    const parked = yield* runSql<{ id: string }>(PARK_READY, [JSON.stringify([{ id: run.id }])]);
    yield* transaction.queue.cancel(parked.map(({ id }) => id));
    const wait = {
      key: `limit:${transaction.nextId()}`,
      kind: LIMIT_REACHED,
      title: "The run reached a limit",
      reason: limit.hint === undefined ? limit.message : `${limit.message} ${limit.hint}`,
      evidence: [{ code: limit.code }],
      answers: ["raise", "cancel_run"],
      followUp: { key: "limit", handler: LIMIT_REACHED, input: {} },
    };
    yield* addWaits(transaction, [{ run, wait, jobId: null, batchId: null }]);
  }
  yield* writeRuns(transaction, runs);
  // A run that another transaction holds right now is looked at again a moment later.
  const stopped = limited.filter(({ run }) => runs.has(run.id)).map(({ row }) => row);
  yield* parkAgain(transaction, stopped, runs);
  yield* tryLater(
    transaction,
    limited.filter(({ run }) => !runs.has(run.id)).map(({ row }) => row),
  );
}

const LATER_MS = 50;

export function* tryLater(
  transaction: EngineTransaction,
  rows: readonly JobRow[],
): DatabaseWork<void> {
  if (rows.length === 0) return;
  const { lanes, queue, now } = transaction;
  yield* endLeases(
    rows.map(({ id, fence, progress }) => ({
      id,
      fence,
      state: "ready",
      run_at: now + LATER_MS,
      progress,
      failure: null,
      finished_at: null,
      unused: 1,
    })),
  );
  giveRoom(
    lanes,
    rows.map(({ lane }) => lane),
    now,
  );
  yield* queue.settle(rows.map(({ id, message, lane }) => ({ jobId: id, message, lane })));
  yield* queue.enqueue(
    rows.map(({ id, lane, priority }) => ({ jobId: id, lane, priority, runAt: now + LATER_MS })),
    now,
  );
}

const PARK_READY = sqlOverRows(
  { id: "text" },
  "update job set state = 'parked' where state = 'ready' and run_id in (select id from {rows}) returning id",
);
