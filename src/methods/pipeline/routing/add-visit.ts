/** A visit is planned in one place, so that it counts, and is alive, from that moment on. */

import type { Draft } from "./draft.ts";
import type { Scope } from "./open-run.ts";
import type { Hold, NewVisit } from "./route-plan.ts";

export function addVisit(
  draft: Draft,
  visit: {
    readonly step: string;
    readonly scope: Scope;
    readonly from: string;
    readonly kind: NewVisit["kind"];
    readonly sources?: readonly string[];
  },
): void {
  const { step, scope, from, kind, sources = [] } = visit;
  const id = draft.nextId();
  const iteration = draft.iterationOf(scope, step);
  draft.plan.visits.push({ id, step, scope, from, iteration, kind, sources });
  draft.live(scope, { id, step, isResting: false });
}

export function taskCap(draft: Draft, id: string, wanted: number): Hold | undefined {
  const cap = draft.run.caps.tasks ?? draft.graph.definition.maxTasks;
  if (wanted === 0 || draft.run.tasks + draft.newTasks() + wanted <= cap) return undefined;
  return {
    id,
    code: "task_cap",
    message: `The run has made ${draft.run.tasks + draft.newTasks()} tasks; at most ${cap} are allowed.`,
    details: { cap },
  };
}
