/**
 * A job whose follow-up is the next turn hands its place over: the follow-up is inserted already leased, on the same
 * queue message, in the commit that finishes its predecessor. A chain then costs the queue nothing. After a number of
 * such steps the chain goes back to the end of the queue, so that it cannot keep others waiting for ever.
 */

import type { JobRow, JobToInsert } from "./jobs.ts";

export interface HandOver {
  readonly worker: string;
  readonly until: number;
  /** How many turns the worker can still start. */
  room: number;
  /** The follow-ups that were handed a place, in order. */
  readonly taken: JobRow[];
  /** Finished jobs whose queue message went to their follow-up. */
  readonly givenAway: Set<string>;
}

const MOST_STEPS = 20;

export function createHandOver(worker: string, until: number, room: number): HandOver {
  return { worker, until, room, taken: [], givenAway: new Set() };
}

/** The row as it is inserted when it takes its predecessor's place; undefined when it has to queue. */
export function takePlace(
  handOver: HandOver | undefined,
  row: JobToInsert,
  predecessor: JobRow | undefined,
  now: number,
): JobToInsert | undefined {
  if (!handOver || !predecessor || handOver.room <= 0) return undefined;
  const isFit =
    row.kind === "turn" &&
    row.state === "ready" &&
    row.run_at <= now &&
    row.lane === predecessor.lane;
  if (!isFit || (predecessor.steps ?? 0) >= MOST_STEPS) return undefined;
  handOver.room -= 1;
  return {
    ...row,
    state: "leased",
    worker: handOver.worker,
    lease_until: handOver.until,
    fence: 1,
    attempt: 1,
    message: predecessor.message,
  };
}

/** Books a place that was really taken: a follow-up whose key the run already has takes none. */
export function bookPlace(handOver: HandOver, row: JobToInsert, predecessor: JobRow): void {
  handOver.givenAway.add(predecessor.id);
  handOver.taken.push({
    id: row.id,
    run_id: row.run_id,
    key: row.key,
    kind: row.kind,
    handler: row.handler,
    step: row.step,
    item: row.item,
    input: row.input,
    state: "leased",
    lane: row.lane,
    priority: row.priority,
    run_at: row.run_at,
    attempt: row.attempt,
    fence: row.fence,
    batch_id: row.batch_id,
    progress: null,
    message: row.message,
    steps: (predecessor.steps ?? 0) + 1,
  });
}
