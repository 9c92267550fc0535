/**
 * Answering what a run waits for. An answer counts once: the second one is told who was first. An answer to a
 * question that is not asked yet is kept and used when it is.
 */

import { notFound, ProductError } from "../base/errors.ts";
import { type DatabaseWork, runSql, writeSql } from "../store/database-work.ts";
import type { WaitState } from "../store/engine-tables.ts";
import { sqlText } from "../store/sql-text.ts";
import { addKeptJob } from "./batches.ts";
import type { WaitAnswer } from "./decision.ts";
import { closeEndedRuns } from "./end-runs.ts";
import {
  type EngineTools,
  type EngineTransaction,
  inEngineTransaction,
} from "./engine-transaction.ts";
import { goOn, raiseLimits, retryHeldJob, skipHeldJob } from "./held-work.ts";
import { LIMIT_REACHED } from "./limits.ts";
import { changeState, lockRuns, type RunDraft, runEvent, writeRuns } from "./run-drafts.ts";
import { isEnded } from "./run-state.ts";
import { HELD_JOB } from "./settle.ts";
import { answeredJob, type GivenAnswer, type KeptJob } from "./waits.ts";

export interface Answering {
  readonly answer: WaitAnswer;
  readonly by: string;
  /** The version of the wait that the person saw; a wait changed since is not answered blindly. */
  readonly version?: number | undefined;
}

export function answerWait(
  tools: EngineTools,
  waitId: string,
  answering: Answering,
  now: number,
): DatabaseWork<void> {
  return inEngineTransaction(tools, now, function* (transaction) {
    const [runOf] = yield* runSql<{ run_id: string }>(FIND_RUN_OF_WAIT, [waitId]);
    if (!runOf) throw notFound("wait", waitId);
    const run = (yield* lockRuns([runOf.run_id])).get(runOf.run_id);
    const [wait] = yield* runSql<WaitRow>(FIND_WAIT, [waitId]);
    if (!wait || !run) throw notFound("wait", waitId);
    yield* answerLocked(transaction, run, wait, answering);
  });
}

/**
 * Answers by the run and the wait's key, also before the wait exists. `examine` sees an open wait before it is
 * answered and says how: what holds for its answers cannot be known earlier.
 */
export function answerByKey(
  tools: EngineTools,
  place: { readonly runId: string; readonly key: string },
  answering: Answering,
  now: number,
  examine?: (waitId: string) => DatabaseWork<Answering>,
): DatabaseWork<"answered" | "kept"> {
  return inEngineTransaction(tools, now, function* (transaction) {
    const run = (yield* lockRuns([place.runId])).get(place.runId);
    if (!run) throw notFound("run", place.runId);
    const [wait] = yield* runSql<WaitRow>(FIND_BY_KEY, [place.runId, place.key]);
    if (wait) {
      const given = wait.state === "open" && examine ? yield* examine(wait.id) : answering;
      yield* answerLocked(transaction, run, wait, given);
      return "answered";
    }
    if (isEnded(run.state)) throw runEnded(run);
    // The engine's own waits act on the job or run they name; nobody can know them beforehand.
    if (/^(?:held|limit):/.test(place.key)) throw notFound("wait", place.key);
    yield* writeSql(KEEP_EARLY, [
      tools.nextId(),
      run.id,
      run.projectId,
      place.key,
      JSON.stringify([answering.answer.choice]),
      JSON.stringify(answering.answer),
      answering.by,
      now,
      now,
    ]);
    return "kept";
  });
}

function* answerLocked(
  transaction: EngineTransaction,
  run: RunDraft,
  wait: WaitRow,
  answering: Answering,
): DatabaseWork<void> {
  checkAnswer(run, wait, answering);
  yield* giveAnswer(transaction, run, wait, answering, "answered");
  yield* writeRuns(transaction, new Map([[run.id, run]]));
  if (isEnded(run.state)) yield* closeEndedRuns(transaction, [run]);
}

export interface OverdueWait {
  readonly id: string;
  readonly run_id: string;
}

export function* listOverdue(now: number): DatabaseWork<readonly OverdueWait[]> {
  return yield* runSql<OverdueWait>(LIST_OVERDUE, [now]);
}

/** Waits whose time is up are answered as they said they would be. */
export function* answerOverdue(
  transaction: EngineTransaction,
  due: readonly OverdueWait[],
): DatabaseWork<void> {
  const runs = yield* lockRuns(due.map(({ run_id }) => run_id));
  for (const { id, run_id } of due) {
    const [wait] = yield* runSql<WaitRow>(FIND_WAIT, [id]);
    const run = runs.get(run_id);
    if (wait?.state !== "open" || !run) continue;
    const answer: WaitAnswer = {
      choice: wait.on_deadline ?? "",
      note: "The time to answer was up.",
    };
    yield* giveAnswer(transaction, run, wait, { answer, by: "deadline" }, "expired");
  }
  yield* writeRuns(transaction, runs);
  yield* closeEndedRuns(
    transaction,
    [...runs.values()].filter(({ state, isChanged }) => isChanged && isEnded(state)),
  );
}

function* giveAnswer(
  transaction: EngineTransaction,
  run: RunDraft,
  wait: WaitRow,
  { answer, by }: Answering,
  state: "answered" | "expired",
): DatabaseWork<void> {
  const { now, events } = transaction;
  const given: GivenAnswer = { ...answer, by, at: now };
  yield* writeSql(CLOSE_WAIT, [state, JSON.stringify(answer), by, now, wait.id]);
  run.openWaits -= 1;
  run.isChanged = true;
  const data = { wait: wait.id, kind: wait.kind, choice: answer.choice };
  events.push(runEvent(run, state === "expired" ? "wait.expired" : "wait.answered", data, by));
  if (answer.choice === "cancel_run" && (wait.kind === HELD_JOB || wait.kind === LIMIT_REACHED)) {
    changeState(transaction, run, { state: "cancelled", actor: by });
  } else if (wait.kind === HELD_JOB) {
    if (answer.choice === "retry") yield* retryHeldJob(transaction, run, wait.job_id ?? "");
    else yield* skipHeldJob(transaction, run, wait.job_id ?? "");
  } else if (wait.kind === LIMIT_REACHED) {
    yield* raiseLimits(run, answer.fields);
    yield* goOn(transaction, run, by);
  } else {
    const kept = JSON.parse(wait.follow_up ?? "null") as KeptJob;
    const followUp = { run, job: answeredJob(kept, given), batchId: kept.batchId };
    yield* addKeptJob(transaction, followUp);
  }
}

function checkAnswer(run: RunDraft, wait: WaitRow, { answer, version }: Answering): void {
  if (wait.state === "cancelled") throw runEnded(run);
  if (wait.state !== "open") throw alreadyAnswered(wait.answered_by ?? "someone");
  if (version !== undefined && version !== wait.version) {
    throw new ProductError(
      "version_conflict",
      "This entry of the inbox has changed since it was shown.",
      {
        kind: "conflict",
        hint: "Look at it again, then answer.",
        details: { expected: version, actual: wait.version },
      },
    );
  }
  const allowed = JSON.parse(wait.answers) as readonly string[];
  if (!allowed.includes(answer.choice)) {
    throw new ProductError("answer_not_allowed", `"${answer.choice}" is not an answer to this.`, {
      hint: `Answer with one of: ${allowed.join(", ")}.`,
      details: { allowed },
    });
  }
}

function alreadyAnswered(by: string): ProductError {
  return new ProductError("wait_answered", `This was already answered by ${by}.`, {
    kind: "conflict",
    hint: "Nothing was changed. The run's events show what was answered.",
    details: { by },
  });
}

function runEnded(run: RunDraft): ProductError {
  return new ProductError("run_ended", `The run is ${run.state}; it waits for nothing any more.`, {
    kind: "conflict",
  });
}

interface WaitRow {
  readonly id: string;
  readonly run_id: string;
  readonly job_id: string | null;
  readonly kind: string;
  readonly answers: string;
  readonly follow_up: string | null;
  readonly on_deadline: string | null;
  readonly state: WaitState;
  readonly answered_by: string | null;
  readonly version: number;
}

const FIND_RUN_OF_WAIT = sqlText("select run_id from wait where id = ?");
const SELECT_WAIT =
  "select id, run_id, job_id, kind, answers, follow_up, on_deadline, state, answered_by, version from wait";
const FIND_WAIT = sqlText(`${SELECT_WAIT} where id = ?`);
const FIND_BY_KEY = sqlText(`${SELECT_WAIT} where run_id = ? and key = ?`);
const CLOSE_WAIT = sqlText(
  "update wait set state = ?, answer = ?, answered_by = ?, answered_at = ?, version = version + 1 where id = ? and state = 'open'",
);
const KEEP_EARLY = sqlText(
  `insert into wait (id, run_id, project_id, key, kind, title, reason, answers, state, answer, answered_by, answered_at, created_at)
   values (?, ?, ?, ?, 'early', '', '', ?, 'early', ?, ?, ?, ?)`,
);
const LIST_OVERDUE = sqlText(
  "select id, run_id from wait where state = 'open' and deadline is not null and deadline <= ? order by run_id limit 500",
);
