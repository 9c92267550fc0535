/** What stood where in the newest run of a workflow that somebody may see: examples for whoever writes its prompts. */

import type { Json } from "../../../kernel/base/json.ts";
import { withoutRedactedPassages } from "../../../kernel/operation/redacted-view.ts";
import { type DatabaseWork, query, queryFirst } from "../../../kernel/store/database-work.ts";
import { seesRun, type Viewer } from "../../../kernel/store/visibility.ts";
import type { SeenValues } from "../workflow/known-paths.ts";
import { catalogue } from "./workflow-tables.ts";

export interface SeenRun extends SeenValues {
  readonly runId: string | undefined;
}

const NOTHING: SeenRun = { runId: undefined, outputs: new Map() };

export function* seenValues(workflowId: string, viewer: Viewer): DatabaseWork<SeenRun> {
  const run = yield* queryFirst(
    catalogue
      .selectFrom("workflow_run")
      .innerJoin("run", "run.id", "workflow_run.run_id")
      .select(["run.id", "run.input", "run.project_id"])
      .where("workflow_run.workflow_id", "=", workflowId)
      .where(seesRun(viewer))
      .orderBy("run.id", "desc")
      .limit(1),
  );
  if (run === undefined) return NOTHING;
  const tasks = yield* query(
    catalogue
      .selectFrom("task")
      .select(["stage", "output"])
      .where("id", "in", newestOfEachStage(run.id)),
  );
  const outputs = new Map<string, Json>();
  for (const { stage, output } of tasks)
    if (stage !== null && output !== null) outputs.set(stage, JSON.parse(output) as Json);
  const { input } = JSON.parse(run.input) as { input?: Json };
  const shown = yield* withoutRedactedPassages(
    { input, outputs: [...outputs] },
    run.project_id ?? undefined,
  );
  return { runId: run.id, input: shown.input, outputs: new Map(shown.outputs) };
}

function newestOfEachStage(runId: string) {
  return catalogue
    .selectFrom("task")
    .select(({ fn }) => fn.max("id").as("id"))
    .where("run_id", "=", runId)
    .where("stage", "is not", null)
    .where("output", "is not", null)
    .groupBy("stage");
}
