/**
 * One transaction of the engine: what it works with, and what it gathers to be written at its end.
 *
 * Locks are always taken in the same order, so that workers never wait for each other in a circle:
 * limited lanes when it begins, then runs in order of id. Whoever holds a run may append to its event stream.
 */

import type { Usage } from "../model/model-provider.ts";
import {
  type DatabaseWork,
  type RowsStatement,
  type StatementResult,
  together,
} from "../store/database-work.ts";
import { appendToLocked, type Head, type NewEvent } from "../store/events.ts";
import { createSpendBook, type SpendBook, writeSpend } from "./budgets.ts";
import { addEffects, type PlannedEffect } from "./effects.ts";
import type { HandOver } from "./hand-over.ts";
import type { HandlerRegistry } from "./handler.ts";
import {
  type LaneBook,
  type LaneRow,
  listLanesStatement,
  openLaneBook,
  writeLaneBook,
} from "./lanes.ts";
import type { Queue } from "./queue.ts";
import { rouseRuns } from "./rouse-runs.ts";
import type { RunDraft } from "./run-drafts.ts";

export interface EngineTools {
  readonly queue: Queue;
  readonly handlers: HandlerRegistry;
  readonly nextId: () => string;
  /** Micro-dollars a use of a model costs; undefined when its price is not known. */
  readonly costOf: (model: string, usage: Usage) => number | undefined;
}

export interface EngineTransaction extends EngineTools {
  readonly now: number;
  readonly events: NewEvent[];
  readonly lanes: LaneBook;
  readonly spend: SpendBook;
  /** Set where places may be handed to follow-ups: in the transaction of a worker that goes on working. */
  handOver: HandOver | undefined;
  /** Effects and follow-ups are taken to be new without being asked for; where one is not, the transaction fails. */
  expectsNew: boolean;
  /** Ends of the event streams of runs that are locked here. */
  readonly heads: Map<string, Head>;
  /** Runs that settling has locked: they stay so until the commit. */
  readonly lockedRuns: Set<string>;
  /** Runs as they were just written: whoever needs them next need not read them again. */
  readonly written: Map<string, RunDraft>;
  /** Jobs announced as ready right away; whoever has room looks for them. */
  announced: number;
  /** Runs of which something was taken up. */
  readonly roused: Set<string>;
  /** What being taken up changes, applied at the end: claiming locks no runs, and must hold nothing while others are waited for. */
  readonly takenUp: PlannedEffect[];
}

/** `opening` is sent along with the first question; its results are given to the body. */
export function* inEngineTransaction<Result>(
  tools: EngineTools,
  now: number,
  body: (
    transaction: EngineTransaction,
    opened: readonly StatementResult[],
  ) => DatabaseWork<Result>,
  opening: readonly RowsStatement[] = [],
): DatabaseWork<Result> {
  const [listed, ...opened] = yield* together([listLanesStatement(), ...opening]);
  const lanes = openLaneBook((listed?.rows ?? []) as readonly LaneRow[]);
  const transaction: EngineTransaction = {
    ...tools,
    queue: {
      ...tools.queue,
      *enqueue(messages, at) {
        transaction.announced += messages.filter(({ runAt }) => runAt <= now).length;
        if (messages.length > 0) yield* tools.queue.enqueue(messages, at);
      },
    },
    now,
    events: [],
    lanes,
    spend: createSpendBook(now),
    handOver: undefined,
    expectsNew: false,
    heads: new Map(),
    lockedRuns: new Set(),
    written: new Map(),
    announced: 0,
    roused: new Set(),
    takenUp: [],
  };
  const result = yield* body(transaction, opened);
  yield* rouseRuns(transaction);
  yield* addEffects(transaction, transaction.takenUp);
  yield* writeLaneBook(lanes);
  yield* writeSpend(transaction.spend);
  yield* appendToLocked(transaction.events, now, transaction.heads);
  return result;
}
