/**
 * Joins to which work may come on several ways at once: the last step that all ways to them have in
 * common is no decision, so it takes more than one of them. Other joins meet only one way at a time,
 * so what they bring together must be the items of a foreach.
 */

import type { WorkflowGraph } from "./workflow-graph.ts";

/** Beyond this the question is left open, and no join is a fork's. */
const MOST_STEPS = 5_000;

export function findForkJoins(
  graph: WorkflowGraph,
  starts: readonly string[],
): ReadonlySet<string> {
  const joins = [...graph.steps.values()].filter(
    ({ id, stepType }) => stepType === "join" && graph.edgesTo(id).length > 1,
  );
  if (joins.length === 0 || graph.steps.size > MOST_STEPS) return new Set();
  const lastCommon = findDominators(graph, starts);
  return new Set(
    joins
      .map(({ id }) => id)
      .filter((id) => {
        const common = lastCommon.get(id);
        return common === undefined || graph.steps.get(common)?.stepType !== "decision";
      }),
  );
}

/** By step, the last one that every way from the start to it passes; none where starts differ. */
function findDominators(
  graph: WorkflowGraph,
  starts: readonly string[],
): ReadonlyMap<string, string | undefined> {
  const order = reversePostorder(graph, starts);
  const places = new Map(order.map((id, place) => [id, place + 1]));
  const before = order.map((id) =>
    graph.edgesTo(id).flatMap(({ source }) => places.get(source) ?? []),
  );
  // Place 0 stands for what leads to all the starts.
  const above: (number | undefined)[] = [0];
  const isStart = new Set(starts);
  const meet = (one: number, other: number): number => {
    let [a, b] = [one, other];
    while (a !== b) {
      if (a > b) a = above[a] ?? 0;
      else b = above[b] ?? 0;
    }
    return a;
  };
  for (let hasChanged = true; hasChanged; ) {
    hasChanged = false;
    order.forEach((id, index) => {
      const known = (before[index] ?? []).filter((place) => above[place] !== undefined);
      const found = isStart.has(id) ? 0 : known.reduce(meet);
      if (above[index + 1] === found) return;
      above[index + 1] = found;
      hasChanged = true;
    });
  }
  return new Map(order.map((id, index) => [id, order[(above[index + 1] ?? 0) - 1]]));
}

function reversePostorder(graph: WorkflowGraph, starts: readonly string[]): string[] {
  const seen = new Set<string>();
  const left: string[] = [];
  for (const start of starts) {
    if (seen.has(start)) continue;
    seen.add(start);
    const frames = [{ id: start, next: 0 }];
    for (let frame = frames.at(-1); frame !== undefined; frame = frames.at(-1)) {
      const target = graph.edgesFrom(frame.id)[frame.next]?.target;
      frame.next += 1;
      if (target === undefined) left.push(frames.pop()?.id ?? "");
      else if (!seen.has(target) && graph.steps.has(target)) {
        seen.add(target);
        frames.push({ id: target, next: 0 });
      }
    }
  }
  return left.toReversed();
}
