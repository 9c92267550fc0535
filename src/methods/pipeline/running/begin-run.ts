/** How a run of a workflow begins, by itself or below another run. */

import type { Json } from "../../../kernel/base/json.ts";
import type { NewJob, NewRun } from "../../../kernel/run/decision.ts";
import type { EffectKind, MoveHandler } from "../../../kernel/run/handler.ts";
import { writeSql } from "../../../kernel/store/database-work.ts";
import { sqlText } from "../../../kernel/store/sql-text.ts";
import { pinRun } from "../catalogue/pin-workflow.ts";
import { START } from "../routing/graph.ts";
import { WHOLE_RUN } from "../routing/open-run.ts";
import type { WorkflowDefinition } from "../workflow/workflow-definition.ts";
import { lookJob } from "./next-look.ts";
import { PIPELINE, type RunInput, readRunInput } from "./run-input.ts";

const BEGIN = "pipeline.begin";
const BEGUN = "pipeline.begun";

const FIRST_JOB: NewJob = { key: "begin", handler: BEGIN, step: "begin", input: {} };

export function newRunOf(name: string, definition: WorkflowDefinition, input: RunInput): NewRun {
  return {
    method: PIPELINE,
    title: input.isDry ? `Dry run: ${name}` : name,
    input: input as unknown as Json,
    jobs: [FIRST_JOB],
    limits: limitsFor(definition),
  };
}

/** The workflow's own cap on tasks is what people see; the engine's limits must not come before it. */
function limitsFor({ maxTasks }: WorkflowDefinition): NonNullable<NewRun["limits"]> {
  return { turns: Math.max(10_000, maxTasks * 4), jobs: Math.max(50_000, maxTasks * 12) };
}

export const beginHandler: MoveHandler = {
  kind: "move",
  name: BEGIN,
  *decide() {
    yield* [];
    return { effects: [{ key: "begun", kind: BEGUN, data: {} }], jobs: [lookJob(0)] };
  },
};

/** The first visit is the run itself, done: its output is what the run was started with. */
export const begunEffect: EffectKind = {
  kind: BEGUN,
  *apply({ job }) {
    const { workflow } = yield* readRunInput(job.runId);
    if (workflow !== null) yield* pinRun(job.runId, workflow);
    yield* writeSql(INSERT_PROGRESS, [job.runId]);
    yield* writeSql(INSERT_START, [job.runId, job.runId, WHOLE_RUN, START]);
  },
};

const INSERT_PROGRESS = sqlText("insert into workflow_progress (run_id) values (?)");
const INSERT_START = sqlText(
  "insert into step_visit (id, run_id, scope, step, iteration, kind, outcome) values (?, ?, ?, ?, 1, 'start', 'completed')",
);
