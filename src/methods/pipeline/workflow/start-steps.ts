/**
 * Where a run begins, all at once:
 *
 * - every step that no other step leads to;
 * - the step drawn first, if only steps of its own loop lead to it. So a chart whose last step goes
 *   back to the first begins there.
 *
 * A loop that nothing leads into and that does not hold the first step has no beginning: its steps
 * are unreachable.
 */

import type { WorkflowDefinition } from "./workflow-definition.ts";
import { graphOf, type WorkflowGraph } from "./workflow-graph.ts";

/** In drawing order. */
export function startSteps(
  definition: WorkflowDefinition,
  graph: WorkflowGraph = graphOf(definition),
): readonly string[] {
  return definition.steps
    .map(({ id }) => id)
    .filter((id, index) =>
      index === 0
        ? leadsToAllBefore(graph, id)
        : graph.edgesTo(id).every(({ source }) => source === id),
    );
}

/** Whether everything that can lead to the step also comes from it. */
function leadsToAllBefore(graph: WorkflowGraph, stepId: string): boolean {
  const after = new Set([stepId]);
  for (const id of after) for (const { target } of graph.edgesFrom(id)) after.add(target);
  const before = new Set([stepId]);
  for (const id of before) for (const { source } of graph.edgesTo(id)) before.add(source);
  return before.isSubsetOf(after);
}
