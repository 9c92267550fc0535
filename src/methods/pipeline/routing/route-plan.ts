/** What one look at a run leads to, as data. */

import type { LookedAt } from "../../../kernel/base/condition-evaluate.ts";
import type { Json } from "../../../kernel/base/json.ts";
import type { Arrival, Scope } from "./open-run.ts";

export interface RoutePlan {
  /** Visits that are dealt with; a routed one is completed, failed or skipped as its outcome says. */
  readonly routed: readonly RoutedVisit[];
  readonly visits: readonly NewVisit[];
  readonly containers: readonly NewContainer[];
  /** Items of a foreach that start now. */
  readonly started: readonly StartedItem[];
  readonly ended: readonly EndedItem[];
  /** Containers whose join goes on. */
  readonly closed: readonly ClosedContainer[];
  /** Joins of parallel edges that go on: the arrivals and marks that were there are used up. */
  readonly joined: readonly { readonly scope: Scope; readonly join: string }[];
  /** What waits at joins from now on. */
  readonly arrived: readonly NewArrival[];
  readonly holds: readonly Hold[];
  /** Work that nobody waits for any more. */
  readonly dropped: readonly string[];
  readonly decisions: readonly DecisionRecord[];
  readonly end: RunEnd | undefined;
  /** Another look may find more to do at once. */
  readonly isMore: boolean;
}

export interface RoutedVisit {
  readonly id: string;
  /** True where the run, or an item, ends with it. */
  readonly isLast: boolean;
  /** A failure that a tolerant join has taken up fails nothing else. */
  readonly isAbsorbed: boolean;
}

export interface NewVisit {
  /** Also the id of its task. */
  readonly id: string;
  readonly step: string;
  readonly scope: Scope;
  /** Whose output it goes on from. */
  readonly from: string;
  readonly iteration: number;
  readonly kind:
    | "work"
    /** The rest of a step whose model said how to go on. */
    | "follow_up"
    | "subflow"
    /** Over the items of a foreach, or over what arrived along parallel edges. */
    | "join";
  /** Of a join: its container, or the visits that arrived, in drawing order. */
  readonly sources: readonly string[];
  /** A join that too little reached, or too late, fails where it stands. */
  readonly failed?: { readonly isAbsorbed: boolean };
}

export interface NewContainer {
  readonly id: string;
  readonly step: string;
  readonly scope: Scope;
  readonly from: string;
  readonly iteration: number;
  readonly total: number;
  /** Said where it is shown, such as that there was no array. */
  readonly warning: string | undefined;
}

export interface StartedItem {
  readonly containerId: string;
  readonly index: number;
}

export interface EndedItem extends StartedItem {
  readonly state: "completed" | "failed" | "skipped";
  /** Whose outputs are the item's: by step where there are several. */
  readonly from: readonly string[];
}

export interface ClosedContainer {
  readonly id: string;
  readonly state: "completed" | "failed";
  readonly isAbsorbed: boolean;
}

export interface NewArrival extends Arrival {
  /** The first to arrive starts the join's deadline. */
  readonly isFirst: boolean;
}

export interface Hold {
  /** A visit that is done, or a container. */
  readonly id: string;
  readonly code:
    | "condition_unknown"
    | "no_branch_matches"
    | "decision_cycle"
    | "items_not_array"
    | "too_many_items"
    | "iteration_cap"
    | "task_cap"
    | "join_unsatisfied";
  readonly message: string;
  readonly details: { readonly [name: string]: Json };
}

/** Why a decision went where it went. */
export interface DecisionRecord {
  readonly visitId: string;
  readonly step: string;
  readonly tried: readonly Tried[];
  readonly target: string | undefined;
}

export interface Tried {
  readonly condition: string;
  readonly result: "true" | "false" | "unknown";
  readonly reason?: string;
  readonly evaluated: readonly LookedAt[];
}

export type RunEnd =
  | { readonly state: "completed" }
  | { readonly state: "failed"; readonly failures: readonly string[] };
