/**
 * Joins of parallel edges, and the ends of items. A join goes on once nothing alive in its scope can still reach it;
 * what failed on the way is taken up by a join that does not need everything, and fails the scope otherwise.
 */

import type { JoinPolicy, JoinStep } from "../workflow/workflow-definition.ts";
import { addVisit } from "./add-visit.ts";
import { clearArrivals, type Draft, drop, isResting, type Place } from "./draft.ts";
import { type Arrival, placeInForeach, type Scope } from "./open-run.ts";

interface Arriving {
  readonly id: string;
  readonly step: string;
  readonly scope: Scope;
  /** Where the edge is drawn from, if it is not from the step. */
  readonly via?: string;
}

/** Without a join: where the item ends. */
export function arrive(
  draft: Draft,
  { id, step, scope, via = step }: Arriving,
  join: string | undefined,
  isFailed = false,
): void {
  const place = join ?? endOf(draft, scope);
  const isFirst = !draft.arrivals.some(
    (arrival) => arrival.scope === scope && arrival.join === place,
  );
  const arrival: Arrival = {
    scope,
    join: place,
    visitId: id,
    isFailed,
    place: draft.graph.placeAt(place, via),
  };
  draft.arrivals.push(arrival);
  draft.plan.arrived.push({ ...arrival, isFirst });
}

/** Says whether a join takes the failure up: the nearest one, if it does not need everything. */
export function fail(
  draft: Draft,
  visit: { readonly id: string; readonly step: string; readonly scope: Scope },
): boolean {
  const { graph } = draft;
  const { id, step, scope } = visit;
  const join = graph.joinAfter(step);
  const isHere = join !== undefined && graph.canReach(step, join.id, draft.regionOf(scope));
  // A join that has given up in this look takes nothing up: joins in a circle would pass a failure on for ever.
  const hasGivenUp = draft.plan.visits.some(
    (each) => each.failed && each.step === join?.id && each.scope === scope,
  );
  const isTaken = isHere && !hasGivenUp && join.policy.need.kind !== "all";
  if (isTaken) arrive(draft, visit, join.id, true);
  else draft.failures.push({ visitId: id, step, scope });
  return isTaken;
}

export function settleJoins(draft: Draft): boolean {
  const waiting = waitingJoins(draft);
  let hasChanged = false;
  for (const { scope, join } of waiting) {
    const others = waiting.filter((other) => other.scope === scope && other.join !== join);
    if (settleJoin(draft, scope, join, others)) hasChanged = true;
  }
  if (hasChanged) return true;
  // Joins that could each reach the other would wait for ever: the first that was drawn goes on.
  return waiting.some(({ scope, join }) => settleJoin(draft, scope, join, []));
}

interface WaitingJoin {
  readonly scope: Scope;
  readonly join: JoinStep;
}

/** In drawing order; where an item ends is not one of them. */
function waitingJoins(draft: Draft): readonly WaitingJoin[] {
  const found = new Map<string, WaitingJoin>();
  for (const { scope, join } of draft.arrivals) {
    const step = draft.graph.step(join);
    const isItsEnd = isEndOfItem(draft, scope, join);
    if (step.stepType === "join" && !isItsEnd) found.set(`${join} ${scope}`, { scope, join: step });
  }
  const { steps } = draft.graph.definition;
  return [...found.values()].toSorted(
    (one, other) => steps.indexOf(one.join) - steps.indexOf(other.join),
  );
}

function settleJoin(
  draft: Draft,
  scope: Scope,
  join: JoinStep,
  others: readonly WaitingJoin[],
): boolean {
  const region = draft.regionOf(scope);
  const isBefore = (step: string) => draft.graph.canReach(step, join.id, region);
  const arrivals = draft.arrivals.filter((each) => each.scope === scope && each.join === join.id);
  if (arrivals.length === 0) return false;
  const coming = draft.livePlaces(scope).filter(({ step }) => isBefore(step));
  const mark = draft.run.marks.find((each) => each.scope === scope && each.join === join.id);
  const counts = {
    completed: arrivals.filter(({ isFailed }) => !isFailed).length,
    total: arrivals.length + coming.length,
  };
  if (mark?.isForced) return goOn(draft, scope, join, arrivals, coming);
  if (mark?.isOverdue) return giveUp(draft, scope, join, coming);
  const isMet = isSatisfied(join.policy, counts);
  if (coming.length > 0) {
    // Only people could still add something, and enough is there without them.
    const isTolerant = join.policy.need.kind !== "all";
    if (!isTolerant || !isMet || !coming.every((place) => isResting(draft, place))) return false;
    return goOn(draft, scope, join, arrivals, coming);
  }
  if (others.some((other) => isBefore(other.join.id))) return false;
  if (isMet) {
    const isMissing = draft.failures.some((each) => each.scope === scope && isBefore(each.step));
    return isMissing ? false : goOn(draft, scope, join, arrivals, coming);
  }
  return giveUp(draft, scope, join, coming);
}

export function isSatisfied(
  { need }: JoinPolicy,
  { completed, total }: { readonly completed: number; readonly total: number },
): boolean {
  switch (need.kind) {
    case "all":
      return completed === total;
    case "percent":
      return completed * 100 >= need.percent * total;
    case "count":
      return completed >= need.count;
  }
}

function goOn(
  draft: Draft,
  scope: Scope,
  join: JoinStep,
  arrivals: readonly Arrival[],
  coming: readonly Place[],
): boolean {
  for (const place of coming) drop(draft, scope, place);
  const drawn = inDrawingOrder(arrivals);
  const first = drawn.find(({ isFailed }) => !isFailed) ?? drawn[0];
  addVisit(draft, {
    step: join.id,
    scope,
    from: first?.visitId ?? "",
    kind: "join",
    sources: drawn.map(({ visitId }) => visitId),
  });
  if (join.prompt === undefined) draft.plan.isMore = true;
  clearArrivals(draft, (each) => each.scope === scope && each.join === join.id);
  return true;
}

/** Too little arrived, or too late: the join fails as a task would. */
function giveUp(draft: Draft, scope: Scope, join: JoinStep, coming: readonly Place[]): boolean {
  for (const place of coming) drop(draft, scope, place);
  const sources = draft.arrivals
    .filter((each) => each.scope === scope && each.join === join.id)
    .map(({ visitId }) => visitId);
  const id = draft.nextId();
  const iteration = draft.iterationOf(scope, join.id);
  const visit = {
    id,
    step: join.id,
    scope,
    from: sources[0] ?? "",
    iteration,
    kind: "join",
  } as const;
  clearArrivals(draft, (each) => each.scope === scope && each.join === join.id);
  const place = draft.plan.visits.length;
  draft.plan.visits.push({ ...visit, sources, failed: { isAbsorbed: false } });
  if (fail(draft, visit)) {
    draft.plan.visits[place] = { ...visit, sources, failed: { isAbsorbed: true } };
  }
  return true;
}

/** What came along the same edge keeps the order in which it came. */
function inDrawingOrder(arrivals: readonly Arrival[]): readonly Arrival[] {
  return arrivals.toSorted((one, other) => one.place - other.place);
}

/** An item ends when nothing in it is alive and nothing in it waits at a join of its own. */
export function endItems(draft: Draft): boolean {
  let hasChanged = false;
  for (const container of Array.from(draft.containers.values())) {
    const ended: number[] = [];
    for (const index of container.live) {
      const scope = `${container.id}/${index}`;
      if (draft.livePlaces(scope).length > 0) continue;
      const failed = draft.failures.some((each) => each.scope === scope);
      const arrivals = draft.arrivals.filter((each) => each.scope === scope);
      if (!failed && arrivals.some(({ join }) => !isEndOfItem(draft, scope, join))) continue;
      const state = draft.leftOut.has(scope) ? "skipped" : failed ? "failed" : "completed";
      const from = inDrawingOrder(arrivals)
        .filter(({ isFailed }) => !isFailed)
        .map(({ visitId }) => visitId);
      draft.plan.ended.push({ containerId: container.id, index, state, from });
      clearArrivals(draft, (each) => each.scope === scope);
      ended.push(index);
    }
    if (ended.length === 0) continue;
    hasChanged = true;
    const gone = new Set(ended);
    const of = (wanted: string) =>
      draft.plan.ended.filter(
        ({ containerId, index, state }) =>
          containerId === container.id && gone.has(index) && state === wanted,
      ).length;
    draft.containers.set(container.id, {
      ...container,
      live: container.live.filter((index) => !gone.has(index)),
      completed: container.completed + of("completed"),
      failed: container.failed + of("failed"),
      skipped: container.skipped + of("skipped"),
    });
  }
  return hasChanged;
}

function isEndOfItem(draft: Draft, scope: Scope, join: string): boolean {
  return placeInForeach(scope) !== undefined && endOf(draft, scope) === join;
}

function endOf(draft: Draft, scope: Scope): string {
  const region = draft.regionOf(scope);
  if (region === undefined) throw new Error(`"${scope}" is no item of an open foreach.`);
  return draft.graph.joinOf(region).id;
}
