/**
 * What is wrong with a workflow as a whole: what is never reached, never ends, never comes together,
 * or names somebody or something that is not there.
 */

import { checkPaths } from "./check-paths.ts";
import { type ReadRegions, readRegions } from "./foreach-regions.ts";
import type { LocateSetting } from "./read-workflow.ts";
import { startSteps } from "./start-steps.ts";
import type {
  ForeachStep,
  WorkflowDefinition,
  WorkflowEdge,
  WorkflowStep,
} from "./workflow-definition.ts";
import { graphOf, isLoop, loopsOf, reachableFrom, type WorkflowGraph } from "./workflow-graph.ts";
import type { WorkflowProblem } from "./workflow-problem.ts";

/** What there is outside the workflow; what is not given is not checked. */
export interface KnownNames {
  readonly agentIds?: ReadonlySet<string>;
  /** Ids and names of workflows. */
  readonly workflows?: ReadonlySet<string>;
}

/** `locate` gives the exact place of a setting; without it the step's own place is told. */
export function validateWorkflow(
  definition: WorkflowDefinition,
  known: KnownNames = {},
  locate?: LocateSetting,
): WorkflowProblem[] {
  if (definition.steps.length === 0) return [emptyWorkflow()];
  const graph = graphOf(definition);
  const starts = startSteps(definition, graph);
  const regions = readRegions(definition, graph);
  return [
    ...unreachableSteps(definition, graph, starts),
    ...definition.steps.flatMap((step) => [
      ...checkStep(step, graph, regions),
      ...checkNames(step, known, locate),
    ]),
    ...doubledEdges(definition),
    ...endlessLoops(graph),
    ...regions.problems,
    ...checkPaths({ definition, graph, regions, locate }),
  ];
}

function emptyWorkflow(): WorkflowProblem {
  return {
    code: "workflow_empty",
    severity: "error",
    message: "The diagram draws no step.",
    hint: "Draw one, such as A[Write a summary].",
  };
}

function problemAt(
  step: WorkflowStep,
  code: string,
  message: string,
  rest: { readonly hint?: string; readonly severity?: "warning" } = {},
): WorkflowProblem {
  const { id, position } = step;
  return { code, severity: "error", message, stepId: id, position, ...rest };
}

function unreachableSteps(
  { steps }: WorkflowDefinition,
  graph: WorkflowGraph,
  starts: readonly string[],
): WorkflowProblem[] {
  const reached = reachableFrom(graph, starts);
  return steps.flatMap((step) =>
    reached.has(step.id)
      ? []
      : [
          problemAt(step, "step_unreachable", `"${step.id}" is never reached from the start.`, {
            hint: "A run begins at steps that nothing leads to, and at the step drawn first. Lead an edge to it, or draw it first.",
          }),
        ],
  );
}

function checkStep(
  step: WorkflowStep,
  graph: WorkflowGraph,
  regions: ReadRegions,
): WorkflowProblem[] {
  // What is never reached has been said; the rest would only repeat it.
  if (!regions.around.has(step.id)) return [];
  // Where borders are crossed, it is not certain what stands inside.
  const isSure = regions.problems.length === 0;
  const { id } = step;
  switch (step.stepType) {
    case "decision":
      return checkDecision(step, graph);
    case "foreach":
      return isSure ? checkForeach(step, regions) : [];
    case "join":
      return isSure ? checkJoin(step, graph, regions) : [];
    default: {
      const around = regions.around.get(id);
      const isEnd = around !== undefined && isSure && graph.edgesFrom(id).length === 0;
      const message = `An item that ends at "${id}" never comes to the join of "${around}".`;
      return isEnd ? [problemAt(step, "foreach_dead_end", message, { severity: "warning" })] : [];
    }
  }
}

function checkDecision(
  step: Extract<WorkflowStep, { stepType: "decision" }>,
  graph: WorkflowGraph,
): WorkflowProblem[] {
  if (graph.edgesFrom(step.id).length === 0) {
    const hint = 'Draw edges from it, such as -->|"output.score >= 80"|.';
    return [
      problemAt(step, "decision_without_branches", `"${step.id}" decides nothing.`, { hint }),
    ];
  }
  if (step.defaultBranch !== undefined) return [];
  const message = `"${step.id}" has no default: where no condition is met, the run waits for a person.`;
  const hint = "Label one of its edges default.";
  return [problemAt(step, "decision_without_default", message, { hint, severity: "warning" })];
}

function checkForeach(step: ForeachStep, { regions }: ReadRegions): WorkflowProblem[] {
  const region = regions.get(step.id);
  if (region === undefined) {
    const hint = "Lead what is done for an item to a step [Join …].";
    const message = `Behind "${step.id}" no join brings its items together.`;
    return [problemAt(step, "foreach_without_join", message, { hint })];
  }
  if (region.body.size > 0 || step.prompt !== undefined) return [];
  const hint = 'Give it a "prompt", or draw steps between it and its join.';
  const message = `"${step.id}" does nothing with its items.`;
  return [problemAt(step, "foreach_without_body", message, { hint })];
}

function checkJoin(
  step: WorkflowStep,
  graph: WorkflowGraph,
  { endedBy }: ReadRegions,
): WorkflowProblem[] {
  const sources = graph.edgesTo(step.id).filter(({ source }) => source !== step.id);
  if (sources.length === 0) {
    const message = `Nothing leads to "${step.id}" that it could join.`;
    return [
      problemAt(step, "join_unfed", message, { hint: "Lead a foreach or parallel edges to it." }),
    ];
  }
  if (endedBy.has(step.id) || sources.length > 1) return [];
  const message = `Only one edge leads to "${step.id}", so it joins nothing.`;
  const hint = "Lead parallel edges to it, or draw it as a task.";
  return [problemAt(step, "join_of_one", message, { hint, severity: "warning" })];
}

function checkNames(
  step: WorkflowStep,
  { agentIds, workflows }: KnownNames,
  locate: LocateSetting | undefined,
): WorkflowProblem[] {
  const found = (code: string, key: string, message: string): WorkflowProblem[] => {
    const problem = problemAt(step, code, message);
    return [{ ...problem, position: locate?.(step.id, [key]) ?? step.position }];
  };
  if ("defaultAssigneeId" in step && step.defaultAssigneeId !== undefined) {
    if (agentIds === undefined || agentIds.has(step.defaultAssigneeId)) return [];
    const message = `There is no agent "${step.defaultAssigneeId}".`;
    return found("unknown_agent", "defaultAssigneeId", message);
  }
  if (step.stepType !== "subflow" || step.subflowId === "") return [];
  if (workflows === undefined || workflows.has(step.subflowId)) return [];
  return found("unknown_subflow", "subflowId", `There is no workflow "${step.subflowId}".`);
}

function doubledEdges({ edges }: WorkflowDefinition): WorkflowProblem[] {
  const seen = new Set<string>();
  return edges.flatMap(({ source, target, when, position }): WorkflowProblem[] => {
    const key = `${source}\n${target}`;
    if (when !== "always" || !seen.has(key)) {
      if (when === "always") seen.add(key);
      return [];
    }
    const message = `The edge from "${source}" to "${target}" is drawn twice, so "${target}" runs twice.`;
    return [{ code: "edge_doubled", severity: "warning", message, stepId: source, position }];
  });
}

/**
 * Work that goes round for ever: a loop that nothing leaves; one whose edges are all taken every
 * time, whatever else leaves it; one of decisions only, in which no work is done.
 */
function endlessLoops(graph: WorkflowGraph): WorkflowProblem[] {
  const told = new Set<string>();
  const found = [
    ...endless(graph, (edge) => edge.when === "always", told),
    ...endless(
      graph,
      ({ source, target }) => isDecision(graph, source) && isDecision(graph, target),
      told,
    ),
    ...loopsOf(graph)
      .filter((group) => isLoop(graph, group) && hasNoExit(graph, group))
      .map((group) => loopProblem(graph, group, told)),
  ];
  return found.filter((problem) => problem !== undefined);
}

function endless(
  graph: WorkflowGraph,
  isMeant: (edge: WorkflowEdge) => boolean,
  told: Set<string>,
): (WorkflowProblem | undefined)[] {
  return loopsOf(graph, isMeant)
    .filter((group) => isLoop(graph, group, isMeant))
    .map((group) => loopProblem(graph, group, told));
}

function isDecision(graph: WorkflowGraph, id: string): boolean {
  return graph.steps.get(id)?.stepType === "decision";
}

function hasNoExit(graph: WorkflowGraph, group: readonly string[]): boolean {
  const inside = new Set(group);
  return group.every((id) => graph.edgesFrom(id).every(({ target }) => inside.has(target)));
}

const MOST_NAMED = 8;

/** Told once for a loop, at the step of it that is drawn first. */
function loopProblem(
  graph: WorkflowGraph,
  group: readonly string[],
  told: Set<string>,
): WorkflowProblem | undefined {
  if (group.some((id) => told.has(id))) return undefined;
  for (const id of group) told.add(id);
  const steps = group
    .flatMap((id) => graph.steps.get(id) ?? [])
    .toSorted((a, b) => a.position.offset - b.position.offset);
  const [first] = steps;
  if (first === undefined) return undefined;
  const shown = steps.slice(0, MOST_NAMED).map(({ id }) => `"${id}"`);
  const more = steps.length > MOST_NAMED ? ` and ${steps.length - MOST_NAMED} more` : "";
  return problemAt(
    first,
    "cycle_without_exit",
    `Work that comes to ${shown.join(", ")}${more} goes round for ever.`,
    { hint: "Put a decision into the loop of which one branch leads out of it." },
  );
}
