/** The job by which a new visit begins: a call, a question to a person, another run, or only collecting. */

import type { NewJob } from "../../../kernel/run/decision.ts";
import type { Assignee } from "../catalogue/assignees.ts";
import { placeInForeach } from "../routing/open-run.ts";
import type { NewVisit } from "../routing/route-plan.ts";
import type { WorkflowStep } from "../workflow/workflow-definition.ts";
import { askKey, callKey, collectKey, workKey } from "./job-keys.ts";
import type { RunContext } from "./run-context.ts";

export const WORK = "pipeline.work";
export const ASK_PERSON = "pipeline.ask-person";
export const COLLECT = "pipeline.collect";
export const CALL_WORKFLOW = "pipeline.call-workflow";
export const REHEARSAL_MODEL = "rehearsal/rehearsal";

export function beginJob(
  run: RunContext,
  visit: Pick<NewVisit, "id" | "step" | "scope" | "kind">,
  agent: Assignee | undefined,
): NewJob {
  const { id } = visit;
  const step = run.graph.step(visit.step);
  const place = { step: step.id, ...itemOf(visit.scope) };
  if (visit.kind === "subflow") {
    return { key: callKey(id), handler: CALL_WORKFLOW, input: { visitId: id }, ...place };
  }
  if (collects(step)) {
    return { key: collectKey(id), handler: COLLECT, input: { visitId: id }, ...place };
  }
  if (isManual(step) && !run.input.isDry) {
    return { key: askKey(id, 1), handler: ASK_PERSON, input: { visitId: id }, ...place };
  }
  return workJob(run, visit, 1, agent);
}

/** Every attempt is a job of its own; what it is given is read when it is taken up. */
export function workJob(
  run: RunContext,
  visit: Pick<NewVisit, "id" | "step" | "scope">,
  attempt: number,
  agent: Assignee | undefined,
  runAt?: number,
): NewJob {
  const model = run.input.isDry ? REHEARSAL_MODEL : (agent?.model ?? run.input.model);
  return {
    key: workKey(visit.id, attempt),
    handler: WORK,
    input: { visitId: visit.id, model },
    step: visit.step,
    ...itemOf(visit.scope),
    ...(runAt === undefined ? {} : { runAt }),
  };
}

/** A join without a prompt needs nobody: it only brings results together. */
export function collects(step: WorkflowStep): boolean {
  return step.stepType === "join" && step.prompt === undefined && step.execution === "automated";
}

export function isManual(step: WorkflowStep): boolean {
  return "execution" in step && step.execution === "manual";
}

export function assigneeOf(step: WorkflowStep): string | undefined {
  return "defaultAssigneeId" in step ? step.defaultAssigneeId : undefined;
}

function itemOf(scope: string): { readonly item?: string } {
  const place = placeInForeach(scope);
  return place === undefined ? {} : { item: String(place.index) };
}
