/** What people do with runs: pause, resume, cancel, retry. Each takes hold in one transaction. */

import { notFound, ProductError } from "../base/errors.ts";
import { type DatabaseWork, runSql, writeSql } from "../store/database-work.ts";
import { sqlText } from "../store/sql-text.ts";
import { closeEndedRuns } from "./end-runs.ts";
import {
  type EngineTools,
  type EngineTransaction,
  inEngineTransaction,
} from "./engine-transaction.ts";
import { goOn, retryHeldJob } from "./held-work.ts";
import { changeState, isParking, lockRuns, type RunDraft, writeRuns } from "./run-drafts.ts";
import { isEnded } from "./run-state.ts";

/** What all of them are, for whoever offers several alike. */
export type RunControl = (
  tools: EngineTools,
  runId: string,
  actor: string,
  now: number,
) => DatabaseWork<unknown>;

/** What is under way finishes; nothing new starts. */
export function pauseRun(
  tools: EngineTools,
  runId: string,
  actor: string,
  now: number,
): DatabaseWork<void> {
  return withRun(tools, runId, now, function* (transaction, run) {
    if (run.state === "paused") return;
    const reason = { code: "paused", message: "Paused by a person.", isStopped: true };
    changeState(transaction, run, { state: "paused", reason, actor });
    const parked = yield* runSql<{ id: string }>(PARK_JOBS, [run.id]);
    yield* transaction.queue.cancel(parked.map(({ id }) => id));
  });
}

export function resumeRun(
  tools: EngineTools,
  runId: string,
  actor: string,
  now: number,
): DatabaseWork<void> {
  return withRun(tools, runId, now, function* (transaction, run) {
    if (!isParking(run)) {
      throw new ProductError("run_not_paused", `The run is ${run.state}, not paused.`, {
        kind: "conflict",
      });
    }
    yield* writeSql(CLOSE_LIMIT_WAITS, [actor, now, run.id]);
    const [left] = yield* runSql<{ count: number }>(COUNT_WAITS, [run.id]);
    run.openWaits = left?.count ?? 0;
    yield* goOn(transaction, run, actor);
  });
}

/** Everything the run still owns ends; a call under way is aborted by its worker within its next heartbeat. */
export function cancelRun(
  tools: EngineTools,
  runId: string,
  actor: string,
  now: number,
): DatabaseWork<void> {
  return withRun(tools, runId, now, function* (transaction, run) {
    changeState(transaction, run, { state: "cancelled", actor });
    yield* [];
  });
}

/** Lets every held job of the run try again. Gives how many there were. */
export function retryRun(
  tools: EngineTools,
  runId: string,
  actor: string,
  now: number,
): DatabaseWork<number> {
  return withRun(tools, runId, now, function* (transaction, run) {
    const held = yield* runSql<{ id: string }>(LIST_HELD, [run.id]);
    for (const { id } of held) yield* retryHeldJob(transaction, run, id);
    if (held.length > 0) {
      yield* writeSql(CLOSE_HELD_WAITS, [actor, now, run.id]);
      const [left] = yield* runSql<{ count: number }>(COUNT_WAITS, [run.id]);
      run.openWaits = left?.count ?? 0;
    }
    return held.length;
  });
}

function withRun<Result>(
  tools: EngineTools,
  runId: string,
  now: number,
  body: (transaction: EngineTransaction, run: RunDraft) => DatabaseWork<Result>,
): DatabaseWork<Result> {
  return inEngineTransaction(tools, now, function* (transaction) {
    const runs = yield* lockRuns([runId]);
    const run = runs.get(runId);
    if (!run) throw notFound("run", runId);
    const wasEnded = isEnded(run.state);
    const result = yield* body(transaction, run);
    yield* writeRuns(transaction, runs);
    // A run that had ended before told its parent then.
    if (isEnded(run.state) && !wasEnded) yield* closeEndedRuns(transaction, [run]);
    return result;
  });
}

const PARK_JOBS = sqlText(
  "update job set state = 'parked' where run_id = ? and state = 'ready' returning id",
);
const CLOSE_LIMIT_WAITS = sqlText(
  "update wait set state = 'answered', answer = '{\"choice\":\"resume\"}', answered_by = ?, answered_at = ?, version = version + 1 where run_id = ? and kind = 'limit_reached' and state = 'open'",
);
const CLOSE_HELD_WAITS = sqlText(
  "update wait set state = 'answered', answer = '{\"choice\":\"retry\"}', answered_by = ?, answered_at = ?, version = version + 1 where run_id = ? and kind = 'held_job' and state = 'open'",
);
const COUNT_WAITS = sqlText(
  "select count(*) as count from wait where run_id = ? and state = 'open'",
);
const LIST_HELD = sqlText("select id from job where run_id = ? and state = 'held' order by id");
