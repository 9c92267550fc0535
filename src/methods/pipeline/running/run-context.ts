/** A run with its workflow, ready to be routed: read once at the beginning of every handler. */

import { notFound } from "../../../kernel/base/errors.ts";
import { type DatabaseWork, runSql } from "../../../kernel/store/database-work.ts";
import { sqlText } from "../../../kernel/store/sql-text.ts";
import { definitionOfSingle } from "../agents/single-task.ts";
import { readKept } from "../catalogue/definition-cache.ts";
import { sourceOf, workflowOf } from "../catalogue/workflow-of.ts";
import type { WorkflowRef } from "../catalogue/workflow-ref.ts";
import { type Graph, routingGraphOf } from "../routing/graph.ts";
import type { Caps } from "../routing/open-run.ts";
import type { WorkflowDefinition } from "../workflow/workflow-definition.ts";
import { type RunInput, readRunInput } from "./run-input.ts";

export interface RunContext {
  readonly runId: string;
  readonly projectId: string | null;
  readonly startedBy: string;
  readonly name: string;
  readonly input: RunInput;
  readonly definition: WorkflowDefinition;
  readonly graph: Graph;
  /** The number of the next look. */
  readonly look: number;
  /** Made so far. */
  readonly tasks: number;
  readonly caps: Caps;
}

export function* loadRun(runId: string): DatabaseWork<RunContext> {
  const [row] = yield* runSql<RunRow>(FIND_RUN, [runId]);
  if (!row) throw notFound("run", runId);
  const input = yield* readRunInput(runId);
  const { name, definition } = yield* drawingOf(input, row);
  return {
    runId,
    projectId: row.project_id,
    startedBy: row.started_by,
    name,
    input,
    definition,
    graph: routingGraphOf(definition),
    look: row.look ?? 0,
    tasks: row.tasks ?? 0,
    caps: JSON.parse(row.caps ?? "{}") as Caps,
  };
}

function* drawingOf(
  { workflow, single }: RunInput,
  row: RunRow,
): DatabaseWork<Pick<RunContext, "name" | "definition">> {
  const kept = workflow === null ? undefined : yield* keptWorkflow(workflow, row);
  if (kept !== undefined && single === undefined) return kept;
  if (single === undefined) throw new Error("The run has neither a workflow nor a task.");
  return { name: row.title, definition: definitionOfSingle(single, row.title, kept?.definition) };
}

/** Pinned when the run began; before that it is looked up. */
function* keptWorkflow(
  ref: WorkflowRef,
  { name, source_hash }: RunRow,
): DatabaseWork<Pick<RunContext, "name" | "definition">> {
  if (name === null || source_hash === null) return yield* workflowOf(ref);
  const { definition } = yield* readKept(source_hash, () => sourceOf(ref));
  return { name, definition };
}

interface RunRow {
  readonly title: string;
  readonly project_id: string | null;
  readonly started_by: string;
  readonly look: number | null;
  readonly tasks: number | null;
  readonly caps: string | null;
  readonly name: string | null;
  readonly source_hash: string | null;
}

const FIND_RUN = sqlText(
  `select run.title, run.project_id, run.started_by, p.look, p.tasks, p.caps, w.name, v.source_hash
   from run left join workflow_progress p on p.run_id = run.id left join workflow_run r on r.run_id = run.id
     left join workflow w on w.id = r.workflow_id
     left join workflow_version v on v.workflow_id = r.workflow_id and v.version = r.version
   where run.id = ?`,
);
