/**
 * The second durable point of a turn. One transaction: leases ended by their fence, answers kept, decisions made
 * and applied, runs and events written. What lost its lease is left out and nothing of it is written.
 */

import { describeError } from "../base/errors.ts";
import {
  type DatabaseWork,
  type RowsStatement,
  rowsOf,
  type StatementResult,
  together,
} from "../store/database-work.ts";
import { headsStatement, toHeads } from "../store/events.ts";
import { storableText } from "../store/storable-text.ts";
import { applyDecisions, type DecidedJob } from "./apply-decisions.ts";
import { spreadSlice, type TokenChanges } from "./batches.ts";
import { bookUse } from "./book-use.ts";
import type { Decision } from "./decision.ts";
import { closeEndedRuns } from "./end-runs.ts";
import type { EngineTransaction } from "./engine-transaction.ts";
import { deleteDeltas, insertAnswers, type NewAnswer } from "./exchanges.ts";
import type { JobView, TurnAnswer, TurnFailure } from "./handler.ts";
import { endLeasesStatement, type FencedChange, holdDone, type JobRow } from "./jobs.ts";
import { giveRoom } from "./lanes.ts";
import type { Reason } from "./limits.ts";
import { loseExchanges, progressOf } from "./lost-exchanges.ts";
import { SPREAD_HANDLER } from "./plan-jobs.ts";
import { rouse } from "./rouse-runs.ts";
import {
  lockRunsStatement,
  type RunDraft,
  type RunDrafts,
  runEvent,
  toDrafts,
  writeRuns,
} from "./run-drafts.ts";
import { isEnded } from "./run-state.ts";
import { addWaits, type PlannedWait } from "./waits.ts";

export interface Settlement {
  readonly row: JobRow;
  readonly view: JobView;
  /** Answers not yet written, oldest first. */
  readonly answers: readonly NewAnswer[];
  /** True when deltas of these exchanges were written down meanwhile. */
  readonly hasDeltas: boolean;
  readonly outcome: Outcome;
}

export type Outcome =
  | { readonly kind: "accepted"; readonly answer: TurnAnswer }
  | { readonly kind: "moved" }
  | { readonly kind: "retry"; readonly at: number; readonly reason: Reason }
  | { readonly kind: "failed"; readonly failure: TurnFailure }
  /** The decision cannot be applied, so the job is held; `failed` would ask the handler again. */
  | { readonly kind: "held"; readonly reason: Reason; readonly progress: string | null };

/**
 * What settling begins with: runs locked, leases ended by their fence, the ends of the runs' streams. The order counts:
 * runs come before their jobs, and from the lock to the commit nobody else can append to the streams.
 */
export function settleOpening(
  settlements: readonly Settlement[],
  now: number,
): readonly RowsStatement[] {
  const runIds = new Set(settlements.map(({ row }) => row.run_id));
  const changes = settlements.map((settlement) => endOf(settlement, now));
  return [lockRunsStatement(runIds), endLeasesStatement(changes), headsStatement(runIds)];
}

/** Gives the ids of the jobs whose lease still stood. `opened` is what `settleOpening` gave, where it is known already. */
export function* settle(
  transaction: EngineTransaction,
  settlements: readonly Settlement[],
  opened?: readonly StatementResult[],
): DatabaseWork<ReadonlySet<string>> {
  const results = opened ?? (yield* together(settleOpening(settlements, transaction.now)));
  const runs = toDrafts(rowsOf(results, 0));
  for (const id of runs.keys()) transaction.lockedRuns.add(id);
  const survived = new Set(rowsOf<{ id: string }>(results, 1).map(({ id }) => id));
  for (const [stream, head] of toHeads(rowsOf(results, 2))) transaction.heads.set(stream, head);
  const standing = settlements.filter(({ row }) => survived.has(row.id));
  if (standing.length === 0) return survived;

  yield* keepAnswers(transaction, standing, runs);
  const tokens: TokenChanges = new Map();
  const decided: DecidedJob[] = [];
  const holds: Hold[] = [];
  for (const settlement of standing) {
    const run = runs.get(settlement.row.run_id);
    if (!run) continue;
    run.isChanged = true;
    rouse(transaction, run);
    const result = yield* decide(transaction, settlement, run, tokens);
    if (result.hold)
      holds.push({ settlement, run, reason: result.hold, progress: result.progress });
    count(run, settlement, result.hold !== undefined);
    if (result.decision) decided.push(toDecided(settlement, run, result));
    note(transaction, run, settlement);
  }
  yield* applyDecisions(transaction, runs, decided, tokens);
  yield* hold(transaction, holds);
  yield* finishGroup(transaction, standing, runs);
  return survived;
}

function endOf({ row, outcome }: Settlement, now: number): FencedChange {
  const base = {
    id: row.id,
    fence: row.fence,
    run_at: null,
    progress: null,
    failure: null,
    finished_at: null,
  };
  switch (outcome.kind) {
    case "accepted":
    case "moved":
    case "failed":
      return { ...base, state: "done", finished_at: now };
    case "retry":
      return {
        ...base,
        state: "ready",
        run_at: outcome.at,
        failure: JSON.stringify(outcome.reason),
      };
    case "held":
      return {
        ...base,
        state: "held",
        failure: JSON.stringify(outcome.reason),
        progress: outcome.progress,
      };
  }
}

function* keepAnswers(
  transaction: EngineTransaction,
  settlements: readonly Settlement[],
  runs: RunDrafts,
): DatabaseWork<void> {
  yield* insertAnswers(
    settlements.flatMap(({ answers }) => answers),
    transaction.now,
  );
  yield* deleteDeltas(
    settlements.flatMap(({ hasDeltas, answers }) =>
      hasDeltas ? answers.map(({ exchangeId }) => exchangeId) : [],
    ),
  );
  for (const { answers } of settlements) {
    for (const answer of answers) bookUse(transaction, runs.get(answer.runId), answer);
  }
  // A turn that broke off without a word about its call: the call is on record as lost.
  const silent = settlements.filter(
    ({ row, answers, outcome }) =>
      row.kind === "turn" && outcome.kind === "failed" && answers.length === 0,
  );
  for (const { row, outcome } of silent) {
    const reason = outcome.kind === "failed" ? outcome.failure.reason : undefined;
    yield* loseExchanges(transaction, [row], reason, runs);
  }
}

interface Decided {
  readonly decision?: Decision;
  readonly hold?: Reason;
  readonly progress: string | null;
  readonly isFailed?: boolean;
}

function* decide(
  transaction: EngineTransaction,
  { row, view, outcome }: Settlement,
  run: RunDraft,
  tokens: TokenChanges,
): DatabaseWork<Decided> {
  if (isEnded(run.state) || outcome.kind === "retry") return { progress: null };
  if (outcome.kind === "held") return { hold: outcome.reason, progress: outcome.progress };
  try {
    if (row.handler === SPREAD_HANDLER) {
      const slice = view.input as { batchId: string; position: number };
      const lost = yield* spreadSlice(transaction, run, slice);
      for (const [batchId, change] of lost) tokens.set(batchId, change);
      return { decision: {}, progress: null };
    }
    const handler = transaction.handlers.handler(row.handler);
    if (handler.kind !== row.kind) {
      throw new Error(`"${row.handler}" is a ${handler.kind}; it was planned as a ${row.kind}.`);
    }
    if (handler.kind === "move") return decisionOf(yield* handler.decide(view));
    if (outcome.kind === "accepted") {
      return decisionOf(yield* handler.accept(view, outcome.answer), outcome.answer);
    }
    if (outcome.kind === "failed" && handler.giveUp) {
      const decision = yield* handler.giveUp(view, outcome.failure);
      return { ...decisionOf(decision), isFailed: true };
    }
    return outcome.kind === "failed"
      ? { hold: outcome.failure.reason, progress: null }
      : { progress: null };
  } catch (error) {
    // A handler that fails to decide must not lose the reply that was paid for, nor stop its neighbours.
    const progress = outcome.kind === "accepted" ? progressOf(outcome.answer) : null;
    return { hold: describeError(error), progress };
  }
}

function decisionOf(decision: Decision, answer?: TurnAnswer): Decided {
  if (decision.hold === undefined) return { decision, progress: null };
  return { decision, hold: decision.hold, progress: answer ? progressOf(answer) : null };
}

function toDecided({ row, view, outcome }: Settlement, run: RunDraft, result: Decided): DecidedJob {
  const exchangeId =
    outcome.kind === "accepted"
      ? outcome.answer.exchangeId
      : outcome.kind === "failed"
        ? outcome.failure.exchangeId
        : undefined;
  return {
    view: { ...view, batchId: row.batch_id },
    run,
    row,
    exchangeId,
    decision: result.decision ?? {},
    isOver: result.hold === undefined,
    isFailed: result.isFailed ?? false,
  };
}

function count(run: RunDraft, { outcome }: Settlement, isHeld: boolean): void {
  if (outcome.kind === "retry") return;
  run.openJobs -= 1;
  if (isHeld) run.heldJobs += 1;
}

function note(
  { events }: EngineTransaction,
  run: RunDraft,
  { row, outcome, answers }: Settlement,
): void {
  if (outcome.kind === "moved" || outcome.kind === "held") return;
  const data = {
    job: row.id,
    step: row.step,
    item: row.item,
    attempt: row.attempt,
    exchange: answers.at(-1)?.exchangeId ?? null,
  };
  if (outcome.kind === "accepted") events.push(runEvent(run, "turn.completed", data));
  else if (outcome.kind === "retry") {
    events.push(
      runEvent(run, "turn.retried", { ...data, code: outcome.reason.code, at: outcome.at }),
    );
  } else events.push(runEvent(run, "turn.failed", { ...data, code: outcome.failure.reason.code }));
}

interface Hold {
  readonly settlement: Settlement;
  readonly run: RunDraft;
  readonly reason: Reason;
  readonly progress: string | null;
}

/** A held job stands in the inbox until a person lets it try again or gives it up. */
function* hold(transaction: EngineTransaction, holds: readonly Hold[]): DatabaseWork<void> {
  if (holds.length === 0) return;
  yield* holdDone(
    holds.map(({ settlement, reason, progress }) => ({
      id: settlement.row.id,
      failure: JSON.stringify(reason),
      progress,
    })),
  );
  for (const { settlement, run, reason } of holds) {
    const { row } = settlement;
    transaction.events.push(
      runEvent(run, "job.held", { job: row.id, step: row.step, item: row.item, code: reason.code }),
    );
  }
  yield* addWaits(
    transaction,
    holds.map(({ settlement, run, reason }) => heldWait(settlement.row, run, reason)),
  );
}

export const HELD_JOB = "held_job";

function heldWait(row: JobRow, run: RunDraft, reason: Reason): PlannedWait {
  return {
    run,
    jobId: row.id,
    batchId: null,
    wait: {
      key: `held:${row.id}:${row.fence}`,
      kind: HELD_JOB,
      title: `${row.step}${row.item === null ? "" : ` (${row.item})`} could not go on`,
      reason: storableText(
        reason.hint === undefined ? reason.message : `${reason.message} ${reason.hint}`,
      ),
      evidence: [{ job: row.id, code: reason.code }],
      answers: ["retry", "skip", "cancel_run"],
      // Answering acts on the job itself; no job follows.
      followUp: { key: `held:${row.id}`, handler: HELD_JOB, input: {} },
    },
  };
}

function* finishGroup(
  transaction: EngineTransaction,
  settlements: readonly Settlement[],
  runs: RunDrafts,
): DatabaseWork<void> {
  const { queue, lanes, now } = transaction;
  giveRoom(
    lanes,
    settlements.map(({ row }) => row.lane),
    now,
  );
  const givenAway = transaction.handOver?.givenAway;
  yield* queue.settle(
    settlements
      .filter(({ row }) => !givenAway?.has(row.id))
      .map(({ row }) => ({ jobId: row.id, message: row.message, lane: row.lane })),
  );
  const again = settlements.filter(({ outcome }) => outcome.kind === "retry");
  yield* queue.enqueue(
    again.map(({ row, outcome }) => ({
      jobId: row.id,
      lane: row.lane,
      priority: row.priority,
      runAt: outcome.kind === "retry" ? outcome.at : now,
    })),
    now,
  );
  yield* writeRuns(transaction, runs);
  const ended = [...runs.values()].filter(({ state, isChanged }) => isChanged && isEnded(state));
  yield* closeEndedRuns(transaction, ended);
  // Ending runs may have changed others of them, so only quiet groups pass on what they wrote.
  transaction.written.clear();
  if (ended.length === 0) for (const run of runs.values()) transaction.written.set(run.id, run);
}
