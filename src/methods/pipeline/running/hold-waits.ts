/** What people are asked: to do a step, to answer a model, to look at what it did, to say how a run goes on. */

import type { Json, JsonObject } from "../../../kernel/base/json.ts";
import type { NewWait } from "../../../kernel/run/decision.ts";
import type { Reason } from "../../../kernel/run/limits.ts";
import type { Hold } from "../routing/route-plan.ts";
import { type Question, questionForm } from "../work/question.ts";
import type { WorkflowStep } from "../workflow/workflow-definition.ts";
import { answerKey, waitKey } from "./job-keys.ts";
import { outputForm } from "./output-form.ts";
import type { RunContext } from "./run-context.ts";

export const ANSWERED = "pipeline.answered";

/** What a wait is about; the answer is read by it. */
export type About = "manual" | "questions" | "review" | "task" | "routing" | "cap" | "join";

export interface AskedVisit {
  readonly id: string;
  readonly step: string;
  readonly title: string;
  readonly assigneeId: string | undefined;
}

/** `wait` counts the visit's waits from 1. */
function ask(
  visit: AskedVisit,
  wait: number,
  about: About,
  question: Pick<NewWait, "reason" | "answers" | "form" | "evidence" | "deadline">,
  data: JsonObject = {},
): NewWait {
  return {
    key: waitKey(visit.id, wait),
    kind: `pipeline.${about}`,
    title: visit.title,
    ...question,
    ...(visit.assigneeId === undefined ? {} : { assigneeId: visit.assigneeId }),
    followUp: {
      key: answerKey(visit.id, wait),
      handler: ANSWERED,
      step: visit.step,
      input: { visitId: visit.id, about, data },
    },
  };
}

export function manualWait(
  step: WorkflowStep,
  visit: AskedVisit,
  wait: number,
  given: { readonly instructions: string; readonly input: Json; readonly deadlineAt?: number },
): NewWait {
  return ask(visit, wait, "manual", {
    reason: given.instructions,
    answers: ["complete", "reject"],
    form: outputForm(schemaOf(step), ["complete"]),
    ...(given.input === null ? {} : { evidence: [{ kind: "input", value: given.input }] }),
    ...(given.deadlineAt === undefined
      ? {}
      : { deadline: { at: given.deadlineAt, answer: "reject" } }),
  });
}

export function questionWait(
  visit: AskedVisit,
  wait: number,
  questions: readonly Question[],
  summary: string,
): NewWait {
  const form = questionForm(questions).map(
    (field) => JSON.parse(JSON.stringify({ ...field, answers: ["answer"] })) as Json,
  );
  const asked = JSON.parse(JSON.stringify(questions)) as Json;
  return ask(
    visit,
    wait,
    "questions",
    { reason: summary, answers: ["answer", "skip", "fail"], form },
    { questions: asked },
  );
}

/** The work is done, but not with the confidence that the step asks for. */
export function reviewWait(
  step: WorkflowStep,
  visit: AskedVisit,
  wait: number,
  reason: Reason,
  finished: { readonly output: JsonObject; readonly note?: string | undefined },
): NewWait {
  return ask(
    visit,
    wait,
    "review",
    {
      reason: reason.message,
      answers: ["approve", "complete", "retry", "fail"],
      form: [...outputForm(schemaOf(step), ["complete"], finished.output), INSTRUCTION],
      evidence: [{ kind: "output", value: finished.output }],
    },
    finished.note === undefined ? {} : { note: finished.note },
  );
}

/** The work could not be done, or its reply not be read. */
export function taskWait(
  step: WorkflowStep,
  visit: AskedVisit,
  wait: number,
  reason: Reason,
  soFar: JsonObject | undefined,
): NewWait {
  return ask(visit, wait, "task", {
    reason: reason.message,
    answers: ["retry", "complete", "skip", "fail"],
    form: [INSTRUCTION, ...outputForm(schemaOf(step), ["complete"], soFar)],
    evidence: [{ kind: "reason", code: reason.code }],
  });
}

/** The work is done, and it cannot be said where it leads. */
export function routingHold(run: RunContext, hold: Hold, wait: number): NewWait {
  const stepId = typeof hold.details["step"] === "string" ? hold.details["step"] : undefined;
  const name = stepId === undefined ? run.name : run.graph.step(stepId).name;
  const visit: AskedVisit = {
    id: hold.id,
    step: stepId ?? "",
    title: `${run.name}: ${name}`,
    assigneeId: undefined,
  };
  const evidence = [{ kind: "routing", code: hold.code, ...hold.details }];
  const about = { code: hold.code, details: hold.details };
  switch (hold.code) {
    case "iteration_cap":
    case "task_cap":
    case "too_many_items":
      return ask(
        visit,
        wait,
        "cap",
        { reason: hold.message, answers: ["raise", "fail"], form: [capField(hold)], evidence },
        about,
      );
    case "join_unsatisfied":
      return ask(
        visit,
        wait,
        "join",
        { reason: hold.message, answers: ["retry", "force", "skip", "fail"], evidence },
        about,
      );
    case "condition_unknown":
    case "no_branch_matches":
    case "decision_cycle":
    case "items_not_array":
      // What a run was started with cannot be had otherwise.
      if (hold.id === run.runId) {
        return ask(visit, wait, "routing", { reason: hold.message, answers: ["fail"], evidence });
      }
      return ask(
        visit,
        wait,
        "routing",
        {
          reason: hold.message,
          answers: ["retry", "complete", "fail"],
          form: [INSTRUCTION, ...outputForm(undefined, ["complete"])],
          evidence,
        },
        about,
      );
  }
}

const INSTRUCTION: Json = {
  name: "instruction",
  label: "What to do differently",
  type: "longtext",
  required: false,
  answers: ["retry"],
  help: "Goes into the next prompt.",
};

function capField({ details }: Hold): Json {
  const cap = typeof details["cap"] === "number" ? details["cap"] : 0;
  const wanted = typeof details["items"] === "number" ? details["items"] : cap * 2;
  return {
    name: "cap",
    label: "New limit",
    type: "number",
    required: true,
    initial: wanted,
    minimum: cap + 1,
    answers: ["raise"],
  };
}

function schemaOf(step: WorkflowStep): JsonObject | undefined {
  return "outputSchema" in step ? step.outputSchema : undefined;
}
