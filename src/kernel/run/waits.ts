/** Waits and timers: what a run needs from outside, kept as rows. An answer may come before its question. */

import { isJsonObject, type Json, withMembers } from "../base/json.ts";
import { type DatabaseWork, runRows, runSql, writeSql } from "../store/database-work.ts";
import { insertText, sqlOverRows, sqlText } from "../store/sql-text.ts";
import { formField, readFields, readForm } from "./answer-form.ts";
import type { NewJob, NewTimer, NewWait, WaitAnswer } from "./decision.ts";
import type { EngineTransaction } from "./engine-transaction.ts";
import { addJobs, type PlannedJob } from "./plan-jobs.ts";
import { type RunDraft, runEvent } from "./run-drafts.ts";

export interface PlannedWait {
  readonly run: RunDraft;
  readonly wait: NewWait;
  readonly jobId: string | null;
  readonly batchId: string | null;
}

export interface PlannedTimer {
  readonly run: RunDraft;
  readonly timer: NewTimer;
  readonly batchId: string | null;
}

/** A follow-up as a wait or timer keeps it: with the token it holds. */
export interface KeptJob {
  readonly job: NewJob;
  readonly batchId: string | null;
}

/** The answer as the follow-up job sees it. */
export interface GivenAnswer extends WaitAnswer {
  readonly by: string;
  readonly at: number;
}

/** Opens the waits; one that was answered early goes on at once. Says which took effect. */
export function* addWaits(
  transaction: EngineTransaction,
  planned: readonly PlannedWait[],
): DatabaseWork<readonly boolean[]> {
  if (planned.length === 0) return [];
  const rows = planned.map(({ run, wait, jobId, batchId }) => ({
    id: transaction.nextId(),
    run_id: run.id,
    project_id: run.projectId,
    job_id: jobId,
    key: wait.key,
    kind: wait.kind,
    title: wait.title,
    reason: wait.reason,
    evidence: JSON.stringify(wait.evidence ?? []),
    form: JSON.stringify(wait.form ?? []),
    answers: JSON.stringify(wait.answers),
    follow_up: JSON.stringify({ job: wait.followUp, batchId } satisfies KeptJob),
    assignee_id: wait.assigneeId ?? null,
    deadline: wait.deadline?.at ?? null,
    on_deadline: wait.deadline?.answer ?? null,
    state: "open",
    created_at: transaction.now,
  }));
  const inserted = new Set(
    (yield* runRows<{ id: string }>(INSERT_WAITS, rows)).map(({ id }) => id),
  );
  const took: boolean[] = [];
  for (const [position, row] of rows.entries()) {
    const plan = planned[position];
    if (!plan) continue;
    if (inserted.has(row.id)) {
      plan.run.openWaits += 1;
      plan.run.isChanged = true;
      transaction.events.push(
        runEvent(plan.run, "wait.opened", { wait: row.id, kind: row.kind, title: row.title }),
      );
      took.push(true);
    } else took.push(yield* useEarlyAnswer(transaction, plan));
  }
  return took;
}

export function* addTimers(
  transaction: EngineTransaction,
  planned: readonly PlannedTimer[],
): DatabaseWork<readonly boolean[]> {
  if (planned.length === 0) return [];
  const rows = planned.map(({ run, timer, batchId }) => ({
    id: transaction.nextId(),
    run_id: run.id,
    key: timer.key,
    due_at: timer.dueAt,
    follow_up: JSON.stringify({ job: timer.followUp, batchId } satisfies KeptJob),
    created_at: transaction.now,
  }));
  const inserted = new Set(
    (yield* runRows<{ id: string }>(INSERT_TIMERS, rows)).map(({ id }) => id),
  );
  return rows.map(({ id }, position) => {
    const run = planned[position]?.run;
    if (run && inserted.has(id)) {
      run.openTimers += 1;
      run.isChanged = true;
    }
    return inserted.has(id);
  });
}

export function answeredJob(kept: KeptJob, answer: GivenAnswer): NewJob {
  const told = JSON.parse(JSON.stringify(answer)) as Json;
  return { ...kept.job, input: withMembers(kept.job.input, { answer: told }) };
}

/** The row of an early answer becomes the wait it was meant for, already answered. */
function* useEarlyAnswer(
  transaction: EngineTransaction,
  { run, wait, jobId, batchId }: PlannedWait,
): DatabaseWork<boolean> {
  const [early] = yield* runSql<{
    id: string;
    answer: string;
    answered_by: string;
    answered_at: number;
  }>(FIND_EARLY, [run.id, wait.key]);
  if (!early) return false;
  const given = fittingAnswer(wait, JSON.parse(early.answer) as WaitAnswer, early.answered_by);
  if (!given) {
    yield* askAfterAll(transaction, { run, wait, jobId, batchId }, early.id);
    return true;
  }
  yield* writeSql(USE_EARLY, [
    wait.kind,
    wait.title,
    wait.reason,
    JSON.stringify(wait.answers),
    jobId,
    early.id,
  ]);
  const answer: GivenAnswer = { ...given, by: early.answered_by, at: early.answered_at };
  const followUp: PlannedJob = {
    run,
    job: answeredJob({ job: wait.followUp, batchId }, answer),
    batchId,
  };
  const [isNew] = yield* addJobs(transaction, [followUp]);
  transaction.events.push(
    runEvent(
      run,
      "wait.answered",
      { wait: early.id, kind: wait.kind, choice: answer.choice, isEarly: true },
      answer.by,
    ),
  );
  return isNew === true;
}

/** The answer as the form wants it; undefined when it is none to this question, or not this person's to give. */
function fittingAnswer(wait: NewWait, given: WaitAnswer, by: string): WaitAnswer | undefined {
  if (!wait.answers.includes(given.choice)) return undefined;
  if (wait.assigneeId !== undefined && wait.assigneeId !== by) return undefined;
  const { form = [] } = wait;
  if (!form.every((field) => formField.safeParse(field).success)) return undefined;
  const { fields = {} } = given;
  const { values, problems } = readFields(
    readForm(wait.kind, wait.answers, form),
    given.choice,
    isJsonObject(fields) ? fields : {},
  );
  if (problems.length > 0) return undefined;
  return Object.keys(values).length === 0 ? given : { ...given, fields: values };
}

/** What was answered early does not fit the question: it is open like any other. */
function* askAfterAll(
  transaction: EngineTransaction,
  { run, wait, jobId, batchId }: PlannedWait,
  id: string,
): DatabaseWork<void> {
  yield* writeSql(OPEN_EARLY, [
    jobId,
    wait.kind,
    wait.title,
    wait.reason,
    JSON.stringify(wait.evidence ?? []),
    JSON.stringify(wait.form ?? []),
    JSON.stringify(wait.answers),
    JSON.stringify({ job: wait.followUp, batchId } satisfies KeptJob),
    wait.assigneeId ?? null,
    wait.deadline?.at ?? null,
    wait.deadline?.answer ?? null,
    id,
  ]);
  run.openWaits += 1;
  run.isChanged = true;
  transaction.events.push(
    runEvent(run, "wait.opened", { wait: id, kind: wait.kind, title: wait.title }),
  );
}

const INSERT_WAITS = insertText(
  "wait",
  {
    id: "text",
    run_id: "text",
    project_id: "text",
    job_id: "text",
    key: "text",
    kind: "text",
    title: "text",
    reason: "text",
    evidence: "text",
    form: "text",
    answers: "text",
    follow_up: "text",
    assignee_id: "text",
    deadline: "int",
    on_deadline: "text",
    state: "text",
    created_at: "int",
  },
  "on conflict (run_id, key) do nothing",
  "id",
);
const FIND_EARLY = sqlText(
  "select id, answer, answered_by, answered_at from wait where run_id = ? and key = ? and state = 'early'",
);
const OPEN_EARLY = sqlText(
  `update wait set state = 'open', answer = null, answered_by = null, answered_at = null, job_id = ?, kind = ?, title = ?, reason = ?,
     evidence = ?, form = ?, answers = ?, follow_up = ?, assignee_id = ?, deadline = ?, on_deadline = ?, version = version + 1 where id = ?`,
);
const USE_EARLY = sqlText(
  "update wait set state = 'answered', kind = ?, title = ?, reason = ?, answers = ?, job_id = ?, version = version + 1 where id = ? and state = 'early'",
);
const INSERT_TIMERS = insertText(
  "timer",
  { id: "text", run_id: "text", key: "text", due_at: "int", follow_up: "text", created_at: "int" },
  "on conflict (run_id, key) do nothing",
  "id",
);
export const closeTimers = sqlOverRows(
  { id: "text" },
  "update timer set is_open = 0 where is_open = 1 and id in (select id from {rows}) returning id",
);
