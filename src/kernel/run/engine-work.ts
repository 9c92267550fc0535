/** The engine's own transactions: settle and claim together, exchange again, keep leases, let go of them. */

import type { DatabaseWork } from "../store/database-work.ts";
import { bookUse } from "./book-use.ts";
import {
  type Claim,
  type ClaimRequest,
  claim,
  type Going,
  type Lease,
  leaseReady,
  prepare,
  type TurnLease,
} from "./claim.ts";
import {
  type EngineTools,
  type EngineTransaction,
  inEngineTransaction,
} from "./engine-transaction.ts";
import {
  deleteDeltas,
  insertAnswers,
  insertExchanges,
  type NewAnswer,
  type NewExchange,
} from "./exchanges.ts";
import { createHandOver } from "./hand-over.ts";
import {
  extendLeases,
  isLeaseHeld,
  listLeases,
  listLeasesOf,
  makeReady,
  type SeenLease,
} from "./jobs.ts";
import { giveRoom } from "./lanes.ts";
import { lockRuns, writeRuns } from "./run-drafts.ts";
import { type Settlement, settle } from "./settle.ts";

export interface GroupResult {
  readonly turns: readonly TurnLease[];
  /** Claimed and not decided yet: moves that a long chain of moves left over, or all where `decidesMoves` was off. */
  readonly undecided: readonly Settlement[];
  /** True when there may be more to claim right away. */
  readonly isMore: boolean;
}

export interface GroupRequest extends ClaimRequest {
  /** Moves need no model, so they are decided in the transaction that claims them; off after one of them failed. */
  readonly decidesMoves: boolean;
}

export const NO_CLAIM: GroupRequest = {
  worker: "",
  slots: 0,
  moves: 0,
  leaseUntil: 0,
  polls: false,
  turnOfLanes: 0,
  decidesMoves: false,
};

/** Moves that follow from moves are decided in the same transaction, but no transaction grows without end. */
const MOVE_ROUNDS = 8;

export function groupWork(
  tools: EngineTools,
  batch: readonly Settlement[],
  request: GroupRequest,
  now: number,
): DatabaseWork<GroupResult> {
  return inEngineTransaction(tools, now, function* (transaction) {
    // What is queued comes first: it needs no lock on the runs that settling holds until the commit.
    const queued = request.polls ? yield* claim(transaction, request) : NOTHING_CLAIMED;
    const turns: TurnLease[] = [...queued.turns];
    let decided = decidedOf(queued);
    if (!request.decidesMoves && decided.length > 0)
      return { turns, undecided: decided, isMore: true };
    const room = request.slots - turns.length;
    transaction.handOver = createHandOver(request.worker, request.leaseUntil, room);
    transaction.announced = 0;
    decided = [...batch, ...decided];
    for (let round = 0; round < MOVE_ROUNDS; round += 1) {
      if (decided.length > 0) yield* settle(transaction, decided);
      const slots = request.slots - turns.length;
      const polls = (slots > 0 || request.moves > 0) && transaction.announced > 0;
      transaction.announced = 0;
      const claimed = yield* claim(transaction, { ...request, slots, polls });
      turns.push(...claimed.turns);
      decided = decidedOf(claimed);
      if (decided.length === 0) {
        // Where the room ran out, in whichever round, there may be more to claim.
        return { turns, undecided: [], isMore: request.slots > 0 && turns.length >= request.slots };
      }
      if (!request.decidesMoves) return { turns, undecided: decided, isMore: true };
    }
    return { turns, undecided: decided, isMore: true };
  });
}

const NOTHING_CLAIMED: Claim = { turns: [], moves: [], settled: [] };

function decidedOf({ moves, settled }: Claim): readonly Settlement[] {
  return [...moves.map(moved), ...settled];
}

/** Leases one job and prepares nothing, so that what cannot be prepared can still be told from its neighbours. */
export function leaseWork(
  tools: EngineTools,
  request: ClaimRequest,
  now: number,
): DatabaseWork<readonly Going[]> {
  return inEngineTransaction(tools, now, (transaction) =>
    leaseReady(transaction, { ...request, slots: 1, moves: 1, polls: true }),
  );
}

/** Prepares a job leased before, and decides it when it is a move. */
export function prepareWork(
  tools: EngineTools,
  going: Going,
  now: number,
): DatabaseWork<GroupResult> {
  return inEngineTransaction(tools, now, function* (transaction) {
    const { turns, moves, settled } = yield* prepare(transaction, [going]);
    const decided = [...moves.map(moved), ...settled];
    if (decided.length > 0) yield* settle(transaction, decided);
    return { turns, undecided: [], isMore: true };
  });
}

/** Keeps an answer that was not the last of its turn, and the prompt that follows it. */
export function exchangeWork(
  tools: EngineTools,
  { row }: TurnLease,
  exchanged: {
    readonly answer: NewAnswer;
    readonly next: NewExchange;
    readonly hasDeltas: boolean;
  },
  now: number,
): DatabaseWork<boolean> {
  return inEngineTransaction(tools, now, function* (transaction) {
    const runs = yield* lockRuns([row.run_id]);
    if (!(yield* isLeaseHeld(row.id, row.fence))) return false;
    yield* insertAnswers([exchanged.answer], now);
    if (exchanged.hasDeltas) yield* deleteDeltas([exchanged.answer.exchangeId]);
    yield* insertExchanges([exchanged.next], now);
    bookUse(transaction, runs.get(row.run_id), exchanged.answer);
    yield* writeRuns(transaction, runs);
    return true;
  });
}

/** Extends the leases that still stand; gives their jobs' ids. */
export function* beat(
  tools: EngineTools,
  leases: readonly Lease[],
  until: number,
): DatabaseWork<ReadonlySet<string>> {
  const held = yield* extendLeases(
    leases.map(({ row }) => ({ id: row.id, fence: row.fence })),
    until,
  );
  yield* tools.queue.heartbeat(
    leases
      .filter(({ row }) => held.has(row.id))
      .map(({ row }) => ({ jobId: row.id, message: row.message, lane: row.lane })),
  );
  return held;
}

/** A worker that stops gives its jobs back at once, so nobody waits for its leases to run out. */
export function letGo(tools: EngineTools, worker: string, now: number): DatabaseWork<number> {
  return inEngineTransaction(tools, now, function* (transaction) {
    return yield* giveBack(transaction, yield* listLeasesOf(worker));
  });
}

/** For whoever holds a workspace alone: every lease there is belongs to a process that is gone. */
export function takeOverAll(tools: EngineTools, now: number): DatabaseWork<number> {
  return inEngineTransaction(tools, now, function* (transaction) {
    return yield* giveBack(transaction, yield* listLeases());
  });
}

function* giveBack(
  { lanes, queue, now }: EngineTransaction,
  leases: readonly SeenLease[],
): DatabaseWork<number> {
  const rows = yield* makeReady(leases, now);
  giveRoom(
    lanes,
    rows.map(({ lane }) => lane),
    now,
  );
  yield* queue.settle(rows.map(({ id, message, lane }) => ({ jobId: id, message, lane })));
  yield* queue.enqueue(
    rows.map(({ id, lane, priority }) => ({ jobId: id, lane, priority, runAt: now })),
    now,
  );
  return rows.length;
}

function moved({ row, view }: Lease): Settlement {
  return { row, view, answers: [], hasDeltas: false, outcome: { kind: "moved" } };
}
