/** One visit with its task, its step and everything its templates may name. */

import { notFound } from "../../../kernel/base/errors.ts";
import type { Json, JsonObject } from "../../../kernel/base/json.ts";
import type { JsonPath } from "../../../kernel/base/json-path.ts";
import { type DatabaseWork, runSql } from "../../../kernel/store/database-work.ts";
import type { TaskTable } from "../../../kernel/store/noun-tables.ts";
import { sqlText } from "../../../kernel/store/sql-text.ts";
import { type Task, toTask } from "../../../kernel/store/task.ts";
import { valuesAfterOutput } from "../routing/draft.ts";
import type { WorkflowStep } from "../workflow/workflow-definition.ts";
import { aggregatedOf } from "./aggregate.ts";
import type { AskedVisit } from "./hold-waits.ts";
import { stepsIn } from "./load-open-run.ts";
import { loadRun, type RunContext } from "./run-context.ts";
import type { StepVisitTable } from "./run-tables.ts";
import { outputsOf, placeOf } from "./scope-values.ts";

export interface LoadedVisit {
  readonly run: RunContext;
  readonly row: StepVisitTable;
  readonly task: Task;
  readonly step: WorkflowStep;
}

export function* loadVisit(visitId: string): DatabaseWork<LoadedVisit> {
  const [row] = yield* runSql<TaskTable & StepVisitTable>(FIND_VISIT, [visitId]);
  if (!row) throw notFound("task", visitId);
  const run = yield* loadRun(row.run_id);
  return { run, row, task: toTask(row), step: run.graph.step(row.step) };
}

/** Both have an id and a run; those of the visit come last, so they are the ones that stay. */
const FIND_VISIT = sqlText(
  "select t.*, v.* from step_visit v join task t on t.id = v.id where v.id = ?",
);

export function askedVisit({ row, task }: LoadedVisit): AskedVisit {
  return { id: row.id, step: row.step, title: task.title, assigneeId: task.assigneeId };
}

export interface VisitValues {
  readonly values: JsonObject;
  /** Where the foreaches around it have their items. */
  readonly lists: readonly JsonPath[];
}

/**
 * The names its templates may use; of the outputs of earlier steps only those that a template names. What a foreach
 * spread over its items is not read again for each of them unless its template asks for it.
 */
export function* valuesOf(
  { run, row }: LoadedVisit,
  paths: readonly JsonPath[],
): DatabaseWork<VisitValues> {
  const { names, spreads, lists } = yield* placeOf(run, row.scope, stepsIn(paths));
  const isAsked = paths.some(([first]) => first === "output" || first === "input");
  const isSpread = !isAsked && row.kind === "work" && spreads === row.from_id;
  const output = isSpread ? null : yield* cameFrom(run, row);
  return { values: valuesAfterOutput(names, run.input.input, output), lists };
}

/** What the visit goes on from: the output before it or, for a join, everything that came together. */
export function* cameFrom(run: RunContext, row: StepVisitTable): DatabaseWork<Json> {
  if (row.kind === "join") return yield* aggregatedOf(run, row);
  const from = row.from_id ?? run.runId;
  return (yield* outputsOf(run, [from])).get(from) ?? null;
}

/** Whether a worker that was away may still say something about this visit. */
export function isOpen({ row }: LoadedVisit): boolean {
  return row.is_routed === 0 && row.outcome === null;
}
