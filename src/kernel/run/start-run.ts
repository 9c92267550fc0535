/** Starting runs: the row, its first jobs and the event, in the caller's transaction. */

import { ProductError } from "../base/errors.ts";
import { type DatabaseWork, runSql, writeSql } from "../store/database-work.ts";
import { sqlText } from "../store/sql-text.ts";
import type { NewChildRun, NewRun } from "./decision.ts";
import {
  type EngineTools,
  type EngineTransaction,
  inEngineTransaction,
} from "./engine-transaction.ts";
import { type RunLimits, runLimitsSchema } from "./limits.ts";
import { addJobs } from "./plan-jobs.ts";
import { lockRuns, type RunDraft, runEvent } from "./run-drafts.ts";
import type { KeptJob } from "./waits.ts";

export interface RunOwner {
  readonly projectId: string | null;
  /** The user whose rights the run acts with. */
  readonly startedBy: string;
}

/** Adds a run; the engine takes it up as soon as it is woken. Gives the run's id. */
export function* startRun(
  tools: EngineTools,
  run: NewRun,
  owner: RunOwner,
  now: number,
): DatabaseWork<string> {
  return yield* inEngineTransaction(tools, now, function* (transaction) {
    const id = transaction.nextId();
    yield* insertRun(id, run, owner, now);
    yield* addFirstJobs(transaction, id, run, owner.startedBy);
    return id;
  });
}

/**
 * A child runs on its own; its parent waits for its end, and so does the batch whose place the child keeps.
 * A child planned twice is started once: false says that it was there already.
 */
export function* addChildRun(
  transaction: EngineTransaction,
  parent: RunDraft,
  child: NewChildRun,
  batchId: string | null,
): DatabaseWork<boolean> {
  const id = transaction.nextId();
  const isNew = yield* insertRun(id, child, parent, transaction.now, {
    runId: parent.id,
    key: child.key,
    onEnd: JSON.stringify({ job: child.onEnd, batchId } satisfies KeptJob),
    limits: parent.limits,
  });
  if (!isNew) return false;
  parent.openRuns += 1;
  parent.isChanged = true;
  yield* addFirstJobs(transaction, id, child, parent.startedBy);
  return true;
}

interface ParentLink {
  readonly runId: string;
  readonly key: string;
  readonly onEnd: string;
  readonly limits: RunLimits;
}

function* insertRun(
  id: string,
  run: NewRun,
  owner: RunOwner,
  now: number,
  parent?: ParentLink,
): DatabaseWork<boolean> {
  const limits = runLimitsSchema.parse({ ...parent?.limits, ...run.limits });
  const rows = yield* runSql(INSERT_RUN, [
    id,
    owner.projectId,
    run.method,
    run.title,
    JSON.stringify(run.input),
    JSON.stringify(run.data ?? {}),
    JSON.stringify(limits),
    owner.startedBy,
    parent?.runId ?? null,
    parent?.key ?? null,
    parent?.onEnd ?? null,
    now,
  ]);
  return rows.length === 1;
}

function* addFirstJobs(
  transaction: EngineTransaction,
  id: string,
  run: NewRun,
  actor: string,
): DatabaseWork<void> {
  if (run.jobs.length === 0) {
    throw new ProductError("run_empty", "A run needs at least one job to begin with.", {
      kind: "internal",
    });
  }
  const drafts = yield* lockRuns([id]);
  const draft = drafts.get(id);
  if (!draft) return;
  transaction.events.push(
    runEvent(draft, "run.queued", { method: run.method, title: run.title }, actor),
  );
  yield* addJobs(
    transaction,
    run.jobs.map((job) => ({ run: draft, job, batchId: null })),
  );
  yield* writeSql(COUNT_JOBS, [draft.openJobs, draft.jobs, id]);
}

const INSERT_RUN = sqlText(
  `insert into run (id, project_id, method, title, input, data, limits, started_by, parent_run_id, key, on_end, created_at, state)
   values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'queued') on conflict do nothing returning id`,
);
// Written as counts, not through `writeRuns`: the run stays queued until a worker takes its first job.
const COUNT_JOBS = sqlText("update run set open_jobs = ?, jobs = ? where id = ?");
