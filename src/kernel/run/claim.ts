/**
 * The first durable point of a turn: jobs leased within their lanes' limits, prompts compiled and kept.
 * A model is called only after this has been committed, so no call is ever without a record.
 */

import { describeError, ProductError } from "../base/errors.ts";
import type { Json } from "../base/json.ts";
import { type DatabaseWork, runSql } from "../store/database-work.ts";
import { sqlOverRows } from "../store/sql-text.ts";
import { openBudgets, type PlannedCall, type Reservation } from "./budgets.ts";
import type { EngineTransaction } from "./engine-transaction.ts";
import { insertExchanges, type NewExchange } from "./exchanges.ts";
import { type Limited, parkAgain, stopAtLimits, tryLater } from "./give-back.ts";
import type { JobView, TurnPlan } from "./handler.ts";
import { type JobRow, leaseJobs } from "./jobs.ts";
import { giveRoom, type Lane, roomIn, takeRoom } from "./lanes.ts";
import { type LimitReason, passedJobs, reachedLimit } from "./limits.ts";
import { type KeptReply, loseExchanges, type Resumption } from "./lost-exchanges.ts";
import { MOVE_LANE } from "./plan-jobs.ts";
import type { Delivery } from "./queue.ts";
import { isParking, lockFreeRuns, type RunDraft, readRuns, useOf } from "./run-drafts.ts";
import { isEnded } from "./run-state.ts";
import type { Settlement } from "./settle.ts";
import { continueMessages, storablePrompt } from "./turn-messages.ts";

export interface ClaimRequest {
  readonly worker: string;
  /** How many turns may be taken from the queue. */
  readonly slots: number;
  /** How many moves: they call no model and are over in the same transaction, so they take no turn's place. */
  readonly moves: number;
  readonly leaseUntil: number;
  /** Whether to look at the queue at all; places that were handed over need none. */
  readonly polls: boolean;
  /** Where the round over the lanes begins, so that no lane is always served first. */
  readonly turnOfLanes: number;
}

export interface Lease {
  readonly row: JobRow;
  readonly view: JobView;
}

export interface TurnLease extends Lease {
  readonly plan: TurnPlan;
  readonly exchange: NewExchange;
  /** Text received by an earlier try that this one goes on from. */
  readonly soFar: string;
  /** A reply that was kept but not yet decided on: it is read again instead of being paid for again. */
  readonly keptReply?: KeptReply;
}

export interface Claim {
  readonly turns: readonly TurnLease[];
  readonly moves: readonly Lease[];
  /** Leased jobs that cannot be performed; they are settled like any other. */
  readonly settled: readonly Settlement[];
}

const NOTHING: Claim = { turns: [], moves: [], settled: [] };

export function* claim(transaction: EngineTransaction, request: ClaimRequest): DatabaseWork<Claim> {
  const going = yield* leaseReady(transaction, request);
  return going.length === 0 ? NOTHING : yield* prepare(transaction, going);
}

/** Leases what may start now; nothing of it is prepared yet. */
export function* leaseReady(
  transaction: EngineTransaction,
  request: ClaimRequest,
): DatabaseWork<readonly Going[]> {
  const handed = transaction.handOver?.taken.splice(0) ?? [];
  const queued = request.polls ? yield* leaseQueued(transaction, request) : [];
  const rows = [...handed, ...queued];
  if (rows.length === 0) return [];

  const runs = new Map<string, Readonly<RunDraft>>(transaction.written);
  const unread = rows.map((row) => row.run_id).filter((id) => !runs.has(id));
  if (unread.length > 0) for (const [id, run] of yield* readRuns(unread)) runs.set(id, run);
  const { rows: free, underWay } = yield* countUnderWay(transaction, rows, runs);
  const { going, stopped, limited } = sortByRun(free, runs, underWay, transaction.now);
  yield* parkAgain(transaction, stopped, runs);
  yield* stopAtLimits(transaction, limited);
  for (const { run } of going) if (run.state !== "running") transaction.roused.add(run.id);
  return going.toSorted((a, b) => (a.row.id < b.row.id ? -1 : 1));
}

function* leaseQueued(
  transaction: EngineTransaction,
  request: ClaimRequest,
): DatabaseWork<readonly JobRow[]> {
  const deliveries = yield* takeFromLanes(transaction, request);
  if (deliveries.length === 0) return [];
  const lease = { worker: request.worker, until: request.leaseUntil };
  const rows = yield* leaseJobs(deliveries, lease);
  yield* forgetStale(transaction, deliveries, rows);
  return rows;
}

function* takeFromLanes(
  { lanes, queue, now }: EngineTransaction,
  { turnOfLanes, slots, moves }: ClaimRequest,
): DatabaseWork<readonly Delivery[]> {
  const taken: Delivery[] = [];
  let places = slots;
  for (const lane of rotate([...lanes.lanes.values()], turnOfLanes)) {
    const isMoves = lane.name === MOVE_LANE;
    const wanted = Math.min(roomIn(lane, now).free, isMoves ? moves : places);
    if (wanted <= 0) continue;
    const deliveries = yield* queue.claim(lane.name, wanted, now);
    if (deliveries.length === 0) continue;
    taken.push(...deliveries);
    if (!isMoves) places -= deliveries.length;
    takeRoom(lanes, lane.name, deliveries.length, now);
  }
  return taken;
}

function rotate(lanes: readonly Lane[], by: number): readonly Lane[] {
  const start = lanes.length === 0 ? 0 : by % lanes.length;
  return [...lanes.slice(start), ...lanes.slice(0, start)];
}

/** A message whose job is no longer ready said nothing new. */
function* forgetStale(
  { lanes, queue, now }: EngineTransaction,
  deliveries: readonly Delivery[],
  rows: readonly JobRow[],
): DatabaseWork<void> {
  if (rows.length === deliveries.length) return;
  const leased = new Set(rows.map(({ id }) => id));
  const stale = deliveries.filter(({ jobId }) => !leased.has(jobId));
  giveRoom(
    lanes,
    stale.map(({ lane }) => lane),
    now,
  );
  yield* queue.settle(stale);
}

/** A leased job whose run lets it go on. */
export interface Going {
  readonly row: JobRow;
  readonly run: Readonly<RunDraft>;
}

/**
 * How many turns of runs near their limit are under way. Such runs stay locked while turns of them start, so that
 * workers cannot pass the limit together; one that is in other hands is looked at again a moment later.
 */
function* countUnderWay(
  transaction: EngineTransaction,
  rows: readonly JobRow[],
  runs: Map<string, Readonly<RunDraft>>,
): DatabaseWork<{ readonly rows: readonly JobRow[]; readonly underWay: Map<string, number> }> {
  const underWay = new Map<string, number>();
  const near = [...runs.values()].filter(
    ({ turns, openJobs, limits }) => turns + openJobs > limits.turns,
  );
  if (near.length === 0) return { rows, underWay };
  const locked = yield* lockFreeRuns(near.map(({ id }) => id));
  for (const [id, run] of locked) runs.set(id, run);
  const counted = yield* runSql<{ run_id: string; turns: number }>(COUNT_LEASED_TURNS, [
    JSON.stringify([...locked.keys()].map((id) => ({ id }))),
  ]);
  for (const { run_id, turns } of counted) underWay.set(run_id, turns);
  for (const { run_id, kind } of rows) {
    if (kind === "turn" && locked.has(run_id))
      underWay.set(run_id, (underWay.get(run_id) ?? 1) - 1);
  }
  const isBusy = ({ run_id }: JobRow) =>
    !locked.has(run_id) && near.some(({ id }) => id === run_id);
  yield* tryLater(transaction, rows.filter(isBusy));
  return { rows: rows.filter((row) => !isBusy(row)), underWay };
}

function sortByRun(
  rows: readonly JobRow[],
  runs: ReadonlyMap<string, Readonly<RunDraft>>,
  started: Map<string, number>,
  now: number,
) {
  const going: Going[] = [];
  const stopped: JobRow[] = [];
  const limited: Limited[] = [];
  for (const row of rows) {
    const run = runs.get(row.run_id);
    if (!run || isEnded(run.state) || isParking(run)) {
      stopped.push(row);
      continue;
    }
    const underWay = started.get(run.id) ?? 0;
    const use = useOf(run);
    const limit =
      row.kind === "turn"
        ? reachedLimit(run.limits, { ...use, turns: use.turns + underWay }, now)
        : passedJobs(run.limits, use);
    if (limit) limited.push({ row, run, limit });
    else going.push({ row, run });
    if (row.kind === "turn") started.set(run.id, underWay + 1);
  }
  return { going, stopped, limited };
}

const NO_RESERVATION: Reservation = { microUsd: 0, tokens: 0 };

/** Why the turn may not call again, or what is set aside for it: each of its calls counts like a turn of its own. */
export function* admitCall(
  transaction: EngineTransaction,
  { row, run }: Going,
  call: PlannedCall,
  enlargements: number,
): DatabaseWork<Reservation | LimitReason> {
  const { underWay } = yield* countUnderWay(transaction, [row], new Map([[run.id, run]]));
  const use = useOf(run);
  const turns = use.turns + (underWay.get(run.id) ?? 0);
  const limit = reachedLimit(run.limits, { ...use, turns }, transaction.now);
  if (limit) return limit;
  const budgets = yield* openBudgets(transaction, [run]);
  return budgets.reserve(run, call, enlargements);
}

export function* prepare(
  transaction: EngineTransaction,
  leased: readonly Going[],
): DatabaseWork<Claim> {
  const turns: TurnLease[] = [];
  const moves: Lease[] = [];
  const settled: Settlement[] = [];
  const retried = leased
    .filter(({ row }) => row.kind === "turn" && row.fence > 1)
    .map(({ row }) => row);
  const { resumptions, busyJobs } = yield* loseExchanges(transaction, retried);
  yield* tryLater(
    transaction,
    retried.filter(({ id }) => busyJobs.has(id)),
  );
  const going = leased.filter(({ row }) => !busyJobs.has(row.id));
  const callers = new Set(going.filter(({ row }) => row.kind === "turn").map(({ run }) => run));
  const budgets = yield* openBudgets(transaction, [...callers]);
  const overBudget: Limited[] = [];
  for (const { row, run } of going) {
    const lease = { row, view: toView(row, run, transaction.now) };
    if (row.kind === "move") {
      moves.push(lease);
      continue;
    }
    const prepared = yield* prepareTurn(transaction, lease, resumptions.get(row.id));
    if ("outcome" in prepared) {
      settled.push(prepared);
      continue;
    }
    const reserved = prepared.keptReply ? NO_RESERVATION : budgets.reserve(run, prepared.exchange);
    if ("code" in reserved) overBudget.push({ row, run, limit: reserved });
    else turns.push({ ...prepared, exchange: { ...prepared.exchange, reserved } });
  }
  yield* stopAtLimits(transaction, overBudget);
  yield* insertExchanges(
    turns.filter(({ keptReply }) => !keptReply).map(({ exchange }) => exchange),
    transaction.now,
  );
  for (const { view, plan, exchange } of turns) {
    for (const effect of plan.effects ?? [])
      transaction.takenUp.push({ effect, view, exchangeId: exchange.id });
  }
  return { turns, moves, settled };
}

function* prepareTurn(
  transaction: EngineTransaction,
  lease: Lease,
  resumption: Resumption | undefined,
): DatabaseWork<TurnLease | Settlement> {
  const { row, view } = lease;
  try {
    if (row.attempt > MOST_ATTEMPTS && !resumption?.keptReply) throw lostTooOften(row);
    const handler = transaction.handlers.handler(row.handler);
    if (handler.kind !== "turn") throw new Error(`"${row.handler}" is not a turn.`);
    const compiled = yield* handler.compile(view);
    const plan = { ...compiled, prompt: storablePrompt(compiled.prompt) };
    const soFar = resumption?.received ?? "";
    const exchange: NewExchange = {
      id: transaction.nextId(),
      runId: row.run_id,
      jobId: row.id,
      step: row.step,
      item: row.item,
      attempt: row.attempt,
      continuation: soFar === "" ? 0 : 1,
      plan,
      reserved: NO_RESERVATION,
      messages: soFar === "" ? plan.prompt.messages : continueMessages(plan, soFar),
    };
    const keptReply = resumption?.keptReply;
    return { ...lease, plan, exchange, soFar, ...(keptReply ? { keptReply } : {}) };
  } catch (error) {
    const reason = describeError(error);
    return {
      ...lease,
      answers: [],
      hasDeltas: false,
      outcome: { kind: "held", reason, progress: row.progress },
    };
  }
}

/** Failures are given up earlier; only a job whose workers do not survive it, or are stopped under it, comes this far. */
const MOST_ATTEMPTS = 20;

function lostTooOften({ attempt }: JobRow): ProductError {
  return new ProductError(
    "worker_lost_often",
    `The worker that performed this was lost or stopped ${attempt - 1} times in a row.`,
    {
      kind: "unavailable",
      hint: "Look at what ends the workers, such as too little memory; then let it try again.",
    },
  );
}

export function toView(row: JobRow, run: Readonly<RunDraft>, now: number): JobView {
  return {
    id: row.id,
    runId: row.run_id,
    projectId: run.projectId,
    method: run.method,
    startedBy: run.startedBy,
    key: row.key,
    step: row.step,
    item: row.item,
    input: JSON.parse(row.input) as Json,
    attempt: row.attempt,
    batchId: row.batch_id,
    now,
  };
}

const COUNT_LEASED_TURNS = sqlOverRows(
  { id: "text" },
  "select run_id, count(*) as turns from job where state = 'leased' and kind = 'turn' and run_id in (select id from {rows}) group by run_id",
);
