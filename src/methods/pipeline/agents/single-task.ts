/** A task outside of workflows, done by its agent in a run of its own: a drawing of one step, made up from the task. */

import * as z from "zod";
import {
  type TaskStep,
  WORKFLOW_DEFAULTS,
  type WorkflowDefinition,
  type WorkflowStep,
} from "../workflow/workflow-definition.ts";

export const singleTask = z.object({
  agentId: z.string(),
  /** The step that the task was made from, where it was made from one of a workflow. */
  stage: z.string().optional(),
});

export type SingleTask = z.output<typeof singleTask>;

/** The step of a task that was made from none. */
const OWN_STEP = "task";

export function stepOfSingle({ stage }: SingleTask): string {
  return stage ?? OWN_STEP;
}

/** `around` is the workflow that the task's step stands in; what follows there is not done. */
export function definitionOfSingle(
  task: SingleTask,
  name: string,
  around: WorkflowDefinition | undefined,
): WorkflowDefinition {
  const drawn = around?.steps.find(({ id }) => id === task.stage);
  return {
    name,
    description: undefined,
    direction: "TD",
    maxTasks: WORKFLOW_DEFAULTS.maxTasks,
    steps: [{ ...workOf(drawn), ...stepBase(task, name, drawn), stepType: "task" }],
    edges: [],
  };
}

/** An agent has it now, whoever does the step in its workflow. */
function workOf(drawn: WorkflowStep | undefined): Work {
  if (drawn === undefined || !("execution" in drawn)) return NO_SETTINGS;
  const { prompt, outputSchema, minConfidence, retries, timeoutMs } = drawn;
  return { ...NO_SETTINGS, prompt, outputSchema, minConfidence, retries, timeoutMs };
}

type Work = Pick<
  TaskStep,
  "execution" | "prompt" | "outputSchema" | "minConfidence" | "retries" | "timeoutMs"
>;

const NO_SETTINGS: Work = {
  execution: "automated",
  prompt: undefined,
  outputSchema: undefined,
  minConfidence: undefined,
  retries: undefined,
  timeoutMs: undefined,
};

function stepBase(
  task: SingleTask,
  name: string,
  drawn: WorkflowStep | undefined,
): Omit<TaskStep, keyof Work | "stepType"> {
  return {
    id: stepOfSingle(task),
    name: drawn?.name ?? name,
    description: drawn?.description,
    hitlPhase: undefined,
    config: {},
    maxIterations: WORKFLOW_DEFAULTS.maxIterations,
    position: { offset: 0, line: 1, column: 1 },
    defaultAssigneeId: task.agentId,
  };
}
