/**
 * The durable engine of one process: claims jobs, performs them, settles them, and keeps its leases alive.
 *
 * Settling and claiming share transactions: whatever finished since the last commit is written together, and the
 * jobs that follow are leased in the same commit. Nothing is called before its prompt is durable, and nothing
 * counts as done before the commit that says so.
 */

import type { Clock } from "../base/clock.ts";
import { describeError } from "../base/errors.ts";
import type { Store } from "../store/store.ts";
import { isStoreAway } from "../store/store-errors.ts";
import { createBeats } from "./beats.ts";
import { BEAT_MS } from "./call-model.ts";
import { type Going, type TurnLease, toView } from "./claim.ts";
import type { EngineTools } from "./engine-transaction.ts";
import {
  beat,
  exchangeWork,
  type GroupRequest,
  type GroupResult,
  groupWork,
  leaseWork,
  letGo,
  NO_CLAIM,
  prepareWork,
} from "./engine-work.ts";
import type { NewExchange } from "./exchanges.ts";
import type { JobView, TurnAnswer } from "./handler.ts";
import { progressOf } from "./lost-exchanges.ts";
import type { ModelDirectory } from "./model-directory.ts";
import { type Exchanged, performTurn, type TurnTools } from "./perform-turn.ts";
import type { Settlement } from "./settle.ts";
import { sweep } from "./sweep.ts";
import { createTrust } from "./trust.ts";

export interface EngineOptions extends EngineTools {
  readonly store: Store;
  readonly clock: Clock;
  readonly models: ModelDirectory;
  /** Names this process; leases carry it. */
  readonly worker: string;
  /** Turns under way at once. */
  readonly concurrency: number;
  readonly leaseMs?: number;
  /** How often an idle engine looks for work nobody told it about. */
  readonly pollMs?: number;
  readonly random: () => number;
  onDelta?: TurnTools["onDelta"];
  /**
   * Told of every accepted reply of a model that works on files, before it counts and before anything follows from
   * it: whoever keeps a trail of the files finds them as this turn left them. May be told twice of a turn whose
   * process died in between. Its failures are trouble of its own.
   */
  onFilesWorked?(job: JobView, answer: TurnAnswer): Promise<void>;
  /** Called after every commit that changed something. */
  onCommit?(): void;
  /** Trouble that no caller is there to hear of. */
  onTrouble(error: unknown): void;
}

export interface Engine {
  /** Says that there may be work. */
  wake(): void;
  /** Cancels calls whose run no longer wants them, without waiting for the next heartbeat. */
  checkLeases(): Promise<void>;
  /** Resolves when nothing is claimable, performed or unsettled in this process. */
  whenIdle(): Promise<void>;
  /** Takes no more work, lets go of what is under way and resolves when all is quiet. */
  stop(): Promise<void>;
  readonly active: number;
}

/** SQLite does one thing at a time, so large groups save most; PostgreSQL works on one group while we prepare another. */
const GROUPS = { sqlite: { atOnce: 1, size: 128 }, postgres: { atOnce: 2, size: 50 } } as const;
const HEARTBEAT_MS = 1000;
export const DEFAULT_LEASE_MS = 10_000;
const DEFAULT_POLL_MS = 200;

export function startEngine(options: EngineOptions): Engine {
  const { store, clock, worker, concurrency } = options;
  const leaseMs = options.leaseMs ?? DEFAULT_LEASE_MS;
  /** By exchange: a job whose lease was lost and taken again is under way twice for a moment. */
  const active = new Map<string, { readonly lease: TurnLease; readonly abort: AbortController }>();
  const unsettled: Settlement[] = [];
  const idleWaiters: (() => void)[] = [];
  const stopping = new AbortController();
  const { atOnce: maxGroups, size: groupSize } = GROUPS[store.dialect];
  const trust = createTrust(store.dialect === "postgres");
  let groups = 0;
  /** Places of turns that are being settled. */
  let settling = 0;
  /** Places that are being filled from the queue. */
  let sought = 0;
  let isArmed = false;
  let mayHaveTurns = true;
  let mayHaveMoves = true;
  let turnOfLanes = 0;

  const turnTools: TurnTools = {
    store,
    clock,
    models: options.models,
    beats: createBeats(clock, BEAT_MS, stopping.signal),
    nextId: options.nextId,
    random: options.random,
    onTrouble: (error) => options.onTrouble(error),
    exchangeAgain,
    ...(options.onDelta ? { onDelta: options.onDelta } : {}),
  };

  /** A database that is away in the middle of a turn is waited for: what was received so far is paid for. */
  async function exchangeAgain(
    lease: TurnLease,
    exchanged: Exchanged,
    signal: AbortSignal,
  ): Promise<NewExchange | undefined> {
    while (!signal.aborted) {
      try {
        return await store.write(() => exchangeWork(options, lease, exchanged, clock.now()));
      } catch (error) {
        if (!isStoreAway(error)) throw error;
        options.onTrouble(error);
        await clock.sleep(DEFAULT_POLL_MS, signal);
      }
    }
    return undefined;
  }

  function expectWork(): void {
    mayHaveTurns = true;
    mayHaveMoves = true;
  }

  function arm(): void {
    if (isArmed) return;
    isArmed = true;
    setImmediate(() => {
      isArmed = false;
      pump();
    });
  }

  function pump(): void {
    while (groups < maxGroups) {
      const batch = unsettled.splice(0, groupSize);
      // A turn that is over keeps its place until it is settled, for what follows it. Only where all places are taken
      // do those go first who wait in the queue; elsewhere they get the places that nobody has.
      const given = turnsIn(batch);
      const open = concurrency - active.size - settling - given - turnsIn(unsettled);
      const places = open > 0 ? Math.max(0, open - sought) : given;
      const slots = mayHaveTurns && !stopping.signal.aborted ? Math.min(groupSize, places) : 0;
      const seeks = open > 0 ? slots : 0;
      const room = stopping.signal.aborted ? 0 : given + seeks;
      const wantsTurns = slots > 0;
      const wantsWork = (wantsTurns || mayHaveMoves) && !stopping.signal.aborted;
      if (batch.length === 0 && !wantsWork) break;
      // Turns that nobody has room for now are still there when someone has.
      if (wantsTurns) mayHaveTurns = false;
      if (wantsWork) mayHaveMoves = false;
      groups += 1;
      settling += given;
      sought += seeks;
      void runGroup(batch, { slots, room, polls: wantsWork }).finally(() => {
        groups -= 1;
        settling -= given;
        sought -= seeks;
        const hasRoom = active.size + settling + sought < concurrency;
        if (unsettled.length > 0 || mayHaveMoves || (mayHaveTurns && hasRoom)) arm();
        else announceIdle();
      });
      if (batch.length < groupSize) break;
    }
  }

  async function runGroup(
    batch: readonly Settlement[],
    how: Pick<GroupRequest, "slots" | "room" | "polls">,
  ): Promise<void> {
    const request: GroupRequest = {
      ...how,
      worker,
      moves: stopping.signal.aborted ? 0 : groupSize,
      leaseUntil: clock.now() + leaseMs,
      turnOfLanes: turnOfLanes++,
      decidesMoves: true,
      expectsNew: false,
    };
    try {
      const result = await trust.trying((expectsNew) =>
        store.write(() => groupWork(options, batch, { ...request, expectsNew }, clock.now())),
      );
      unsettled.push(...result.undecided);
      start(result);
    } catch (error) {
      expectWork();
      if (batch.length > 0) await settleOneByOne(batch, error);
      else await claimWithoutDeciding(request, error);
    }
    options.onCommit?.();
  }

  /** A move that cannot be decided or written is told from its neighbours by settling each alone. */
  async function claimWithoutDeciding(request: GroupRequest, groupError: unknown): Promise<void> {
    try {
      const claimed = await store.write(() =>
        groupWork(options, [], { ...request, decidesMoves: false }, clock.now()),
      );
      start(claimed);
      await settleOneByOne(claimed.undecided, groupError);
    } catch {
      await claimSingly(request);
    }
  }

  /** A job that cannot be prepared is told from its neighbours by leasing one first and preparing it after. */
  async function claimSingly(request: GroupRequest): Promise<void> {
    try {
      for (const going of await store.write(() => leaseWork(options, request, clock.now()))) {
        try {
          start(await store.write(() => prepareWork(options, going, clock.now())));
        } catch (error) {
          await holdInstead(unprepared(going, clock.now()), error);
        }
      }
    } catch (error) {
      options.onTrouble(error);
      await clock.sleep(DEFAULT_POLL_MS, stopping.signal);
    }
  }

  /** One settlement that cannot be written must not keep its neighbours from being written. */
  async function settleOneByOne(batch: readonly Settlement[], groupError: unknown): Promise<void> {
    for (const settlement of batch) {
      try {
        await store.write(() => groupWork(options, [settlement], NO_CLAIM, clock.now()));
      } catch (error) {
        await holdInstead(settlement, error ?? groupError);
      }
    }
  }

  /** Keeps the reply that was paid for and holds the job; a database that is away is waited for. */
  async function holdInstead(settlement: Settlement, error: unknown): Promise<void> {
    if (isStoreAway(error)) return settleLater(settlement, error);
    const { outcome } = settlement;
    const progress =
      outcome.kind === "accepted"
        ? progressOf(outcome.answer)
        : outcome.kind === "held"
          ? outcome.progress
          : null;
    const held: Settlement = {
      ...settlement,
      outcome: { kind: "held", reason: describeError(error), progress },
    };
    try {
      await store.write(() => groupWork(options, [held], NO_CLAIM, clock.now()));
    } catch (second) {
      await settleLater(settlement, second);
    }
  }

  async function settleLater(settlement: Settlement, error: unknown): Promise<void> {
    options.onTrouble(error);
    unsettled.push(settlement);
    await clock.sleep(DEFAULT_POLL_MS, stopping.signal);
  }

  function start({ turns, isMore }: GroupResult): void {
    if (isMore) expectWork();
    for (const lease of turns) {
      const abort = new AbortController();
      if (stopping.signal.aborted) abort.abort();
      active.set(lease.exchange.id, { lease, abort });
      void perform(lease, abort.signal);
    }
  }

  async function perform(lease: TurnLease, signal: AbortSignal): Promise<void> {
    let settlement: Settlement | undefined;
    try {
      settlement = await performTurn(turnTools, lease, signal);
      if (settlement) await tellOfFiles(lease, settlement);
    } catch (error) {
      if (!signal.aborted) settlement = unexpected(lease, error);
    }
    active.delete(lease.exchange.id);
    if (settlement) unsettled.push(settlement);
    else expectWork();
    arm();
  }

  async function tellOfFiles(lease: TurnLease, { outcome }: Settlement): Promise<void> {
    if (outcome.kind !== "accepted" || !options.onFilesWorked) return;
    try {
      const { worksOnFiles } = await options.models.find(lease.plan.model);
      if (worksOnFiles) await options.onFilesWorked(lease.view, outcome.answer);
    } catch (error) {
      options.onTrouble(error);
    }
  }

  async function checkLeases(): Promise<void> {
    if (active.size === 0) return;
    const leases = [...active.values()].map(({ lease }) => lease);
    const until = clock.now() + leaseMs;
    const held = await store.write(() => beat(options, leases, until));
    for (const { lease, abort } of active.values()) {
      if (leases.includes(lease) && !held.has(lease.row.id)) abort.abort();
    }
  }

  /** Heartbeats, timers, deadlines, and whatever was announced by nobody. */
  async function tend(): Promise<void> {
    const beatMs = Math.min(HEARTBEAT_MS, leaseMs / 3);
    let beatAt = 0;
    let skew = clock.now() - clock.elapsed();
    let takesOverAt = 0;
    while (!stopping.signal.aborted) {
      try {
        const now = clock.now();
        // Leases are in wall time: after a jump of the clock ours would look as if they had run out.
        const hasJumped = Math.abs(now - clock.elapsed() - skew) > beatMs;
        if (hasJumped || clock.elapsed() >= beatAt) {
          skew = now - clock.elapsed();
          // Those of others, too, until they have seen it.
          if (hasJumped) takesOverAt = clock.elapsed() + leaseMs;
          await checkLeases();
          beatAt = clock.elapsed() + beatMs;
        }
        const takesOver = clock.elapsed() >= takesOverAt;
        if (await sweep(options, store, now, takesOver)) options.onCommit?.();
      } catch (error) {
        options.onTrouble(error);
      }
      expectWork();
      arm();
      await clock.sleep(options.pollMs ?? DEFAULT_POLL_MS, stopping.signal);
    }
  }

  function announceIdle(): void {
    if (active.size > 0 || groups > 0 || unsettled.length > 0) return;
    if (mayHaveTurns || mayHaveMoves) return;
    for (const resolve of idleWaiters.splice(0)) resolve();
  }

  const tending = tend();
  arm();

  return {
    wake: () => {
      expectWork();
      arm();
    },
    checkLeases,
    whenIdle: () =>
      new Promise((resolve) => {
        idleWaiters.push(resolve);
        expectWork();
        arm();
      }),
    stop: async () => {
      stopping.abort();
      for (const { abort } of active.values()) abort.abort();
      await tending;
      while (active.size > 0 || groups > 0 || unsettled.length > 0) {
        arm();
        await clock.sleep(5);
      }
      await store.write(() => letGo(options, worker, clock.now()));
    },
    get active() {
      return active.size;
    },
  };
}

function turnsIn(settlements: readonly Settlement[]): number {
  let turns = 0;
  for (const { row } of settlements) if (row.kind === "turn") turns += 1;
  return turns;
}

function unprepared({ row, run }: Going, now: number): Settlement {
  return {
    row,
    view: toView(row, run, now),
    answers: [],
    hasDeltas: false,
    outcome: { kind: "held", reason: { code: "unprepared", message: "" }, progress: row.progress },
  };
}

function unexpected(lease: TurnLease, error: unknown): Settlement {
  const failure = { reason: describeError(error), exchangeId: undefined, text: "", calls: [] };
  return {
    row: lease.row,
    view: lease.view,
    answers: [],
    hasDeltas: false,
    outcome: { kind: "failed", failure },
  };
}
