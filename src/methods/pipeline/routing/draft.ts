/** A look at a run while it is being made: the plan so far, and what is alive where. */

import { isJsonObject, type Json, type JsonObject } from "../../../kernel/base/json.ts";
import type { Graph } from "./graph.ts";
import {
  type Arrival,
  type Container,
  type Facts,
  type Failure,
  itemScope,
  type OpenRun,
  placeInForeach,
  type Scope,
} from "./open-run.ts";
import type {
  ClosedContainer,
  DecisionRecord,
  EndedItem,
  Hold,
  NewArrival,
  NewContainer,
  NewVisit,
  RoutedVisit,
  StartedItem,
} from "./route-plan.ts";

/** Something that is alive: work under way, waiting or held. */
export interface Place {
  readonly id: string;
  readonly step: string;
  readonly isResting: boolean;
}

export interface Draft {
  readonly graph: Graph;
  readonly facts: Facts;
  readonly run: OpenRun;
  readonly nextId: () => string;
  readonly plan: DraftPlan;
  readonly containers: Map<string, Container>;
  readonly failures: Failure[];
  /** Items that a person said to leave out. */
  readonly leftOut: Set<Scope>;
  arrivals: Arrival[];
  livePlaces(scope: Scope): readonly Place[];
  /** The scopes in which something is alive, or waits at a join. */
  openScopes(): readonly Scope[];
  live(scope: Scope, place: Place): void;
  over(scope: Scope, id: string): void;
  /** The foreach whose item the scope is. */
  regionOf(scope: Scope): string | undefined;
  /** The next visit of a step in a scope, counted from 1. */
  iterationOf(scope: Scope, step: string): number;
  newTasks(): number;
}

export interface DraftPlan {
  readonly routed: RoutedVisit[];
  readonly visits: NewVisit[];
  readonly containers: NewContainer[];
  readonly started: StartedItem[];
  readonly ended: EndedItem[];
  readonly closed: ClosedContainer[];
  readonly arrived: NewArrival[];
  readonly joined: { readonly scope: Scope; readonly join: string }[];
  readonly holds: Hold[];
  readonly dropped: string[];
  readonly decisions: DecisionRecord[];
  readonly end: undefined;
  isMore: boolean;
}

export function openDraft(graph: Graph, run: OpenRun, facts: Facts, nextId: () => string): Draft {
  const alive = new Map<Scope, Map<string, Place>>();
  const plan: DraftPlan = {
    routed: [],
    visits: [],
    containers: [],
    started: [],
    ended: [],
    closed: [],
    arrived: [],
    joined: [],
    holds: [],
    dropped: [],
    decisions: [],
    end: undefined,
    isMore: false,
  };
  const containers = new Map(run.containers.map((container) => [container.id, container]));
  const live = (scope: Scope, place: Place): void => {
    const places = alive.get(scope);
    if (places) places.set(place.id, place);
    else alive.set(scope, new Map([[place.id, place]]));
  };
  for (const { id, step, scope, isResting, isHeld } of run.visits) {
    live(scope, { id, step, isResting: isResting || isHeld });
  }
  for (const { id, step, scope } of run.containers) live(scope, { id, step, isResting: false });

  const draft: Draft = {
    graph,
    facts,
    run,
    nextId,
    plan,
    containers,
    failures: [...run.failures],
    leftOut: new Set(),
    arrivals: [...run.arrivals],
    live,
    over: (scope, id) => {
      const places = alive.get(scope);
      places?.delete(id);
      if (places?.size === 0) alive.delete(scope);
    },
    livePlaces: (scope) => [...(alive.get(scope)?.values() ?? [])],
    openScopes: () => [...new Set([...alive.keys(), ...draft.arrivals.map(({ scope }) => scope)])],
    regionOf: (scope) => {
      const place = placeInForeach(scope);
      return place === undefined ? undefined : containers.get(place.containerId)?.step;
    },
    iterationOf: (scope, step) => {
      const isHere = (visit: { readonly scope: Scope; readonly step: string }) =>
        visit.scope === scope && visit.step === step;
      const added = plan.visits.filter(isHere).length + plan.containers.filter(isHere).length;
      return facts.visitsOf(scope, step) + added + 1;
    },
    newTasks: () => plan.visits.length + plan.containers.length,
  };
  return draft;
}

export function valuesIn({ facts }: Draft, scope: Scope, output: Json): JsonObject {
  return valuesAfterOutput(facts.namesIn(scope), facts.runInput, output);
}

/** The names that conditions, paths and templates may use after this output. */
export function valuesAfterOutput(
  names: JsonObject,
  runInput: JsonObject,
  output: Json,
): JsonObject {
  return {
    ...names,
    run: { input: runInput },
    output,
    input: isJsonObject(output) ? { ...runInput, ...output } : runInput,
  };
}

/** True where everything alive in the place waits for people. */
export function isResting(draft: Draft, place: Place): boolean {
  const container = draft.containers.get(place.id);
  if (!container) return place.isResting;
  if (container.isHeld || draft.plan.holds.some(({ id }) => id === container.id)) return true;
  // One without any item left under way is about to close.
  const { pending, live } = container;
  const rests = live.every((index) => isItemResting(draft, container, index));
  return pending === 0 && live.length > 0 && rests;
}

export function isItemResting(draft: Draft, { id }: Container, index: number): boolean {
  const places = draft.livePlaces(itemScope(id, index));
  return places.length > 0 && places.every((place) => isResting(draft, place));
}

/** Ends work that nobody waits for any more, and whatever it has started. */
export function drop(draft: Draft, scope: Scope, place: Place): void {
  draft.over(scope, place.id);
  draft.plan.dropped.push(place.id);
  const container = draft.containers.get(place.id);
  if (!container) return;
  draft.containers.delete(place.id);
  dropItems(draft, container);
}

export function dropItems(draft: Draft, { id }: Container): void {
  const prefix = `${id}/`;
  for (const scope of draft.openScopes()) {
    if (!scope.startsWith(prefix)) continue;
    for (const place of draft.livePlaces(scope)) drop(draft, scope, place);
    clearArrivals(draft, (arrival) => arrival.scope === scope);
  }
}

export function clearArrivals(draft: Draft, isGone: (arrival: Arrival) => boolean): void {
  for (const arrival of draft.arrivals.filter(isGone)) {
    const { scope, join } = arrival;
    const isTold = draft.plan.joined.some((known) => known.scope === scope && known.join === join);
    if (!isTold) draft.plan.joined.push({ scope, join });
  }
  draft.arrivals = draft.arrivals.filter((arrival) => !isGone(arrival));
}
