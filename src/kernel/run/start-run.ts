/** Starting runs: the row, its first jobs and the event, in the caller's transaction. */

import { ProductError } from "../base/errors.ts";
import { type DatabaseWork, runRows, writeRows } from "../store/database-work.ts";
import { START_OF_STREAM } from "../store/events.ts";
import { insertText } from "../store/sql-text.ts";
import type { NewChildRun, NewJob, NewRun } from "./decision.ts";
import {
  type EngineTools,
  type EngineTransaction,
  inEngineTransaction,
} from "./engine-transaction.ts";
import { type RunLimits, runLimitsSchema } from "./limits.ts";
import { addJobsOfNewRun } from "./plan-jobs.ts";
import { type NewRunRow, newDraft, type RunDraft, runEvent } from "./run-drafts.ts";
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
    const begun = beginRun(transaction, run, owner);
    yield* writeRows(INSERT_RUNS, [begun.row]);
    yield* addFirstJobs(transaction, begun);
    return begun.row.id;
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
  const begun = beginRun(transaction, child, parent, {
    runId: parent.id,
    key: child.key,
    onEnd: JSON.stringify({ job: child.onEnd, batchId } satisfies KeptJob),
    limits: parent.limits,
  });
  const added = yield* runRows(INSERT_RUNS, [begun.row]);
  if (added.length === 0) return false;
  parent.openRuns += 1;
  parent.isChanged = true;
  yield* addFirstJobs(transaction, begun);
  return true;
}

interface ParentLink {
  readonly runId: string;
  readonly key: string;
  readonly onEnd: string;
  readonly limits: RunLimits;
}

/** A run that is not written yet, with the jobs it begins with. */
interface BegunRun {
  readonly row: NewRunRow;
  readonly draft: RunDraft;
  readonly jobs: readonly NewJob[];
}

function beginRun(
  { nextId, now }: EngineTransaction,
  run: NewRun,
  owner: RunOwner,
  parent?: ParentLink,
): BegunRun {
  if (run.jobs.length === 0) {
    throw new ProductError("run_empty", "A run needs at least one job to begin with.", {
      kind: "internal",
    });
  }
  const limits = runLimitsSchema.parse({ ...parent?.limits, ...run.limits });
  // Planning the same job twice adds nothing, here as anywhere.
  const seen = new Set<string>();
  const jobs = run.jobs.filter(({ key }) => !seen.has(key) && seen.add(key));
  const row: NewRunRow = {
    id: nextId(),
    project_id: owner.projectId,
    method: run.method,
    title: run.title,
    input: JSON.stringify(run.input),
    data: JSON.stringify(run.data ?? {}),
    limits: JSON.stringify(limits),
    started_by: owner.startedBy,
    parent_run_id: parent?.runId ?? null,
    key: parent?.key ?? null,
    on_end: parent?.onEnd ?? null,
    open_jobs: jobs.length,
    jobs: jobs.length,
    created_at: now,
    state: "queued",
  };
  return { row, draft: newDraft(row, limits), jobs };
}

/** The run is nobody else's yet, so its jobs are new and its stream is empty. It stays queued until one is taken. */
function* addFirstJobs(
  transaction: EngineTransaction,
  { row, draft, jobs }: BegunRun,
): DatabaseWork<void> {
  const { id, method, title, started_by: actor } = row;
  transaction.events.push(runEvent(draft, "run.queued", { method, title }, actor));
  transaction.heads.set(id, START_OF_STREAM);
  yield* addJobsOfNewRun(
    transaction,
    jobs.map((job) => ({ run: draft, job, batchId: null })),
  );
}

const INSERT_RUNS = insertText(
  "run",
  {
    id: "text",
    project_id: "text",
    method: "text",
    title: "text",
    input: "text",
    data: "text",
    limits: "text",
    started_by: "text",
    parent_run_id: "text",
    key: "text",
    on_end: "text",
    open_jobs: "int",
    jobs: "int",
    created_at: "int",
    state: "text",
  },
  "on conflict do nothing",
  "id",
);
