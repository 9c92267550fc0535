/** What the engine asks the database about jobs, always for many at once. */

import {
  type DatabaseWork,
  type RowsStatement,
  runRows,
  runSql,
  writeRows,
  writeSql,
} from "../store/database-work.ts";
import type { JobState } from "../store/engine-tables.ts";
import { insertText, sqlForRows, sqlOverRows, sqlText } from "../store/sql-text.ts";
import type { Delivery } from "./queue.ts";

/** A job as the database gives it back; texts are still JSON. */
export interface JobRow {
  readonly id: string;
  readonly run_id: string;
  readonly key: string;
  readonly kind: "turn" | "move";
  readonly handler: string;
  readonly step: string;
  readonly item: string | null;
  readonly input: string;
  readonly state: JobState;
  readonly lane: string;
  readonly priority: number;
  readonly run_at: number;
  readonly attempt: number;
  readonly fence: number;
  readonly batch_id: string | null;
  readonly progress: string | null;
  readonly message: string | null;
  /** How often its place was handed on without queueing; known only while it is leased here. */
  readonly steps?: number;
}

export interface JobToInsert {
  readonly id: string;
  readonly run_id: string;
  readonly key: string;
  readonly kind: "turn" | "move";
  readonly handler: string;
  readonly step: string;
  readonly item: string | null;
  readonly input: string;
  readonly state: "ready" | "parked" | "blocked" | "leased";
  readonly lane: string;
  readonly priority: number;
  readonly run_at: number;
  readonly batch_id: string | null;
  readonly worker: string | null;
  readonly lease_until: number | null;
  readonly fence: number;
  readonly attempt: number;
  readonly message: string | null;
  readonly created_at: number;
}

/** Gives the ids of those that were new; a key the run already has adds nothing. */
export function* insertJobs(jobs: readonly JobToInsert[]): DatabaseWork<ReadonlySet<string>> {
  if (jobs.length === 0) return new Set();
  const rows = yield* runRows<{ id: string }>(INSERT_JOBS, jobs);
  return new Set(rows.map(({ id }) => id));
}

/** Fails where the run has one of the keys already. */
export function* insertNewJobs(jobs: readonly JobToInsert[]): DatabaseWork<void> {
  yield* writeRows(INSERT_NEW_JOBS, jobs);
}

export function* leaseJobs(
  deliveries: readonly Delivery[],
  lease: { readonly worker: string; readonly until: number },
): DatabaseWork<readonly JobRow[]> {
  if (deliveries.length === 0) return [];
  const rows = deliveries.map(({ jobId, message }) => ({ id: jobId, message, ...lease }));
  return yield* runRows<JobRow>(LEASE_JOBS, inOrder(rows));
}

export interface FencedChange {
  readonly id: string;
  readonly fence: number;
  readonly state: JobState;
  readonly run_at: number | null;
  readonly progress: string | null;
  readonly failure: string | null;
  readonly finished_at: number | null;
  /** The lease was not used: its attempt is given back. */
  readonly unused?: 1;
}

/** Ends leases. Only those whose fence still stands are changed; their ids come back. */
export function* endLeases(changes: readonly FencedChange[]): DatabaseWork<ReadonlySet<string>> {
  if (changes.length === 0) return new Set();
  const rows = yield* runRows<{ id: string }>(END_LEASES, inOrder(changes));
  return new Set(rows.map(({ id }) => id));
}

export function endLeasesStatement(changes: readonly FencedChange[]): RowsStatement {
  return { kind: "rows", sql: END_LEASES, rows: inOrder(changes) };
}

/** Rows are locked in this order, so that two workers do not wait for each other in a circle. */
function inOrder<Row extends { readonly id: string }>(rows: readonly Row[]): readonly Row[] {
  return rows.toSorted((a, b) => (a.id < b.id ? -1 : 1));
}

export function insertJobsStatement(rows: readonly JobToInsert[]): RowsStatement {
  return { kind: "rows", sql: INSERT_JOBS, rows };
}

/** Turns jobs that were just marked done into held ones: their decision could not be made. */
export function* holdDone(
  holds: readonly {
    readonly id: string;
    readonly failure: string;
    readonly progress: string | null;
  }[],
): DatabaseWork<void> {
  if (holds.length > 0) yield* writeSql(HOLD_DONE, [JSON.stringify(holds)]);
}

/** True when the lease still stands; the job stays leased. */
export function* isLeaseHeld(id: string, fence: number): DatabaseWork<boolean> {
  const rows = yield* runSql(FIND_LEASE, [id, fence]);
  return rows.length === 1;
}

/** Lets blocked jobs of a batch go, oldest first. */
export function* releaseBlocked(
  batchId: string,
  count: number,
  now: number,
): DatabaseWork<readonly JobRow[]> {
  return yield* runSql<JobRow>(RELEASE_BLOCKED, [now, batchId, count]);
}

export const JOB_COLUMNS =
  "id, run_id, key, kind, handler, step, item, input, state, lane, priority, run_at, attempt, fence, batch_id, progress, message";
const RETURNED = JOB_COLUMNS.split(", ")
  .map((column) => `job.${column}`)
  .join(", ");

const INSERTED_COLUMNS = {
  id: "text",
  run_id: "text",
  key: "text",
  kind: "text",
  handler: "text",
  step: "text",
  item: "text",
  input: "text",
  state: "text",
  lane: "text",
  priority: "int",
  run_at: "int",
  batch_id: "text",
  worker: "text",
  lease_until: "int",
  fence: "int",
  attempt: "int",
  message: "text",
  created_at: "int",
} as const;
const INSERT_NEW_JOBS = insertText("job", INSERTED_COLUMNS);
const INSERT_JOBS = insertText(
  "job",
  INSERTED_COLUMNS,
  "on conflict (run_id, key) do nothing",
  "id",
);
const LEASE_JOBS = sqlForRows(
  { id: "text", message: "text", worker: "text", until: "int" },
  `update job set state = 'leased', worker = x.worker, lease_until = x.until, fence = job.fence + 1, attempt = job.attempt + 1, message = x.message
   from {rows} where job.id = x.id and job.state = 'ready' returning ${RETURNED}`,
);
const END_LEASES = sqlForRows(
  {
    id: "text",
    fence: "int",
    state: "text",
    run_at: "int",
    progress: "text",
    failure: "text",
    finished_at: "int",
    unused: "int",
  },
  `update job set state = x.state, worker = null, lease_until = null, attempt = job.attempt - coalesce(x.unused, 0), run_at = coalesce(x.run_at, job.run_at),
     progress = x.progress, failure = x.failure, finished_at = x.finished_at
   from {rows} where job.id = x.id and job.fence = x.fence and job.state = 'leased'`,
  { own: "job.id" },
);
const HOLD_DONE = sqlOverRows(
  { id: "text", failure: "text", progress: "text" },
  "update job set state = 'held', failure = x.failure, progress = x.progress, finished_at = null from {rows} where job.id = x.id and job.state = 'done'",
);
const FIND_LEASE = {
  sqlite: "select 1 from job where id = ? and fence = ? and state = 'leased'",
  postgres: "select 1 from job where id = $1 and fence = $2 and state = 'leased' for no key update",
};
const RELEASE_BLOCKED = sqlText(
  `update job set state = 'ready', run_at = ? where id in (select id from job where batch_id = ? and state = 'blocked' order by id limit ?) returning ${JOB_COLUMNS}`,
);

/** Gives the ids of the leases that still stood and were extended. */
export function* extendLeases(
  leases: readonly { readonly id: string; readonly fence: number }[],
  until: number,
): DatabaseWork<ReadonlySet<string>> {
  if (leases.length === 0) return new Set();
  const rows = inOrder(leases.map((lease) => ({ ...lease, until })));
  const held = yield* runRows<{ id: string }>(EXTEND_LEASES, rows);
  return new Set(held.map(({ id }) => id));
}

/** A lease as it was seen; it may have been extended or ended since. */
export interface SeenLease {
  readonly id: string;
  readonly run_id: string;
  readonly lease_until: number;
}

export function* listLeasesOf(worker: string): DatabaseWork<readonly SeenLease[]> {
  return yield* runSql<SeenLease>(LIST_OF_WORKER, [worker]);
}

export function* listLeases(): DatabaseWork<readonly SeenLease[]> {
  return yield* runSql<SeenLease>(LIST_LEASED, []);
}

/** Leases that ran out; their worker is dead, frozen or cut off. */
export function* listExpired(now: number, limit: number): DatabaseWork<readonly SeenLease[]> {
  return yield* runSql<SeenLease>(LIST_EXPIRED, [now, limit]);
}

/**
 * Takes leases away that are still as they were seen. The fence moves on at the next lease, but a write by the old
 * holder fails at once.
 */
export function* makeReady(
  leases: readonly SeenLease[],
  now: number,
): DatabaseWork<readonly JobRow[]> {
  if (leases.length === 0) return [];
  const rows = inOrder(leases.map(({ id, lease_until }) => ({ id, lease_until, run_at: now })));
  return yield* runSql<JobRow>(MAKE_READY, [JSON.stringify(rows)]);
}

const EXTEND_LEASES = sqlForRows(
  { id: "text", fence: "int", until: "int" },
  "update job set lease_until = x.until from {rows} where job.id = x.id and job.fence = x.fence and job.state = 'leased'",
  { own: "job.id" },
);
const LIST_LEASED = sqlText("select id, run_id, lease_until from job where state = 'leased'");
const LIST_OF_WORKER = sqlText(
  "select id, run_id, lease_until from job where state = 'leased' and worker = ?",
);
const LIST_EXPIRED = sqlText(
  "select id, run_id, lease_until from job where state = 'leased' and lease_until < ? order by lease_until limit ?",
);
const MAKE_READY = sqlOverRows(
  { id: "text", lease_until: "int", run_at: "int" },
  `update job set state = 'ready', worker = null, lease_until = null, run_at = x.run_at from {rows}
   where job.id = x.id and job.state = 'leased' and job.lease_until = x.lease_until returning ${RETURNED}`,
);
