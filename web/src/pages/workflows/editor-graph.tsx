/** The text as a drawing; what is wrong is marked on the steps. */

import { lazy, useMemo } from "react";
import { type GraphEdge, type GraphNode, shapeOf } from "../../graph/graph-model.ts";
import type { WorkflowGraph } from "./use-edited-text.ts";

const GraphCanvas = lazy(() => import("../../graph/graph-canvas.tsx"));

export function EditorGraph({
  graph,
  chosen,
  onChoose,
}: {
  readonly graph: WorkflowGraph;
  readonly chosen: string | undefined;
  readonly onChoose: (id: string) => void;
}) {
  const nodes = useMemo(() => nodesOf(graph), [graph]);
  const edges = useMemo(
    () =>
      graph.edges.map(({ source, target, when }): GraphEdge => {
        const isNear = source === chosen || target === chosen;
        return { source, target, label: when, kind: isNear ? "taken" : "plain" };
      }),
    [graph, chosen],
  );
  return (
    <GraphCanvas
      label="Graph of the workflow"
      nodes={nodes}
      edges={edges}
      direction={graph.direction}
      chosen={chosen}
      onChoose={onChoose}
    />
  );
}

function nodesOf({ steps, problems }: WorkflowGraph): readonly GraphNode[] {
  const faults = Map.groupBy(problems, ({ stepId }) => stepId);
  return steps.map((step): GraphNode => {
    const own = faults.get(step.id) ?? [];
    const fault = own.some(({ severity }) => severity === "error")
      ? "error"
      : own.length > 0
        ? "warning"
        : undefined;
    const { id, name } = step;
    return {
      id,
      name,
      shape: shapeOf(step.stepType, step.execution),
      state: undefined,
      fact: "",
      fault,
    };
  });
}
