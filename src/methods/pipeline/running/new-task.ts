/** The task that stands for a visit. */

import type { Json } from "../../../kernel/base/json.ts";
import type { NewTask } from "../../../kernel/store/task.ts";
import { placeInForeach } from "../routing/open-run.ts";
import type { NewContainer, NewVisit } from "../routing/route-plan.ts";
import { collects } from "./begin-job.ts";
import type { RunContext } from "./run-context.ts";

export function newTaskOf(
  run: RunContext,
  visit: NewContainer | NewVisit,
  given: {
    readonly assigneeId: string | undefined;
    readonly input: Json | undefined;
    readonly description: string | undefined;
    /** Of a foreach around it. */
    readonly total?: number | undefined;
  },
): NewTask {
  const step = run.graph.step(visit.step);
  const place = placeInForeach(visit.scope);
  const number =
    place === undefined ? "" : ` [${place.index + 1}${given.total ? `/${given.total}` : ""}]`;
  const again = visit.iteration > 1 ? ` (${visit.iteration})` : "";
  return {
    id: visit.id,
    title: `${run.input.single ? run.name : `${run.name}: ${step.name}`}${number}${again}`,
    status: statusAtBirth(visit, collects(step)),
    runId: run.runId,
    workflowId: run.input.workflow?.workflowId,
    workflowVersion: run.input.workflow?.version,
    stage: step.id,
    // What nobody works on in earnest is not in anybody's way.
    isInactive: run.input.isDry,
    ...(place === undefined
      ? {}
      : { parentId: place.containerId, tags: [`foreach:${place.containerId}`] }),
    ...(run.projectId === null ? {} : { projectId: run.projectId }),
    ...(given.assigneeId === undefined ? {} : { assigneeId: given.assigneeId }),
    ...(given.input === undefined || given.input === null ? {} : { input: given.input }),
    ...(given.description === undefined ? {} : { description: given.description }),
    ...("warning" in visit && visit.warning !== undefined
      ? { additionalInfo: { warning: visit.warning } }
      : {}),
  };
}

function statusAtBirth(
  visit: NewContainer | NewVisit,
  isCollecting: boolean,
): NonNullable<NewTask["status"]> {
  if ("total" in visit) return "waiting";
  if (visit.failed) return "failed";
  if (visit.kind === "subflow") return "waiting";
  return isCollecting ? "in_progress" : "pending";
}
