/** Letting held and parked work go on: a job that could not, a run that a limit stopped. */

import { ProductError } from "../base/errors.ts";
import { isJsonObject, type Json } from "../base/json.ts";
import { type DatabaseWork, runSql, writeSql } from "../store/database-work.ts";
import { sqlText } from "../store/sql-text.ts";
import { bookTokens, changeTokens, type TokenChanges } from "./batches.ts";
import type { EngineTransaction } from "./engine-transaction.ts";
import { JOB_COLUMNS, type JobRow } from "./jobs.ts";
import { addLane } from "./lanes.ts";
import { runLimitsSchema } from "./limits.ts";
import { placeOf } from "./plan-jobs.ts";
import { isParking, type RunDraft, runEvent } from "./run-drafts.ts";

/** The job starts over with all its attempts; a reply that was kept is decided on again without a call. */
export function* retryHeldJob(
  { queue, lanes, handlers, now, events }: EngineTransaction,
  run: RunDraft,
  jobId: string,
): DatabaseWork<void> {
  const state = isParking(run) ? "parked" : "ready";
  const [job] = yield* runSql<JobRow>(RETRY_HELD, [state, now, jobId]);
  if (!job) throw notHeld(jobId);
  run.heldJobs -= 1;
  run.openJobs += 1;
  run.isChanged = true;
  events.push(runEvent(run, "job.retried", { job: jobId, step: job.step, item: job.item }));
  const { kind, lane } = placeOf(handlers, { ...job, input: JSON.parse(job.input) as Json });
  if (kind !== job.kind || lane !== job.lane) {
    // It was planned where its handler was not known.
    yield* writeSql(PLACE_JOB, [kind, lane, jobId]);
    addLane(lanes, lane);
  }
  if (state === "ready") {
    yield* queue.enqueue([{ jobId, lane, priority: job.priority, runAt: now }], now);
  }
}

/** The job counts as failed; its batch goes on without it. */
export function* skipHeldJob(
  transaction: EngineTransaction,
  run: RunDraft,
  jobId: string,
): DatabaseWork<void> {
  const [job] = yield* runSql<JobRow>(SKIP_HELD, [transaction.now, jobId]);
  if (!job) throw notHeld(jobId);
  run.heldJobs -= 1;
  run.isChanged = true;
  transaction.events.push(
    runEvent(run, "job.skipped", { job: jobId, step: job.step, item: job.item }),
  );
  if (job.batch_id === null) return;
  const tokens: TokenChanges = new Map();
  changeTokens(tokens, job.batch_id, -1, 1);
  yield* bookTokens(transaction, new Map([[run.id, run]]), tokens);
}

/** Makes a stopped run's parked jobs ready again. */
export function* goOn(
  { queue, now, events }: EngineTransaction,
  run: RunDraft,
  actor: string,
): DatabaseWork<void> {
  const jobs = yield* runSql<JobRow>(UNPARK, [run.id]);
  yield* queue.enqueue(
    jobs.map(({ id, lane, priority, run_at }) => ({ jobId: id, lane, priority, runAt: run_at })),
    now,
  );
  run.reason = null;
  run.state = "queued";
  run.isChanged = true;
  events.push(runEvent(run, "run.resumed", {}, actor));
}

/** `fields` names the limits to set anew; without any, what was reached is doubled, or more where that is not enough. */
export function* raiseLimits(run: RunDraft, fields: Json | undefined): DatabaseWork<void> {
  const given = isJsonObject(fields) ? fields : {};
  const raised = Object.keys(given).length > 0 ? { ...run.limits, ...given } : doubled(run);
  const parsed = runLimitsSchema.safeParse(raised);
  if (!parsed.success) {
    throw new ProductError("limits_invalid", "These are not limits of a run.", {
      hint: "Give whole numbers for turns, jobs, tokens, costMicroUsd or wallMs.",
    });
  }
  yield* writeSql(SET_LIMITS, [JSON.stringify(parsed.data), run.id]);
}

function doubled({ limits, reason }: RunDraft) {
  if (reason?.code === "limit_cost_unknown") return { ...limits, allowUnknownPrice: true };
  const name = LIMIT_OF_CODE[reason?.code ?? ""];
  const limit = name === undefined ? undefined : limits[name];
  if (name === undefined || limit === undefined) return limits;
  return { ...limits, [name]: Math.max(limit * 2, reason?.atLeast ?? 1) };
}

const LIMIT_OF_CODE: Readonly<
  Record<string, "turns" | "jobs" | "tokens" | "costMicroUsd" | "wallMs">
> = {
  limit_jobs: "jobs",
  limit_turns: "turns",
  limit_tokens: "tokens",
  limit_cost: "costMicroUsd",
  limit_time: "wallMs",
};

function notHeld(jobId: string): ProductError {
  return new ProductError("job_not_held", "This job is not held any more.", {
    kind: "conflict",
    hint: "Someone else has dealt with it; look at the run again.",
    details: { jobId },
  });
}

const RETRY_HELD = sqlText(
  `update job set state = ?, attempt = 0, failure = null, run_at = ? where id = ? and state = 'held' returning ${JOB_COLUMNS}`,
);
const PLACE_JOB = sqlText("update job set kind = ?, lane = ? where id = ?");
const SKIP_HELD = sqlText(
  `update job set state = 'failed', finished_at = ? where id = ? and state = 'held' returning ${JOB_COLUMNS}`,
);
const UNPARK = sqlText(
  `update job set state = 'ready' where run_id = ? and state = 'parked' returning ${JOB_COLUMNS}`,
);
const SET_LIMITS = sqlText("update run set limits = ? where id = ?");
