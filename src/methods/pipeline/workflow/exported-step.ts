/** A step as the export lists it: the fields of its settings, flat, without what is only a default. */

import type { Json, JsonObject } from "../../../kernel/base/json.ts";
import { writeDuration } from "./duration.ts";
import { type JoinPolicy, WORKFLOW_DEFAULTS, type WorkflowStep } from "./workflow-definition.ts";

export type ExportedStep = JsonObject & { readonly id: string };

export function exportStep(step: WorkflowStep): ExportedStep {
  const { id, name, stepType, description, hitlPhase, config, maxIterations } = step;
  return {
    id,
    name,
    stepType,
    ...defined({
      description,
      hitlPhase,
      config: Object.keys(config).length === 0 ? undefined : config,
      maxIterations: unlessDefault(maxIterations, WORKFLOW_DEFAULTS.maxIterations),
      ...workOf(step),
      ...ownOf(step),
    }),
  };
}

type Fields = Readonly<Record<string, Json | undefined>>;

function workOf(step: WorkflowStep): Fields {
  if (!("execution" in step)) return {};
  const { execution, prompt, defaultAssigneeId, outputSchema, minConfidence, retries } = step;
  const timeout = step.timeoutMs === undefined ? undefined : writeDuration(step.timeoutMs);
  const isSaid = step.stepType === "task" || execution === "manual";
  const who = { execution: isSaid ? execution : undefined, prompt, defaultAssigneeId };
  return { ...who, outputSchema, minConfidence, retries, timeout };
}

function ownOf(step: WorkflowStep): Fields {
  switch (step.stepType) {
    case "task":
      return {};
    case "decision":
      return {
        branches: step.branches.map(({ text, targetStepId }) => ({
          condition: text,
          targetStepId,
        })),
        defaultBranch: step.defaultBranch,
      };
    case "foreach":
      return {
        itemsPath: step.itemsPath,
        itemVariable: step.itemVariable,
        maxItems: unlessDefault(step.maxItems, WORKFLOW_DEFAULTS.maxItems),
        concurrency: step.concurrency,
      };
    case "join":
      return { awaitTag: step.awaitTag, ...policyOf(step.policy) };
    case "subflow":
      return {
        subflowId: step.subflowId,
        inputMapping:
          step.inputMapping.length === 0
            ? undefined
            : Object.fromEntries(step.inputMapping.map(({ name, text }) => [name, text])),
        timeout: step.timeoutMs === undefined ? undefined : writeDuration(step.timeoutMs),
      };
  }
}

function policyOf({ need, deadlineMs, onDeadline }: JoinPolicy): Fields {
  return {
    minPercent: need.kind === "percent" ? need.percent : undefined,
    minCount: need.kind === "count" ? need.count : undefined,
    deadline: deadlineMs === undefined ? undefined : writeDuration(deadlineMs),
    onDeadline: deadlineMs === undefined ? undefined : onDeadline,
  };
}

function unlessDefault(value: number, usual: number): number | undefined {
  return value === usual ? undefined : value;
}

function defined(fields: Fields): JsonObject {
  return Object.fromEntries(
    Object.entries(fields).flatMap(([key, value]) => (value === undefined ? [] : [[key, value]])),
  );
}
