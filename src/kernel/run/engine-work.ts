/** The engine's own transactions: settle and claim together, exchange again, keep leases, let go of them. */

import type { DatabaseWork, StatementResult } from "../store/database-work.ts";
import { bookUse } from "./book-use.ts";
import {
  admitCall,
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
  isAnswered,
  type NewExchange,
} from "./exchanges.ts";
import { stopAtLimits } from "./give-back.ts";
import { createHandOver } from "./hand-over.ts";
import type { HandlerRegistry } from "./handler.ts";
import {
  extendLeases,
  isLeaseHeld,
  listLeases,
  listLeasesOf,
  makeReady,
  type SeenLease,
} from "./jobs.ts";
import { giveRoom } from "./lanes.ts";
import { progressOfPart } from "./lost-exchanges.ts";
import type { Exchanged } from "./perform-turn.ts";
import { lockFreeRuns, lockRuns, writeRuns } from "./run-drafts.ts";
import { type Settlement, settle, settleOpening } from "./settle.ts";

export interface GroupResult {
  readonly turns: readonly TurnLease[];
  /** Claimed and not decided yet: moves that a long chain of moves left over, or all where `decidesMoves` was off. */
  readonly undecided: readonly Settlement[];
  /** True when there may be more to claim right away. */
  readonly isMore: boolean;
}

export interface GroupRequest extends ClaimRequest {
  /** How many turns may be under way because of it, claimed or handed on. */
  readonly room: number;
  /** Moves need no model, so they are decided in the transaction that claims them; off after one of them failed. */
  readonly decidesMoves: boolean;
  /** Whether effects and follow-ups are taken to be new; the group fails where one is not. */
  readonly expectsNew: boolean;
}

export const NO_CLAIM: GroupRequest = {
  worker: "",
  room: 0,
  slots: 0,
  moves: 0,
  leaseUntil: 0,
  polls: false,
  turnOfLanes: 0,
  decidesMoves: false,
  expectsNew: false,
};

/** Moves that follow from moves are decided in the same transaction, but no transaction grows without end. */
const MOVE_ROUNDS = 8;

export function groupWork(
  tools: EngineTools,
  batch: readonly Settlement[],
  request: GroupRequest,
  now: number,
): DatabaseWork<GroupResult> {
  // Where nothing is asked of the queue, settling is what comes first.
  const opening = request.polls ? [] : settleOpening(inTurn(tools.handlers, batch).now, now);
  return inEngineTransaction(tools, now, work, opening);

  function* work(
    transaction: EngineTransaction,
    opened: readonly StatementResult[],
  ): DatabaseWork<GroupResult> {
    // What is queued comes first: it needs no lock on the runs that settling holds until the commit.
    const queued = request.polls ? yield* claim(transaction, request) : NOTHING_CLAIMED;
    const turns: TurnLease[] = [...queued.turns];
    let decided = decidedOf(queued);
    if (!request.decidesMoves && decided.length > 0)
      return { turns, undecided: decided, isMore: true };
    // Whoever waits in the queue goes first; what is handed on takes the room that is left.
    let isMore = request.slots > 0 && turns.length >= request.slots;
    const room = request.room - turns.length;
    transaction.handOver = createHandOver(request.worker, request.leaseUntil, room);
    transaction.expectsNew = request.expectsNew;
    transaction.announced = 0;
    decided = [...batch, ...decided];
    const postponed: Settlement[] = [];
    for (let round = 0; round < MOVE_ROUNDS; round += 1) {
      if (round > 0) {
        const { ours, others } = yield* ofFreeRuns(transaction, decided);
        postponed.push(...others);
        decided = ours;
      }
      const { now: first, later } = inTurn(tools.handlers, decided);
      const isOpened = round === 0 && !request.polls;
      if (first.length > 0) yield* settle(transaction, first, isOpened ? opened : undefined);
      const handed = transaction.handOver.taken.length;
      const slots = Math.min(request.slots, request.room - turns.length - handed);
      const polls = (slots > 0 || request.moves > 0) && transaction.announced > 0;
      const isFull = slots <= 0 && transaction.announced > 0;
      transaction.announced = 0;
      const claimed = yield* claim(transaction, { ...request, slots, polls });
      turns.push(...claimed.turns);
      transaction.handOver.room = request.room - turns.length;
      isMore ||= isFull || (polls && claimed.turns.length - handed >= slots);
      decided = [...later, ...decidedOf(claimed)];
      if (decided.length === 0) {
        return { turns, undecided: postponed, isMore: isMore || postponed.length > 0 };
      }
      if (!request.decidesMoves)
        return { turns, undecided: [...postponed, ...decided], isMore: true };
    }
    return { turns, undecided: [...postponed, ...decided], isMore: true };
  }
}

/** Runs are locked in order when a transaction begins; later only those that nobody has, so that none waits in a circle. */
function* ofFreeRuns(
  { lockedRuns }: EngineTransaction,
  decided: readonly Settlement[],
): DatabaseWork<{ readonly ours: readonly Settlement[]; readonly others: readonly Settlement[] }> {
  const more = decided.map(({ row }) => row.run_id).filter((id) => !lockedRuns.has(id));
  if (more.length === 0) return { ours: decided, others: [] };
  const free = yield* lockFreeRuns(more);
  const isOurs = ({ row }: Settlement) => lockedRuns.has(row.run_id) || free.has(row.run_id);
  return {
    ours: decided.filter(isOurs),
    others: decided.filter((settlement) => !isOurs(settlement)),
  };
}

const NOTHING_CLAIMED: Claim = { turns: [], moves: [], settled: [] };

function decidedOf({ moves, settled }: Claim): readonly Settlement[] {
  return [...moves.map(moved), ...settled];
}

/** A move that goes last waits while anything else of its run is settled. */
function inTurn(
  handlers: HandlerRegistry,
  decided: readonly Settlement[],
): { readonly now: readonly Settlement[]; readonly later: readonly Settlement[] } {
  const goesLast = ({ row }: Settlement) => {
    const handler = row.kind === "move" ? handlers.find(row.handler) : undefined;
    return handler?.kind === "move" && handler.goesLast === true;
  };
  const last = decided.filter(goesLast);
  if (last.length === 0) return { now: decided, later: [] };
  const now = decided.filter((settlement) => !goesLast(settlement));
  const busy = new Set(now.map(({ row }) => row.run_id));
  const later: Settlement[] = [];
  for (const settlement of last) {
    if (busy.has(settlement.row.run_id)) later.push(settlement);
    else {
      busy.add(settlement.row.run_id);
      now.push(settlement);
    }
  }
  return { now, later };
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

/**
 * Keeps an answer that was not the last of its turn, and the prompt that follows it, if it may be sent. May be repeated
 * where it is not known whether it was committed: with the lease still there, an answer that is kept was kept by us.
 */
export function exchangeWork(
  tools: EngineTools,
  { row }: TurnLease,
  { answer, hasDeltas, next, soFar, enlargements }: Exchanged,
  now: number,
): DatabaseWork<NewExchange | undefined> {
  return inEngineTransaction(tools, now, function* (transaction) {
    const runs = yield* lockRuns([row.run_id]);
    const run = runs.get(row.run_id);
    if (!run || !(yield* isLeaseHeld(row.id, row.fence))) return undefined;
    if (yield* isAnswered(answer.exchangeId)) return next;
    yield* insertAnswers([answer], now);
    if (hasDeltas) yield* deleteDeltas([answer.exchangeId]);
    bookUse(transaction, run, answer);
    yield* writeRuns(transaction, runs);
    const admitted = yield* admitCall(transaction, { row, run }, next, enlargements);
    if ("code" in admitted) {
      const held = { ...row, progress: progressOfPart(soFar) };
      yield* stopAtLimits(transaction, [{ row: held, run, limit: admitted }]);
      return undefined;
    }
    const exchange = { ...next, reserved: admitted };
    yield* insertExchanges([exchange], now);
    return exchange;
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
