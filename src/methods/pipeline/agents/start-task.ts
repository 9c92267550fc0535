/** Starts the run that does one task: the run, the task's place in it and the claim to the task are one commit. */

import { isJsonObject, type Json, type JsonObject } from "../../../kernel/base/json.ts";
import type { EngineTools } from "../../../kernel/run/engine-transaction.ts";
import { startRun } from "../../../kernel/run/start-run.ts";
import type { Act } from "../../../kernel/store/audited-rows.ts";
import { type DatabaseWork, writeSql } from "../../../kernel/store/database-work.ts";
import { sqlText } from "../../../kernel/store/sql-text.ts";
import type { Task } from "../../../kernel/store/task.ts";
import { giveTaskToRun } from "../../../kernel/store/tasks.ts";
import { pinRun } from "../catalogue/pin-workflow.ts";
import type { WorkflowRef } from "../catalogue/workflow-ref.ts";
import { WHOLE_RUN } from "../routing/open-run.ts";
import { WORK } from "../running/begin-job.ts";
import { workKey } from "../running/job-keys.ts";
import type { RunInput } from "../running/run-input.ts";
import { PIPELINE } from "../running/run-input.ts";
import { type SingleTask, stepOfSingle } from "./single-task.ts";

export interface TaskStart {
  readonly agentId: string;
  readonly model: string;
  /** The person whose rights it acts with. */
  readonly startedBy: string;
  /** The process that takes it up, and its saved view; absent when somebody starts it by hand. */
  readonly worker?: string | undefined;
  readonly view?: string | undefined;
}

/** Gives the run's id. The task must be nobody else's, and locked. */
export function* startTask(
  engine: EngineTools,
  task: Task,
  { agentId, model, startedBy, worker, view }: TaskStart,
  act: Act,
): DatabaseWork<string> {
  const workflow = workflowOfTask(task);
  const stage = workflow === null ? undefined : task.stage;
  const single: SingleTask = { agentId, ...(stage === undefined ? {} : { stage }) };
  const step = stepOfSingle(single);
  const input: RunInput = {
    workflow,
    single,
    subflows: {},
    input: inputOfTask(task.input),
    model,
    depth: 0,
    isDry: false,
  };
  const runId = yield* startRun(
    engine,
    {
      method: PIPELINE,
      title: task.title,
      input: input as unknown as Json,
      jobs: [{ key: workKey(task.id, 1), handler: WORK, step, input: { visitId: task.id, model } }],
    },
    { projectId: task.projectId ?? null, startedBy },
    act.now,
  );
  yield* writeSql(INSERT_PROGRESS, [runId]);
  // A task that is done again leaves the run that did it before.
  yield* writeSql(LEAVE_RUN, [task.id]);
  yield* writeSql(INSERT_VISIT, [task.id, runId, WHOLE_RUN, step, runId]);
  yield* writeSql(INSERT_AGENT_RUN, [runId, task.id, view ?? null, worker ?? null]);
  if (workflow !== null) yield* pinRun(runId, workflow);
  yield* giveTaskToRun(task.id, runId, act);
  return runId;
}

/** The step a task was made from stands in a version that never changes. */
function workflowOfTask({ workflowId, workflowVersion, stage }: Task): WorkflowRef | null {
  const isWhole = workflowId !== undefined && workflowVersion !== undefined && stage !== undefined;
  return isWhole ? { workflowId, version: workflowVersion } : null;
}

function inputOfTask(input: Json | undefined): JsonObject {
  if (input === undefined || input === null) return {};
  return isJsonObject(input) ? input : { value: input };
}

const INSERT_PROGRESS = sqlText("insert into workflow_progress (run_id) values (?)");
const LEAVE_RUN = sqlText("delete from step_visit where id = ?");
const INSERT_VISIT = sqlText(
  "insert into step_visit (id, run_id, scope, step, iteration, kind, from_id) values (?, ?, ?, ?, 1, 'work', ?)",
);
const INSERT_AGENT_RUN = sqlText(
  "insert into agent_run (run_id, task_id, view, worker) values (?, ?, ?, ?)",
);
