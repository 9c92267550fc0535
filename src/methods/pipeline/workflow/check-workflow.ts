/** All that can be told about a workflow from its source. */

import { readWorkflow } from "./read-workflow.ts";
import { type KnownNames, validateWorkflow } from "./validate-workflow.ts";
import type { WorkflowDefinition } from "./workflow-definition.ts";
import { inReadingOrder, type WorkflowProblem } from "./workflow-problem.ts";

export interface CheckedWorkflow {
  readonly definition: WorkflowDefinition;
  /** All of them, in reading order. */
  readonly problems: readonly WorkflowProblem[];
}

/** Reads and validates. Where the drawing is broken, nothing is said about the whole. */
export function checkWorkflow(source: string, known: KnownNames = {}): CheckedWorkflow {
  const { definition, problems, isWhole, locate } = readWorkflow(source);
  const found = isWhole ? validateWorkflow(definition, known, locate) : [];
  return { definition, problems: inReadingOrder([...problems, ...found]) };
}
