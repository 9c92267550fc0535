/**
 * What follows from a finished job, as data. Handlers decide; one writer applies, all of it or nothing,
 * in the transaction that finishes the job.
 */

import type { Json } from "../base/json.ts";
import type { Reason, RunLimits } from "./limits.ts";

export interface Decision {
  /** Changes of state, each applied once by its key. */
  readonly effects?: readonly Effect[];
  readonly jobs?: readonly NewJob[];
  readonly batches?: readonly NewBatch[];
  readonly waits?: readonly NewWait[];
  readonly timers?: readonly NewTimer[];
  /** Runs that this one starts and waits for. */
  readonly runs?: readonly NewChildRun[];
  /** What the run planned and no longer wants, by key. It ends before anything of this decision begins. */
  readonly withdraw?: Withdrawal;
  readonly events?: readonly DecisionEvent[];
  /** Ends the run, or replaces what the method remembers about it. */
  readonly run?: RunChange;
  /** Keeps the job from being done: nothing else of the decision is dropped. */
  readonly hold?: Reason;
}

export interface Effect {
  /** Unique in the run: the same effect decided twice is applied once. */
  readonly key: string;
  readonly kind: string;
  readonly data: Json;
}

export interface NewJob {
  /** Unique in the run: planning the same job twice adds nothing. */
  readonly key: string;
  readonly handler: string;
  readonly input: Json;
  /** What people call it; the handler's name unless given. */
  readonly step?: string;
  readonly item?: string;
  readonly runAt?: number;
  /** Lower goes first. */
  readonly priority?: number;
  /** Stays in the batch of the job that is finishing, which then does not count as finished there. */
  readonly staysInBatch?: boolean;
}

/** Jobs that finish together. The last one to finish adds `followUp`, exactly once. */
export interface NewBatch {
  readonly key: string;
  readonly jobs: readonly NewJob[];
  readonly followUp: NewJob;
  /** How many of its jobs may be under way at once. */
  readonly concurrency?: number;
}

/** What the run needs from outside. All open waits together are the inbox. */
export interface NewWait {
  /** Unique in the run; an answer that came before the question is found by it. */
  readonly key: string;
  readonly kind: string;
  readonly title: string;
  readonly reason: string;
  readonly evidence?: readonly Json[];
  readonly form?: readonly Json[];
  /** The words by which it may be answered, such as `approve` and `reject`. */
  readonly answers: readonly string[];
  readonly assigneeId?: string;
  readonly deadline?: { readonly at: number; readonly answer: string };
  /** Its input becomes `{...input, answer: {choice, fields, note, by, at}}`. */
  readonly followUp: NewJob;
}

export interface NewTimer {
  readonly key: string;
  readonly dueAt: number;
  readonly followUp: NewJob;
}

export interface NewRun {
  readonly method: string;
  readonly title: string;
  readonly input: Json;
  readonly jobs: readonly NewJob[];
  readonly data?: Json;
  readonly limits?: Partial<RunLimits>;
}

export interface NewChildRun extends NewRun {
  /** Unique among the runs this run starts. */
  readonly key: string;
  /** Added here when the child ends; its input becomes `{...input, child: {runId, state, result, reason}}`. */
  readonly onEnd: NewJob;
}

/** What is over already stays as it is; a call under way is aborted, and what it still brings is refused. */
export interface Withdrawal {
  readonly jobs?: readonly string[];
  readonly waits?: readonly string[];
  readonly timers?: readonly string[];
  readonly runs?: readonly string[];
}

export interface DecisionEvent {
  readonly type: string;
  readonly data: Json;
}

export interface RunChange {
  readonly end?: { readonly state: "completed"; readonly result: Json } | RunFailure;
  readonly data?: Json;
}

export interface RunFailure {
  readonly state: "failed";
  readonly reason: Reason;
}

export interface WaitAnswer {
  readonly choice: string;
  readonly fields?: Json;
  readonly note?: string;
}
