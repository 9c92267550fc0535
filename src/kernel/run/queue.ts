/**
 * Delivers "job X is ready". The job row is the truth, so a message that is lost, late or doubled does no
 * harm: leasing checks the row, and the sweeper announces again what stayed undelivered.
 */

import type { DatabaseWork } from "../store/database-work.ts";

export interface QueueMessage {
  readonly jobId: string;
  readonly lane: string;
  readonly priority: number;
  readonly runAt: number;
}

/** A delivered message; `message` is the queue's own name for it. */
export interface Delivery {
  readonly jobId: string;
  readonly message: string | null;
  readonly lane: string;
}

export interface Queue {
  enqueue(messages: readonly QueueMessage[], now: number): DatabaseWork<void>;
  claim(lane: string, count: number, now: number): DatabaseWork<readonly Delivery[]>;
  heartbeat(deliveries: readonly Delivery[]): DatabaseWork<void>;
  /** The jobs are finished or will be announced anew. */
  settle(deliveries: readonly Delivery[]): DatabaseWork<void>;
  cancel(jobIds: readonly string[]): DatabaseWork<void>;
}
