/**
 * One transaction of the engine: what it works with, and what it gathers to be written at its end.
 *
 * Locks are always taken in the same order, so that workers never wait for each other in a circle:
 * limited lanes when it begins, then runs in order of id. Whoever holds a run may append to its event stream.
 */

import type { Usage } from "../model/model-provider.ts";
import type { DatabaseWork } from "../store/database-work.ts";
import { appendToLocked, type Head, type NewEvent } from "../store/events.ts";
import { createSpendBook, type SpendBook, writeSpend } from "./budgets.ts";
import type { HandOver } from "./hand-over.ts";
import type { HandlerRegistry } from "./handler.ts";
import { type LaneBook, openLaneBook, writeLaneBook } from "./lanes.ts";
import type { Queue } from "./queue.ts";
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
  /** Ends of the event streams of runs that are locked here. */
  readonly heads: Map<string, Head>;
  /** Runs as they were just written: whoever needs them next need not read them again. */
  readonly written: Map<string, RunDraft>;
  /** Jobs announced as ready right away; whoever has room looks for them. */
  announced: number;
}

export function* inEngineTransaction<Result>(
  tools: EngineTools,
  now: number,
  body: (transaction: EngineTransaction) => DatabaseWork<Result>,
): DatabaseWork<Result> {
  const lanes = yield* openLaneBook();
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
    heads: new Map(),
    written: new Map(),
    announced: 0,
  };
  const result = yield* body(transaction);
  yield* writeLaneBook(lanes);
  yield* writeSpend(transaction.spend);
  yield* appendToLocked(transaction.events, now, transaction.heads);
  return result;
}
