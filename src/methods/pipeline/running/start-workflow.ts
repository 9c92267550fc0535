/** Starts a run of a workflow, with everything it will need pinned. */

import type { JsonObject } from "../../../kernel/base/json.ts";
import type { EngineTools } from "../../../kernel/run/engine-transaction.ts";
import { startRun } from "../../../kernel/run/start-run.ts";
import type { Act } from "../../../kernel/store/audited-rows.ts";
import type { DatabaseWork } from "../../../kernel/store/database-work.ts";
import { type PinTools, pinWorkflow } from "../catalogue/pin-workflow.ts";
import { newRunOf } from "./begin-run.ts";

export interface StartRequest {
  /** Its id, a unique beginning of it, its name, or `library:<name>`. */
  readonly workflow: string;
  readonly version?: number | undefined;
  readonly input: JsonObject;
  /** For steps whose agent names no model. */
  readonly model: string;
  readonly isDry?: boolean;
}

/** Refused, saying why, when the workflow or one below it cannot run. Gives the run's id. */
export function* startWorkflow(
  engine: EngineTools,
  { workflow, version, input, model, isDry = false }: StartRequest,
  tools: Omit<PinTools, "nextId">,
  act: Act,
): DatabaseWork<string> {
  const pinned = yield* pinWorkflow(
    { workflow, version },
    { ...tools, nextId: engine.nextId },
    act,
  );
  const run = newRunOf(pinned.name, pinned.definition, {
    workflow: pinned.ref,
    subflows: pinned.subflows,
    input,
    model,
    depth: 0,
    isDry,
  });
  const owner = { projectId: tools.projectId ?? null, startedBy: act.actor };
  return yield* startRun(engine, run, owner, act.now);
}
