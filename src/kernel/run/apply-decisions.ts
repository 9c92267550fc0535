/**
 * The one place where decisions become rows. Takes all decisions of a transaction together, so that each
 * table is written once however many jobs finished.
 */

import { type DatabaseWork, rowsOf, together } from "../store/database-work.ts";
import {
  addBatches,
  bookTokens,
  changeTokens,
  type PlannedBatch,
  type TokenChanges,
} from "./batches.ts";
import type { Decision } from "./decision.ts";
import {
  applyEffects,
  applyNew,
  type InsertedEffect,
  insertEffectsStatement,
  insertNewEffects,
} from "./effects.ts";
import type { EngineTransaction } from "./engine-transaction.ts";
import type { JobView } from "./handler.ts";
import { insertJobsStatement, insertNewJobs, type JobRow } from "./jobs.ts";
import { announceRows, type PlannedJob, planRows } from "./plan-jobs.ts";
import { changeState, type RunDraft, type RunDrafts, runEvent } from "./run-drafts.ts";
import { addChildRun } from "./start-run.ts";
import { addTimers, addWaits, type PlannedTimer, type PlannedWait } from "./waits.ts";
import { withdraw } from "./withdraw.ts";

export interface DecidedJob {
  readonly view: JobView;
  readonly run: RunDraft;
  readonly row: JobRow;
  readonly exchangeId: string | undefined;
  readonly decision: Decision;
  /** The job itself is over: its place in its batch is free unless a follow-up takes it. */
  readonly isOver: boolean;
  readonly isFailed: boolean;
}

export function* applyDecisions(
  transaction: EngineTransaction,
  runs: RunDrafts,
  decided: readonly DecidedJob[],
  tokens: TokenChanges = new Map(),
): DatabaseWork<void> {
  for (const { run, decision } of decided) {
    if (decision.withdraw) yield* withdraw(transaction, run, decision.withdraw, tokens);
  }
  const plans = planAll(decided);
  const jobsAreNew = yield* addEffectsAndJobs(transaction, decided, plans.jobs);
  const batches = yield* addBatches(transaction, plans.batches);
  const waitsTook = yield* addWaits(transaction, plans.waits);
  const timersAreNew = yield* addTimers(transaction, plans.timers);

  for (const [batchId, { delta, failed, running }] of batches.lostTokens)
    changeTokens(tokens, batchId, delta, failed, running);
  const passOn = (batchId: string | null, isNew: boolean | undefined) => {
    if (batchId !== null && isNew) changeTokens(tokens, batchId, 1);
  };
  plans.jobs.forEach(({ batchId }, position) => passOn(batchId, jobsAreNew[position]));
  plans.batches.forEach(({ parentBatchId }, position) =>
    passOn(parentBatchId, batches.isNew[position]),
  );
  plans.waits.forEach(({ batchId }, position) => passOn(batchId, waitsTook[position]));
  plans.timers.forEach(({ batchId }, position) => passOn(batchId, timersAreNew[position]));
  for (const { view, run, decision } of decided) {
    for (const child of decision.runs ?? []) {
      const batchId = child.onEnd.staysInBatch ? view.batchId : null;
      passOn(batchId, yield* addChildRun(transaction, run, child, batchId));
    }
  }
  for (const { view, isOver, isFailed } of decided) {
    if (isOver && view.batchId !== null) changeTokens(tokens, view.batchId, -1, isFailed ? 1 : 0);
  }
  yield* bookTokens(transaction, runs, tokens);

  for (const { run, decision } of decided) {
    for (const { type, data } of decision.events ?? [])
      transaction.events.push(runEvent(run, type, data));
    changeRun(transaction, run, decision);
  }
}

function planAll(decided: readonly DecidedJob[]) {
  const jobs: PlannedJob[] = [];
  const batches: PlannedBatch[] = [];
  const waits: PlannedWait[] = [];
  const timers: PlannedTimer[] = [];
  for (const { view, run, row, decision, isOver } of decided) {
    const tokenOf = (job: { readonly staysInBatch?: boolean }) =>
      job.staysInBatch ? view.batchId : null;
    for (const [place, job] of (decision.jobs ?? []).entries()) {
      const predecessor = place === 0 && isOver ? { predecessor: row } : {};
      jobs.push({ run, job, batchId: tokenOf(job), ...predecessor });
    }
    for (const batch of decision.batches ?? []) {
      batches.push({ run, batch, parentBatchId: tokenOf(batch.followUp) });
    }
    for (const wait of decision.waits ?? []) {
      waits.push({ run, wait, jobId: view.id, batchId: tokenOf(wait.followUp) });
    }
    for (const timer of decision.timers ?? [])
      timers.push({ run, timer, batchId: tokenOf(timer.followUp) });
  }
  return { jobs, batches, waits, timers };
}

/** The two inserts that nearly every decision needs share a round trip, or need none where nothing can be in their way. */
function* addEffectsAndJobs(
  transaction: EngineTransaction,
  decided: readonly DecidedJob[],
  jobs: readonly PlannedJob[],
): DatabaseWork<readonly boolean[]> {
  const effects = decided.flatMap(({ view, exchangeId, decision }) =>
    (decision.effects ?? []).map((effect) => ({ effect, view, exchangeId })),
  );
  const jobRows = planRows(transaction, jobs);
  if (transaction.expectsNew) {
    yield* insertNewEffects(effects, transaction.now);
    yield* insertNewJobs(jobRows);
    yield* applyEffects(transaction, effects);
    return yield* announceRows(transaction, jobs, jobRows, new Set(jobRows.map(({ id }) => id)));
  }
  const results = yield* together([
    insertEffectsStatement(effects, transaction.now),
    insertJobsStatement(jobRows),
  ]);
  const newJobs = new Set(rowsOf<{ id: string }>(results, 1).map(({ id }) => id));
  yield* applyNew(transaction, effects, rowsOf<InsertedEffect>(results, 0));
  return yield* announceRows(transaction, jobs, jobRows, newJobs);
}

function changeRun(transaction: EngineTransaction, run: RunDraft, { run: change }: Decision): void {
  if (change === undefined) return;
  run.isChanged = true;
  if (change.data !== undefined) run.data = JSON.stringify(change.data);
  if (change.end === undefined) return;
  if (change.end.state === "completed") {
    run.result = change.end.result;
    changeState(transaction, run, { state: "completed" });
  } else changeState(transaction, run, { state: "failed", reason: change.end.reason });
}
