/**
 * What is open in a run, as routing sees it: bounded by the work under way, not by the work done.
 *
 * Routing looks at states, not at events: whatever changed since it last looked, in whatever order, one look
 * finds it. So two tasks that finish at the same instant are routed by one look, and a look too many does nothing.
 */

import type { Json, JsonObject } from "../../../kernel/base/json.ts";

/** The whole run, or one item of a foreach: `<id of the container>/<index>`. */
export type Scope = string;
export const WHOLE_RUN: Scope = "";

export function itemScope(containerId: string, index: number): Scope {
  return `${containerId}/${index}`;
}

export function placeInForeach(
  scope: Scope,
): { readonly containerId: string; readonly index: number } | undefined {
  const cut = scope.lastIndexOf("/");
  if (cut < 0) return undefined;
  return { containerId: scope.slice(0, cut), index: Number(scope.slice(cut + 1)) };
}

/** One arrival at a step. Its id is its task's. */
export interface Visit {
  readonly id: string;
  readonly step: string;
  readonly scope: Scope;
  /** Undefined while the work is not done. */
  readonly outcome: Outcome | undefined;
  /** Waits for a person: a manual step, a question, a hold. */
  readonly isResting: boolean;
  /** Done, but nobody can say where it leads; only a person changes that. */
  readonly isHeld: boolean;
}

export type Outcome =
  | "completed"
  /** Done, and the model described work that should follow before going on. */
  | "continued"
  | "failed"
  /** A person said to go on without it. */
  | "skipped";

/** A foreach at work. Its visit is open until its join has been reached. */
export interface Container {
  readonly id: string;
  readonly step: string;
  readonly scope: Scope;
  /** Whose output the items came from. */
  readonly from: string;
  readonly total: number;
  readonly completed: number;
  readonly failed: number;
  readonly skipped: number;
  /** How many wait to be started; the first of them stand in `next`. */
  readonly pending: number;
  readonly next: readonly PendingItem[];
  /** Indexes that are under way. */
  readonly live: readonly number[];
  readonly isHeld: boolean;
  /** A person, or the deadline, lets the join go on with what there is. */
  readonly isForced: boolean;
  /** The deadline passed and the workflow says that this is a failure. */
  readonly isOverdue: boolean;
}

export interface PendingItem {
  readonly index: number;
  readonly value: Json;
  /** How often it has begun before. */
  readonly attempts: number;
}

/** Something that waits at a join of parallel edges. */
export interface Arrival {
  readonly scope: Scope;
  readonly join: string;
  readonly visitId: string;
  readonly isFailed: boolean;
  /** Position among the edges that lead to the join: results stand in drawing order. */
  readonly place: number;
}

/** Where a join of parallel edges stands besides its arrivals. */
export interface JoinMark {
  readonly scope: Scope;
  readonly join: string;
  readonly isForced: boolean;
  readonly isOverdue: boolean;
}

export interface OpenRun {
  /** Everything not routed yet, oldest first: under way, waiting, or just done. */
  readonly visits: readonly Visit[];
  readonly containers: readonly Container[];
  readonly arrivals: readonly Arrival[];
  readonly marks: readonly JoinMark[];
  /** Failures that no join has taken up, by the scope they happened in. */
  readonly failures: readonly Failure[];
  /** Tasks made so far. */
  readonly tasks: number;
  readonly caps: Caps;
}

export interface Failure {
  readonly visitId: string;
  readonly step: string;
  readonly scope: Scope;
}

/** What people allowed beyond what the workflow says. */
export interface Caps {
  readonly tasks?: number;
  readonly iterations?: Readonly<Record<string, number>>;
  readonly items?: Readonly<Record<string, number>>;
}

/** The values routing needs, read beforehand. */
export interface Facts {
  readonly runInput: JsonObject;
  /** Of the visits that are done and not routed. */
  outputOf(visitId: string): Json;
  /** `steps` and what an item brings: its variable, `item`, `index`, `total`, `parentId`. */
  namesIn(scope: Scope): JsonObject;
  /** How often the step was visited in this scope. */
  visitsOf(scope: Scope, step: string): number;
}
