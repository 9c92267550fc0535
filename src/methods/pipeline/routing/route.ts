/**
 * One look at a run: everything that is done is passed on, joins that nothing can reach any more go on, items
 * start and end, and a run in which nothing is left ends. Pure: the same state gives the same plan.
 *
 * A task that is done counts as completed only once it is known where it leads; where that is unknown it is held.
 */

import { admitItems, closeContainers } from "./containers.ts";
import { type Draft, openDraft } from "./draft.ts";
import type { Graph } from "./graph.ts";
import { endItems, settleJoins } from "./joins.ts";
import { type Arrival, type Facts, type OpenRun, WHOLE_RUN } from "./open-run.ts";
import { passOn } from "./pass-on.ts";
import type { RoutePlan } from "./route-plan.ts";

export function route(graph: Graph, run: OpenRun, facts: Facts, nextId: () => string): RoutePlan {
  const draft = openDraft(graph, run, facts, nextId);
  for (const visit of run.visits) {
    if (visit.outcome === undefined || visit.isHeld) continue;
    // An item that was left out has taken along what was done in it meanwhile.
    if (!draft.plan.dropped.includes(visit.id)) passOn(draft, visit, visit.outcome);
  }
  // An item that ends may close its container, and the join behind it may be the last that another join waits for.
  for (let hasChanged = true; hasChanged; ) {
    const joins = settleJoins(draft);
    const items = endItems(draft);
    const containers = closeContainers(draft);
    hasChanged = joins || items || containers;
  }
  admitItems(draft);
  return planOf(draft);
}

function planOf(draft: Draft): RoutePlan {
  const { failures } = draft;
  const plan = withoutPassing(draft, withoutUnborn(draft.plan));
  const isQuiet = draft.livePlaces(WHOLE_RUN).length === 0;
  if (!isQuiet) return plan;
  const failed = failures.filter(({ scope }) => scope === WHOLE_RUN).map(({ visitId }) => visitId);
  return {
    ...plan,
    isMore: false,
    end: failed.length > 0 ? { state: "failed", failures: failed } : { state: "completed" },
  };
}

/** What arrived and was joined in the same look has never waited: there is nothing to keep, and nothing to forget. */
function withoutPassing({ run, arrivals }: Draft, plan: RoutePlan): RoutePlan {
  if (plan.joined.length === 0) return plan;
  const place = ({ scope, join }: Pick<Arrival, "scope" | "join">) => `${join} ${scope}`;
  const waiting = new Set(arrivals.map((arrival) => `${place(arrival)} ${arrival.visitId}`));
  const stored = new Set([...run.arrivals, ...run.marks].map(place));
  return {
    ...plan,
    arrived: plan.arrived.filter((arrival) => waiting.has(`${place(arrival)} ${arrival.visitId}`)),
    joined: plan.joined.filter((each) => stored.has(place(each))),
  };
}

/** What a look both plans and drops, such as the next step of an item whose join was forced, never was. */
function withoutUnborn(plan: RoutePlan): RoutePlan {
  if (plan.dropped.length === 0) return plan;
  const dropped = new Set(plan.dropped);
  const isBorn = ({ id }: { readonly id: string }) => !dropped.has(id);
  const unborn = new Set(
    [...plan.visits, ...plan.containers].filter((each) => !isBorn(each)).map(({ id }) => id),
  );
  return {
    ...plan,
    visits: plan.visits.filter(isBorn),
    containers: plan.containers.filter(isBorn),
    dropped: plan.dropped.filter((id) => !unborn.has(id)),
  };
}
