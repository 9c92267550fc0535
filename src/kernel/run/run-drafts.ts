/**
 * Runs as one transaction will leave them. Rows are locked and read once, changed in memory while decisions
 * are applied, and written once: a group of a thousand turns touches each run's row one time.
 */

import type { Json } from "../base/json.ts";
import {
  type DatabaseWork,
  type RowsStatement,
  type RowsText,
  runRows,
  writeRows,
} from "../store/database-work.ts";
import type { RunState } from "../store/engine-tables.ts";
import type { NewEvent } from "../store/events.ts";
import { sqlForRows } from "../store/sql-text.ts";
import { rowsChangedMeanwhile } from "../store/store-errors.ts";
import type { EngineTransaction } from "./engine-transaction.ts";
import { type LimitReason, type RunLimits, type RunUse, runLimitsSchema } from "./limits.ts";
import { checkRunTransition, impliedState, isEnded } from "./run-state.ts";

export interface RunDraft {
  readonly id: string;
  readonly projectId: string | null;
  readonly method: string;
  readonly startedBy: string;
  readonly parentRunId: string | null;
  readonly onEnd: string | null;
  readonly limits: RunLimits;
  /** The state its row has. */
  storedState: RunState;
  state: RunState;
  reason: StoredReason | null;
  result: Json | undefined;
  data: string;
  openJobs: number;
  heldJobs: number;
  openWaits: number;
  openTimers: number;
  openRuns: number;
  jobs: number;
  turns: number;
  inputTokens: number;
  outputTokens: number;
  costMicroUsd: number;
  hasUnknownCost: boolean;
  startedAt: number | null;
  finishedAt: number | null;
  isChanged: boolean;
}

/** `isStopped`: a person paused the run or a limit stopped it; it stays so until someone acts. */
export interface StoredReason extends LimitReason {
  readonly isStopped?: boolean;
}

export type RunDrafts = ReadonlyMap<string, RunDraft>;

/** Locks in order of id, so that two transactions never wait for each other in a circle. */
export function* lockRuns(ids: Iterable<string>): DatabaseWork<Map<string, RunDraft>> {
  return toDrafts(yield* runRows<RunRow>(LOCK_RUNS, idRows(ids)));
}

export function lockRunsStatement(ids: Iterable<string>): RowsStatement {
  return { kind: "rows", sql: LOCK_RUNS, rows: idRows(ids) };
}

/** Locks what nobody else holds; a run in other hands is left out. Never waits, so it may follow other locks. */
export function* lockFreeRuns(ids: Iterable<string>): DatabaseWork<Map<string, RunDraft>> {
  return toDrafts(yield* runRows<RunRow>(LOCK_FREE_RUNS, idRows(ids)));
}

/**
 * For transactions that hold runs already: waiting for more of them, out of order, would be waiting in a circle sooner or
 * later. Where one is in other hands, whoever has it goes first, and we decide again.
 */
export function* lockMoreRuns(ids: Iterable<string>): DatabaseWork<Map<string, RunDraft>> {
  const wanted = new Set(ids);
  const locked = yield* lockFreeRuns(wanted);
  if (locked.size < wanted.size) throw rowsChangedMeanwhile("run");
  return locked;
}

/** Reads without locking: good for deciding what to start, not for changing it. */
export function* readRuns(ids: Iterable<string>): DatabaseWork<Map<string, Readonly<RunDraft>>> {
  return toDrafts(yield* runRows<RunRow>(READ_RUNS, idRows(ids)));
}

/** Settles what state each run is in now, and writes the rows that changed. */
export function* writeRuns(transaction: EngineTransaction, drafts: RunDrafts): DatabaseWork<void> {
  const changed = [...drafts.values()].filter(({ isChanged }) => isChanged);
  if (changed.length === 0) return;
  for (const draft of changed) settleState(transaction, draft);
  const rows = changed.map((draft) => ({
    id: draft.id,
    state: draft.state,
    reason: draft.reason === null ? null : JSON.stringify(draft.reason),
    result: draft.result === undefined ? null : JSON.stringify(draft.result),
    data: draft.data,
    open_jobs: draft.openJobs,
    held_jobs: draft.heldJobs,
    open_waits: draft.openWaits,
    open_timers: draft.openTimers,
    open_runs: draft.openRuns,
    jobs: draft.jobs,
    turns: draft.turns,
    input_tokens: draft.inputTokens,
    output_tokens: draft.outputTokens,
    cost_micro_usd: draft.costMicroUsd,
    has_unknown_cost: draft.hasUnknownCost ? 1 : 0,
    started_at: draft.startedAt,
    finished_at: draft.finishedAt,
  }));
  const hasMoved = changed.map(({ state, storedState }) => state !== storedState);
  yield* writeRows(
    UPDATE_RUNS,
    rows.filter((_, position) => !hasMoved[position]),
  );
  yield* writeRows(
    MOVE_RUNS,
    rows.filter((_, position) => hasMoved[position]),
  );
  for (const draft of changed) draft.storedState = draft.state;
}

/** A run as it is inserted. */
export interface NewRunRow
  extends Pick<
    RunRow,
    | "id"
    | "project_id"
    | "method"
    | "started_by"
    | "parent_run_id"
    | "on_end"
    | "data"
    | "limits"
    | "open_jobs"
    | "jobs"
    | "state"
  > {
  readonly title: string;
  readonly input: string;
  readonly key: string | null;
  readonly created_at: number;
}

/** The draft of a run that is being added. Its jobs count when they are added. */
export function newDraft(row: NewRunRow, limits: RunLimits): RunDraft {
  return {
    id: row.id,
    projectId: row.project_id,
    method: row.method,
    startedBy: row.started_by,
    parentRunId: row.parent_run_id,
    onEnd: row.on_end,
    limits,
    storedState: row.state,
    state: row.state,
    reason: null,
    result: undefined,
    data: row.data,
    openJobs: 0,
    heldJobs: 0,
    openWaits: 0,
    openTimers: 0,
    openRuns: 0,
    jobs: 0,
    turns: 0,
    inputTokens: 0,
    outputTokens: 0,
    costMicroUsd: 0,
    hasUnknownCost: false,
    startedAt: null,
    finishedAt: null,
    isChanged: false,
  };
}

/** Moves a run to a state by the table, with the event that says so. */
export function changeState(
  { events, now }: Pick<EngineTransaction, "events" | "now">,
  draft: RunDraft,
  change: { readonly state: RunState; readonly reason?: StoredReason; readonly actor?: string },
): void {
  if (draft.state === change.state) return;
  checkRunTransition(draft.state, change.state);
  draft.state = change.state;
  draft.reason = change.reason ?? null;
  draft.startedAt ??= change.state === "running" ? now : null;
  draft.finishedAt = isEnded(change.state) ? now : null;
  draft.isChanged = true;
  events.push(
    runEvent(draft, `run.${EVENT_OF_STATE[change.state]}`, reasonData(change.reason), change.actor),
  );
}

export function runEvent(
  draft: Pick<RunDraft, "id" | "projectId">,
  type: string,
  data: Json,
  actor = "engine",
): NewEvent {
  return { stream: draft.id, type, projectId: draft.projectId, actor, data };
}

export function useOf(draft: RunDraft): RunUse {
  return {
    turns: draft.turns,
    jobs: draft.jobs,
    tokens: draft.inputTokens + draft.outputTokens,
    costMicroUsd: draft.costMicroUsd,
    hasUnknownCost: draft.hasUnknownCost,
    startedAt: draft.startedAt,
  };
}

/** New jobs of a stopped run are parked until it goes on. */
export function isParking(draft: RunDraft): boolean {
  return draft.state === "paused" || draft.reason?.isStopped === true;
}

const STALLED: StoredReason = {
  code: "run_stalled",
  message: "The run has nothing left that could move it, and it was not ended by its method.",
  hint: "This is a fault of the method; the run's events show its last step.",
};

const EVENT_OF_STATE: Readonly<Record<RunState, string>> = {
  queued: "queued",
  running: "started",
  waiting: "waiting",
  paused: "paused",
  held: "held",
  completed: "completed",
  failed: "failed",
  cancelled: "cancelled",
};

function settleState(transaction: EngineTransaction, draft: RunDraft): void {
  const implied = impliedState({ state: draft.state, isStopped: isParking(draft) }, draft);
  if (implied === undefined) changeState(transaction, draft, { state: "failed", reason: STALLED });
  else if (implied !== draft.state) changeState(transaction, draft, { state: implied });
}

function reasonData(reason: StoredReason | undefined): Json {
  return reason === undefined ? {} : { code: reason.code, message: reason.message };
}

interface RunRow {
  readonly id: string;
  readonly project_id: string | null;
  readonly method: string;
  readonly started_by: string;
  readonly parent_run_id: string | null;
  readonly on_end: string | null;
  readonly state: RunState;
  readonly reason: string | null;
  readonly result: string | null;
  readonly data: string;
  readonly limits: string;
  readonly open_jobs: number;
  readonly held_jobs: number;
  readonly open_waits: number;
  readonly open_timers: number;
  readonly open_runs: number;
  readonly jobs: number;
  readonly turns: number;
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly cost_micro_usd: number;
  readonly has_unknown_cost: number;
  readonly started_at: number | null;
  readonly finished_at: number | null;
}

const COLUMNS = `run.id, run.project_id, run.method, run.started_by, run.parent_run_id, run.on_end, run.state, run.reason, run.result, run.data,
  run.limits, run.open_jobs, run.held_jobs, run.open_waits, run.open_timers, run.open_runs, run.jobs, run.turns, run.input_tokens, run.output_tokens,
  run.cost_micro_usd, run.has_unknown_cost, run.started_at, run.finished_at`;
const READ_RUNS = selectRuns("");
const LOCK_FREE_RUNS = selectRuns("for no key update skip locked");
const LOCK_RUNS = selectRuns("for no key update");

/** SQLite has one writer at a time: nothing to lock. */
function selectRuns(lock: string): RowsText {
  return sqlForRows(
    { id: "text" },
    `select ${COLUMNS} from run where run.id in (select id from {rows}) order by run.id ${lock}`,
    { sqlite: `select ${COLUMNS} from run where run.id = x.id` },
  );
}

const UPDATED_COLUMNS = {
  id: "text",
  state: "text",
  reason: "text",
  result: "text",
  data: "text",
  open_jobs: "int",
  held_jobs: "int",
  open_waits: "int",
  open_timers: "int",
  open_runs: "int",
  jobs: "int",
  turns: "int",
  input_tokens: "int",
  output_tokens: "int",
  cost_micro_usd: "int",
  has_unknown_cost: "int",
  started_at: "int",
  finished_at: "int",
} as const;
const UPDATE_RUN = `reason = x.reason, result = x.result, data = x.data, open_jobs = x.open_jobs,
     held_jobs = x.held_jobs, open_waits = x.open_waits, open_timers = x.open_timers, open_runs = x.open_runs, jobs = x.jobs, turns = x.turns,
     input_tokens = x.input_tokens, output_tokens = x.output_tokens, cost_micro_usd = x.cost_micro_usd,
     has_unknown_cost = x.has_unknown_cost, started_at = x.started_at, finished_at = x.finished_at, version = run.version + 1
   from {rows} where run.id = x.id`;
// SQLite writes an index anew whenever one of its columns is named, even with the value it has.
const UPDATE_RUNS = sqlForRows(UPDATED_COLUMNS, `update run set ${UPDATE_RUN}`);
const MOVE_RUNS = sqlForRows(UPDATED_COLUMNS, `update run set state = x.state, ${UPDATE_RUN}`);

function idRows(ids: Iterable<string>): readonly { readonly id: string }[] {
  return Array.from(new Set(ids), (id) => ({ id }));
}

/** Of rows that `lockRunsStatement` gave. */
export function toDrafts(rows: readonly unknown[]): Map<string, RunDraft> {
  return new Map((rows as readonly RunRow[]).map((row) => [row.id, toDraft(row)]));
}

function toDraft(row: RunRow): RunDraft {
  return {
    id: row.id,
    projectId: row.project_id,
    method: row.method,
    startedBy: row.started_by,
    parentRunId: row.parent_run_id,
    onEnd: row.on_end,
    limits: parseLimits(row.limits),
    storedState: row.state,
    state: row.state,
    reason: row.reason === null ? null : (JSON.parse(row.reason) as StoredReason),
    result: row.result === null ? undefined : (JSON.parse(row.result) as Json),
    data: row.data,
    openJobs: row.open_jobs,
    heldJobs: row.held_jobs,
    openWaits: row.open_waits,
    openTimers: row.open_timers,
    openRuns: row.open_runs,
    jobs: row.jobs,
    turns: row.turns,
    inputTokens: row.input_tokens,
    outputTokens: row.output_tokens,
    costMicroUsd: row.cost_micro_usd,
    hasUnknownCost: row.has_unknown_cost === 1,
    startedAt: row.started_at,
    finishedAt: row.finished_at,
    isChanged: false,
  };
}

const parsedLimits = new Map<string, RunLimits>();

/** Most runs share the same few limits. */
function parseLimits(text: string): RunLimits {
  const known = parsedLimits.get(text);
  if (known) return known;
  const limits = runLimitsSchema.parse(JSON.parse(text));
  if (parsedLimits.size > 1000) parsedLimits.clear();
  parsedLimits.set(text, limits);
  return limits;
}
