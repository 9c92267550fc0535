/**
 * One transaction of the engine: what it works with, and what it gathers to be written at its end.
 *
 * Locks are always taken in the same order, so that workers never wait for each other in a circle:
 * limited lanes when it begins, then runs in order of id. Whoever holds a run may append to its event stream.
 */

import type { DatabaseWork } from "../store/database-work.ts";
import { appendToLocked, type NewEvent } from "../store/events.ts";
import type { HandlerRegistry } from "./handler.ts";
import { type LaneBook, openLaneBook, writeLaneBook } from "./lanes.ts";
import type { Queue } from "./queue.ts";

export interface EngineTools {
  readonly queue: Queue;
  readonly handlers: HandlerRegistry;
  nextId(): string;
}

export interface EngineTransaction extends EngineTools {
  readonly now: number;
  readonly events: NewEvent[];
  readonly lanes: LaneBook;
}

export function* inEngineTransaction<Result>(
  tools: EngineTools,
  now: number,
  body: (transaction: EngineTransaction) => DatabaseWork<Result>,
): DatabaseWork<Result> {
  const lanes = yield* openLaneBook();
  const transaction: EngineTransaction = { ...tools, now, events: [], lanes };
  const result = yield* body(transaction);
  yield* writeLaneBook(lanes);
  yield* appendToLocked(transaction.events, now);
  return result;
}
