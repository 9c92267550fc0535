/** Turns jobs as handlers describe them into rows, and puts them where they belong: ready, parked or blocked. */

import { ProductError } from "../base/errors.ts";
import type { DatabaseWork } from "../store/database-work.ts";
import type { NewJob } from "./decision.ts";
import type { EngineTransaction } from "./engine-transaction.ts";
import { bookPlace, takePlace } from "./hand-over.ts";
import type { HandlerRegistry } from "./handler.ts";
import { insertJobs, insertJobsStatement, type JobRow, type JobToInsert } from "./jobs.ts";
import { addLane, isLimitedLane } from "./lanes.ts";
import type { QueueMessage } from "./queue.ts";
import { isParking, type RunDraft } from "./run-drafts.ts";

export const MOVE_LANE = "move";

/** The engine's own move: adds the next slice of a large batch. */
export const SPREAD_HANDLER = "engine.spread";

/** A job with its run and the batch it is a token of. */
export interface PlannedJob {
  readonly run: RunDraft;
  readonly job: NewJob;
  readonly batchId: string | null;
  readonly isBlocked?: boolean;
  /** The finishing job whose place this one may take. */
  readonly predecessor?: JobRow;
}

/** Inserts the jobs and announces those that are ready. Says which were new. */
export function* addJobs(
  transaction: EngineTransaction,
  planned: readonly PlannedJob[],
): DatabaseWork<readonly boolean[]> {
  if (planned.length === 0) return [];
  const rows = planRows(transaction, planned);
  return yield* announceRows(transaction, planned, rows, yield* insertJobs(rows));
}

/** For a run that was added in this transaction: all its jobs are new, so there is nothing to wait for. */
export function* addJobsOfNewRun(
  transaction: EngineTransaction,
  planned: readonly PlannedJob[],
): DatabaseWork<void> {
  const rows = planRows(transaction, planned);
  yield { ...insertJobsStatement(rows), isBlind: true };
  yield* announceRows(transaction, planned, rows, new Set(rows.map(({ id }) => id)));
}

/** The jobs as they will be inserted. */
export function planRows(
  transaction: EngineTransaction,
  planned: readonly PlannedJob[],
): readonly JobToInsert[] {
  const { handOver, now } = transaction;
  return planned.map((plan) => {
    const row = toRow(transaction, plan);
    const isLimited = isLimitedLane(transaction.lanes, row.lane);
    return (isLimited ? undefined : takePlace(handOver, row, plan.predecessor, now)) ?? row;
  });
}

/** Counts and announces the rows that were new. */
export function* announceRows(
  transaction: EngineTransaction,
  planned: readonly PlannedJob[],
  rows: readonly JobToInsert[],
  inserted: ReadonlySet<string>,
): DatabaseWork<readonly boolean[]> {
  const { handOver } = transaction;
  const messages: QueueMessage[] = [];
  rows.forEach((row, position) => {
    if (!inserted.has(row.id)) return;
    const { run, predecessor } = planned[position] ?? {};
    if (row.state === "leased" && handOver && predecessor) bookPlace(handOver, row, predecessor);
    if (run) {
      run.openJobs += 1;
      run.jobs += 1;
      run.isChanged = true;
    }
    addLane(transaction.lanes, row.lane);
    if (row.state === "ready") {
      messages.push({ jobId: row.id, lane: row.lane, priority: row.priority, runAt: row.run_at });
    }
  });
  yield* transaction.queue.enqueue(messages, transaction.now);
  return rows.map(({ id }) => inserted.has(id));
}

function toRow(
  { handlers, nextId, now }: EngineTransaction,
  { run, job, batchId, isBlocked }: PlannedJob,
): JobToInsert {
  const input = JSON.stringify(job.input);
  if (input.length > MAX_PAYLOAD) {
    throw new ProductError(
      "job_too_large",
      `The input of step "${job.step ?? job.handler}" is ${input.length} characters long.`,
      {
        kind: "limit",
        hint: `At most ${MAX_PAYLOAD} are carried from step to step; keep large things in artifacts.`,
      },
    );
  }
  return {
    id: nextId(),
    run_id: run.id,
    key: job.key,
    ...placeOf(handlers, job),
    handler: job.handler,
    step: job.step ?? job.handler,
    item: job.item ?? null,
    input,
    state: isBlocked ? "blocked" : isParking(run) ? "parked" : "ready",
    priority: job.priority ?? 0,
    run_at: job.runAt ?? now,
    batch_id: batchId,
    worker: null,
    lease_until: null,
    fence: 0,
    attempt: 0,
    message: null,
    created_at: now,
  };
}

/**
 * A handler that is not known here may be known to another worker, or again tomorrow: the job is planned, and whoever
 * meets it without its handler holds it where people see it. Refusing here would stop timers and joins of others.
 */
export function placeOf(
  handlers: HandlerRegistry,
  job: Pick<NewJob, "handler" | "input">,
): { readonly kind: "turn" | "move"; readonly lane: string } {
  const handler = job.handler === SPREAD_HANDLER ? undefined : handlers.find(job.handler);
  return handler?.kind === "turn"
    ? { kind: "turn", lane: handler.lane(job.input) }
    : { kind: "move", lane: MOVE_LANE };
}

const MAX_PAYLOAD = 2_000_000;
