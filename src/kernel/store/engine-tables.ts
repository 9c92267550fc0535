/** The rows of the engine's tables, as the database holds them; `engine-migration.ts` makes them. */

import type { Generated } from "kysely";

export type RunState =
  | "queued"
  | "running"
  | "waiting"
  | "paused"
  | "held"
  | "completed"
  | "failed"
  | "cancelled";

export type JobState =
  | "ready"
  | "parked"
  | "blocked"
  | "leased"
  | "held"
  | "done"
  | "failed"
  | "cancelled";

export type WaitState = "early" | "open" | "answered" | "expired" | "cancelled";
export type AnswerOutcome = "answered" | "failed" | "lost";
export type ArtifactState = "complete" | "partial" | "stale" | "superseded";

export interface RunTable {
  id: string;
  project_id: string | null;
  method: string;
  title: string;
  state: RunState;
  reason: string | null;
  input: string;
  result: string | null;
  data: Generated<string>;
  /** Unique among the runs of one parent. */
  key: string | null;
  limits: string;
  parent_run_id: string | null;
  /** The job that the parent run gets when this one ends. */
  on_end: string | null;
  started_by: string;
  open_jobs: Generated<number>;
  held_jobs: Generated<number>;
  open_waits: Generated<number>;
  open_timers: Generated<number>;
  open_runs: Generated<number>;
  jobs: Generated<number>;
  turns: Generated<number>;
  input_tokens: Generated<number>;
  output_tokens: Generated<number>;
  cost_micro_usd: Generated<number>;
  has_unknown_cost: Generated<number>;
  version: Generated<number>;
  is_archived: Generated<number>;
  created_at: number;
  started_at: number | null;
  finished_at: number | null;
}

export interface JobTable {
  id: string;
  run_id: string;
  key: string;
  kind: "turn" | "move";
  handler: string;
  step: string;
  item: string | null;
  input: string;
  state: JobState;
  lane: string;
  priority: Generated<number>;
  run_at: number;
  attempt: Generated<number>;
  fence: Generated<number>;
  worker: string | null;
  lease_until: number | null;
  batch_id: string | null;
  progress: string | null;
  failure: string | null;
  message: string | null;
  created_at: number;
  finished_at: number | null;
}

export interface BatchTable {
  id: string;
  run_id: string;
  key: string;
  parent_batch_id: string | null;
  total: number;
  remaining: number;
  failed: Generated<number>;
  concurrency: number | null;
  /** Tokens under way; kept only where `concurrency` limits them. */
  running: Generated<number>;
  is_open: Generated<number>;
  follow_up: string;
  created_at: number;
  finished_at: number | null;
}

export interface BatchSliceTable {
  batch_id: string;
  position: number;
  jobs: string;
}

export interface TextTable {
  hash: string;
  body: string;
}

export interface ExchangeTable {
  id: string;
  run_id: string;
  job_id: string;
  step: string;
  item: string | null;
  attempt: number;
  continuation: number;
  model: string;
  contract: string;
  /** `[{role, text}]`, or `[{role, shared: hash}]` where the text is kept once in `text`. Empty once pruned. */
  messages: string;
  prompt_hash: string;
  trace: string | null;
  /** What the call may take at most, set aside until it is answered. */
  reserved_micro_usd: Generated<number>;
  reserved_tokens: Generated<number>;
  created_at: number;
}

export interface AnswerTable {
  exchange_id: string;
  run_id: string;
  outcome: AnswerOutcome;
  /** Null once pruned; the hash stays. */
  reply: string | null;
  reply_hash: string;
  finish: string | null;
  raw_finish: string | null;
  reading: string | null;
  failure: string | null;
  input_tokens: number | null;
  output_tokens: number | null;
  cached_tokens: number | null;
  cost_micro_usd: number | null;
  is_cost_estimated: number;
  finished_at: number;
}

export interface DeltaTable {
  id: Generated<number>;
  exchange_id: string;
  body: string;
}

export interface EventTable {
  id: Generated<number>;
  transaction_id: Generated<number>;
  stream: string;
  seq: number;
  type: string;
  project_id: string | null;
  actor: string;
  /** Null once pruned; `data_hash` keeps the chain checkable. */
  data: string | null;
  data_hash: string;
  at: number;
  previous_hash: string;
  hash: string;
}

export interface EffectTable {
  id: Generated<number>;
  key: string;
  run_id: string;
  job_id: string;
  exchange_id: string | null;
  kind: string;
  data: string;
  at: number;
}

export interface WaitTable {
  id: string;
  run_id: string;
  project_id: string | null;
  job_id: string | null;
  key: string;
  kind: string;
  title: string;
  reason: string;
  evidence: Generated<string>;
  form: Generated<string>;
  answers: string;
  follow_up: string | null;
  assignee_id: string | null;
  snoozed_until: number | null;
  deadline: number | null;
  on_deadline: string | null;
  state: WaitState;
  answer: string | null;
  answered_by: string | null;
  answered_at: number | null;
  version: Generated<number>;
  created_at: number;
}

export interface TimerTable {
  id: string;
  run_id: string;
  key: string;
  due_at: number;
  follow_up: string;
  is_open: Generated<number>;
  created_at: number;
}

export interface LaneTable {
  name: string;
  max_running: number | null;
  running: Generated<number>;
  rate_per_minute: number | null;
  burst: number | null;
  tokens: Generated<number>;
  refilled_at: Generated<number>;
}

/** What was used: `day` by date, `project:<id>` over `all` time. */
export interface SpendTable {
  scope: string;
  period: string;
  micro_usd: Generated<number>;
  tokens: Generated<number>;
  turns: Generated<number>;
}

/** What may be used: `day`, or `project:<id>`. */
export interface BudgetTable {
  scope: string;
  micro_usd: number | null;
  tokens: number | null;
  turns: number | null;
}

export interface ArtifactTable {
  id: string;
  project_id: string | null;
  run_id: string | null;
  job_id: string | null;
  exchange_id: string | null;
  kind: string;
  identity: string;
  path: string;
  media_type: string;
  /** Null once pruned; the hash stays. */
  body: string | null;
  hash: string;
  bytes: number;
  inputs: Generated<string>;
  state: ArtifactState;
  is_archived: Generated<number>;
  created_at: number;
}

export interface EngineTables {
  run: RunTable;
  job: JobTable;
  batch: BatchTable;
  batch_slice: BatchSliceTable;
  text: TextTable;
  exchange: ExchangeTable;
  answer: AnswerTable;
  delta: DeltaTable;
  event: EventTable;
  effect: EffectTable;
  wait: WaitTable;
  timer: TimerTable;
  lane: LaneTable;
  spend: SpendTable;
  budget: BudgetTable;
  artifact: ArtifactTable;
}
