/**
 * What a run of a workflow remembers beside its tasks: where each visit stands, the items of its foreaches, what
 * waits at its joins. `run-migration.ts` makes these tables. What a task says of itself stands in the task only.
 */

import { tablesOf } from "../../../kernel/store/query-builder.ts";

export interface WorkflowProgressTable {
  run_id: string;
  /** How often routing has looked at the run; the next look has this number. */
  look: number;
  /** How many tasks it has made. */
  tasks: number;
  /** What people allowed beyond what the workflow says, as JSON. */
  caps: string;
}

export interface StepVisitTable {
  /** The id of its task; of the visit a run begins with, the run's. */
  id: string;
  run_id: string;
  scope: string;
  step: string;
  iteration: number;
  kind: "start" | "work" | "follow_up" | "subflow" | "join" | "container";
  /** Whose output it goes on from. */
  from_id: string | null;
  /** Of a join, as JSON: its container, or the visits that arrived. */
  sources: string;
  outcome: "completed" | "continued" | "failed" | "skipped" | null;
  is_routed: number;
  is_dropped: number;
  is_held: number;
  /** Waits for a person. */
  is_resting: number;
  /** The run, or an item, ended with it. */
  is_last: number;
  /** A failure that nothing has taken up yet. */
  is_failure: number;
  is_forced: number;
  is_overdue: number;
  attempt: number;
  /** How often it has waited for a person: the key of the next wait. */
  waits: number;
  /** What a person said for the next attempt. */
  note: string | null;
  /** Questions of its model with their answers, as JSON. */
  answered: string;
  /** Items of a foreach. */
  total: number | null;
}

export interface ForeachItemTable {
  container_id: string;
  position: number;
  value: string;
  state: "pending" | "live" | "completed" | "failed" | "skipped" | "cancelled";
  attempts: number;
  /** Visits whose outputs are the item's, as JSON. */
  from_ids: string;
}

export interface JoinArrivalTable {
  run_id: string;
  scope: string;
  step: string;
  visit_id: string;
  is_failed: number;
  place: number;
}

export interface JoinMarkTable {
  run_id: string;
  scope: string;
  step: string;
  is_forced: number;
  is_overdue: number;
}

interface RunningTables {
  workflow_progress: WorkflowProgressTable;
  step_visit: StepVisitTable;
  foreach_item: ForeachItemTable;
  join_arrival: JoinArrivalTable;
  join_mark: JoinMarkTable;
}

export const running = tablesOf<RunningTables>();
