/** What leads where in a workflow. Walks are loops, never recursion: a chart may be very deep. */

import type { WorkflowDefinition, WorkflowEdge, WorkflowStep } from "./workflow-definition.ts";

export interface WorkflowGraph {
  readonly steps: ReadonlyMap<string, WorkflowStep>;
  edgesFrom(stepId: string): readonly WorkflowEdge[];
  edgesTo(stepId: string): readonly WorkflowEdge[];
}

const NONE: readonly WorkflowEdge[] = [];

export function graphOf({ steps, edges }: WorkflowDefinition): WorkflowGraph {
  const outgoing = Map.groupBy(edges, ({ source }) => source);
  const incoming = Map.groupBy(edges, ({ target }) => target);
  return {
    steps: new Map(steps.map((step) => [step.id, step])),
    edgesFrom: (stepId) => outgoing.get(stepId) ?? NONE,
    edgesTo: (stepId) => incoming.get(stepId) ?? NONE,
  };
}

/** Everything that can be reached, the beginnings included. */
export function reachableFrom(graph: WorkflowGraph, beginnings: readonly string[]): Set<string> {
  const reached = new Set(beginnings);
  for (const id of reached) for (const { target } of graph.edgesFrom(id)) reached.add(target);
  return reached;
}

/**
 * Steps that can reach each other, group by group (Tarjan); a step in no loop is alone. Only edges
 * that pass `isMeant` count.
 */
export function loopsOf(
  graph: WorkflowGraph,
  isMeant: (edge: WorkflowEdge) => boolean = () => true,
): readonly (readonly string[])[] {
  const indexes = new Map<string, number>();
  const lowest = new Map<string, number>();
  const open: string[] = [];
  const isOpen = new Set<string>();
  const groups: string[][] = [];
  const enter = (id: string): Frame => {
    indexes.set(id, indexes.size);
    lowest.set(id, indexes.get(id) ?? 0);
    open.push(id);
    isOpen.add(id);
    return { id, targets: graph.edgesFrom(id).filter(isMeant), next: 0 };
  };
  const lower = (id: string, to: number | undefined): void => {
    lowest.set(id, Math.min(lowest.get(id) ?? 0, to ?? Infinity));
  };
  for (const first of graph.steps.keys()) {
    if (indexes.has(first)) continue;
    const frames = [enter(first)];
    for (let frame = frames.at(-1); frame !== undefined; frame = frames.at(-1)) {
      const edge = frame.targets[frame.next];
      frame.next += 1;
      if (edge === undefined) {
        frames.pop();
        const above = frames.at(-1);
        if (above !== undefined) lower(above.id, lowest.get(frame.id));
        if (lowest.get(frame.id) !== indexes.get(frame.id)) continue;
        const group = open.splice(open.lastIndexOf(frame.id));
        for (const id of group) isOpen.delete(id);
        groups.push(group);
      } else if (!indexes.has(edge.target)) {
        frames.push(enter(edge.target));
      } else if (isOpen.has(edge.target)) {
        lower(frame.id, indexes.get(edge.target));
      }
    }
  }
  return groups;
}

interface Frame {
  readonly id: string;
  readonly targets: readonly WorkflowEdge[];
  next: number;
}

/** Of the groups, those in which work can go round. */
export function isLoop(
  graph: WorkflowGraph,
  group: readonly string[],
  isMeant: (edge: WorkflowEdge) => boolean = () => true,
): boolean {
  const [only] = group;
  if (group.length > 1 || only === undefined) return group.length > 1;
  return graph.edgesFrom(only).some((edge) => edge.target === only && isMeant(edge));
}
