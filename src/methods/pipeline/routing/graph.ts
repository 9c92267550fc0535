/** A workflow prepared for routing: what leads where, which steps a foreach repeats, what can still reach a join. */

import { foreachRegions } from "../workflow/foreach-regions.ts";
import { startSteps } from "../workflow/start-steps.ts";
import type {
  DecisionStep,
  ForeachStep,
  JoinStep,
  WorkflowDefinition,
  WorkflowEdge,
  WorkflowStep,
} from "../workflow/workflow-definition.ts";

export interface Graph {
  readonly definition: WorkflowDefinition;
  /** Throws for an id that the workflow does not have. */
  step(id: string): WorkflowStep;
  /** In drawing order. Of `START`: the steps a run begins with. */
  targetsOf(id: string): readonly string[];
  /** The join that collects what a foreach spreads. */
  joinOf(foreachId: string): JoinStep;
  /** The foreach whose items end at this join; undefined for a join of parallel edges. */
  foreachOf(joinId: string): string | undefined;
  /** Whether work at `from` may arrive at `join`, inside the body of `region` or, without one, anywhere. */
  canReach(from: string, join: string, region: string | undefined): boolean;
  /** The nearest join of parallel edges on any way forward. */
  joinAfter(from: string): JoinStep | undefined;
  /** Position of the edge by which a step leads to a join, at once or later, so that results stand in drawing order. */
  placeAt(join: string, from: string): number;
}

/** What one foreach repeats for every item, and where its items end. */
export interface Region {
  readonly body: ReadonlySet<string>;
  readonly joinId: string;
}

/** The visit every run begins with; no step has this id. */
export const START = "";

export function buildGraph(
  definition: WorkflowDefinition,
  starts: readonly string[],
  regions: ReadonlyMap<string, Region>,
): Graph {
  const steps = new Map(definition.steps.map((step) => [step.id, step]));
  const outgoing = new Map<string, WorkflowEdge[]>();
  for (const edge of definition.edges) {
    const edges = outgoing.get(edge.source);
    if (edges) edges.push(edge);
    else outgoing.set(edge.source, [edge]);
  }
  const foreachOfJoin = new Map([...regions].map(([foreachId, { joinId }]) => [joinId, foreachId]));
  const reached = new Map<string, ReadonlySet<string>>();
  const places = new Map<string, number>();

  const step = (id: string): WorkflowStep => {
    const found = steps.get(id);
    if (!found) throw new Error(`The workflow has no step "${id}".`);
    return found;
  };
  const targetsOf = (id: string): readonly string[] =>
    id === START ? starts : (outgoing.get(id) ?? []).map(({ target }) => target);
  /** Everything that leads to the join without passing it, walked backwards once. */
  const sourcesOf = (join: string, region: string | undefined): ReadonlySet<string> => {
    const key = `${region ?? ""}\n${join}`;
    const known = reached.get(key);
    if (known) return known;
    const body = region === undefined ? undefined : regions.get(region)?.body;
    const found = walkBack(
      definition.edges,
      join,
      (id) => body === undefined || body.has(id) || id === region,
    );
    reached.set(key, found);
    return found;
  };

  return {
    definition,
    step,
    targetsOf,
    joinOf: (foreachId) => {
      const join = step(regions.get(foreachId)?.joinId ?? START);
      if (join.stepType !== "join")
        throw new Error(`"${foreachId}" ends at "${join.id}", which is no join.`);
      return join;
    },
    foreachOf: (joinId) => foreachOfJoin.get(joinId),
    canReach: (from, join, region) => sourcesOf(join, region).has(from),
    joinAfter: (from) => {
      const seen = new Set<string>();
      let near: readonly string[] = targetsOf(from);
      while (near.length > 0) {
        const further: string[] = [];
        for (const id of near) {
          if (seen.has(id)) continue;
          seen.add(id);
          const next = step(id);
          if (next.stepType === "join" && !foreachOfJoin.has(id)) return next;
          further.push(...targetsOf(id));
        }
        near = further;
      }
      return undefined;
    },
    placeAt: (join, from) => {
      const key = `${join}\n${from}`;
      const known = places.get(key);
      if (known !== undefined) return known;
      const place = placeOfEdge(definition.edges, join, from, targetsOf);
      places.set(key, place);
      return place;
    },
  };
}

const known = new WeakMap<WorkflowDefinition, Graph>();

/** The same definition gives the same graph, so what is worked out about it is kept. */
export function routingGraphOf(definition: WorkflowDefinition): Graph {
  const before = known.get(definition);
  if (before) return before;
  const graph = buildGraph(definition, startSteps(definition), foreachRegions(definition));
  known.set(definition, graph);
  return graph;
}

export function isDecision(step: WorkflowStep): step is DecisionStep {
  return step.stepType === "decision";
}

export function isForeach(step: WorkflowStep): step is ForeachStep {
  return step.stepType === "foreach";
}

/** The edge itself, or the first that what follows from the step may take. */
function placeOfEdge(
  edges: readonly WorkflowEdge[],
  join: string,
  from: string,
  targetsOf: (id: string) => readonly string[],
): number {
  const own = edges.findIndex(({ source, target }) => target === join && source === from);
  if (own >= 0) return own;
  const behind = new Set<string>();
  const waiting = [from];
  for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
    if (behind.has(id) || id === join) continue;
    behind.add(id);
    waiting.push(...targetsOf(id));
  }
  const first = edges.findIndex(({ source, target }) => target === join && behind.has(source));
  return first >= 0 ? first : edges.length;
}

function walkBack(
  edges: readonly WorkflowEdge[],
  join: string,
  isInside: (id: string) => boolean,
): ReadonlySet<string> {
  const sources = new Map<string, string[]>();
  for (const { source, target } of edges)
    sources.set(target, [...(sources.get(target) ?? []), source]);
  const found = new Set<string>();
  const left = [...(sources.get(join) ?? [])];
  for (let id = left.pop(); id !== undefined; id = left.pop()) {
    if (id === join || found.has(id) || !isInside(id)) continue;
    found.add(id);
    left.push(...(sources.get(id) ?? []));
  }
  return found;
}
