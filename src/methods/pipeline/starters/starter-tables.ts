/** What starts runs by itself: schedules, webhooks, and agents that take up tasks. `starter-migration.ts` makes these tables. */

import { tablesOf } from "../../../kernel/store/query-builder.ts";
import type { CatalogueTables } from "../catalogue/workflow-tables.ts";

/** What a schedule or a webhook starts: a stored workflow or one of the library, always as it is by then unless a version is given. */
export interface StartedWorkflow {
  workflow_id: string | null;
  library_ref: string | null;
  workflow_version: number | null;
  /** JSON object; what comes in from outside is laid over it. */
  input: string;
  /** For steps whose agent names none; null for the workspace's default. */
  model: string | null;
}

export interface StarterRow extends StartedWorkflow {
  id: string;
  project_id: string | null;
  name: string;
  is_enabled: number;
  created_by: string;
  /** Whoever said last what it starts: its runs act with their rights. */
  runs_as: string;
  version: number;
  created_at: number;
  updated_at: number;
  row_hash: string;
}

export interface ScheduleTable extends StarterRow {
  cron: string;
  time_zone: string;
  /** Whether a time passes unused while the run before is still going. */
  skips_busy: number;
  /** The next time; null while paused. */
  due_at: number | null;
  last_due_at: number | null;
  last_outcome: "started" | "skipped" | "failed" | null;
  last_run_id: string | null;
  /** Why nothing was started, or how many times were missed. */
  last_note: string | null;
}

export interface WebhookTable extends StarterRow {
  /** Counts the secrets it has had; the secret itself is worked out from this and a key outside of the store. */
  secret_version: number;
  /** By which people tell secrets apart. */
  secret_print: string;
  /** Until then the secret before is good, too. */
  old_secret_until: number | null;
  last_delivery_at: number | null;
  /** Why the last delivery that was believed started nothing. */
  last_note: string | null;
}

/** Everything that was ever let in, so that nothing is let in twice. */
export interface WebhookDeliveryTable {
  webhook_id: string;
  /** The sender's name for it. */
  key: string;
  body_hash: string;
  run_id: string;
  received_at: number;
}

/** Runs that do one task outside of workflows. */
export interface AgentRunTable {
  run_id: string;
  task_id: string;
  /** The saved view of the worker that took it up; only workers with that view, or with none, do its jobs. */
  view: string | null;
  /** The process that took it up; null when somebody did by hand. */
  worker: string | null;
}

interface OwnTables {
  schedule: ScheduleTable;
  webhook: WebhookTable;
  webhook_delivery: WebhookDeliveryTable;
  agent_run: AgentRunTable;
}

export type StarterTables = CatalogueTables & OwnTables;

export const starters = tablesOf<StarterTables>();
