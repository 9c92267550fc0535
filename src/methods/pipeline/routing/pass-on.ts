/** What follows from a visit that is done: its targets, all of them or, where one cannot be, none. */

import { lookUp } from "../../../kernel/base/json-path.ts";
import type { ForeachStep } from "../workflow/workflow-definition.ts";
import { addVisit, taskCap } from "./add-visit.ts";
import { type Draft, drop, valuesIn } from "./draft.ts";
import { followDecisions } from "./follow-decisions.ts";
import { isForeach } from "./graph.ts";
import { arrive, fail } from "./joins.ts";
import {
  type Container,
  type Outcome,
  placeInForeach,
  type Scope,
  type Visit,
} from "./open-run.ts";
import type { Hold } from "./route-plan.ts";

export function passOn(draft: Draft, visit: Visit, outcome: Outcome): void {
  const { plan } = draft;
  switch (outcome) {
    case "failed":
      draft.over(visit.scope, visit.id);
      plan.routed.push({ id: visit.id, isLast: false, isAbsorbed: fail(draft, visit) });
      return;
    case "continued":
      return doTheRest(draft, visit);
    case "skipped":
      if (placeInForeach(visit.scope) !== undefined) return leaveOut(draft, visit);
      return goOn(draft, visit);
    case "completed":
      return goOn(draft, visit);
  }
}

/** Where a visit's work goes on: from a visit that is done, or, inside an item, from its foreach. */
export interface Origin {
  readonly id: string;
  readonly step: string;
  readonly scope: Scope;
  /** Whose output the next steps see. */
  readonly outputId: string;
}

/** Gives the hold that keeps it from going on, if any; then nothing was added. */
export function goFrom(draft: Draft, origin: Origin): Hold | "on" | "last" {
  const output = draft.facts.outputOf(origin.outputId);
  const values = valuesIn(draft, origin.scope, output);
  const following = followDecisions(draft.graph, origin, values);
  draft.plan.decisions.push(...following.decisions);
  if (following.kind === "held") return following.hold;
  const openings: Opening[] = [];
  for (const { step, via } of following.targets) {
    const opening = openingOf(draft, { ...origin, via }, step, values);
    if ("code" in opening) return opening;
    openings.push(opening);
  }
  const tasks = openings.filter(({ kind }) => kind !== "join").length;
  const full = taskCap(draft, origin.id, tasks);
  if (full) return full;
  for (const opening of openings) take(draft, origin, opening);
  return openings.length === 0 ? "last" : "on";
}

type Opening =
  | { readonly kind: "join"; readonly step: string; readonly via: string }
  | { readonly kind: "visit"; readonly step: string; readonly isSubflow: boolean }
  | {
      readonly kind: "foreach";
      readonly step: ForeachStep;
      readonly total: number;
      readonly warning: string | undefined;
    };

function openingOf(
  draft: Draft,
  origin: Origin & { readonly via: string },
  target: string,
  values: object,
): Opening | Hold {
  const step = draft.graph.step(target);
  if (step.stepType === "join") return { kind: "join", step: step.id, via: origin.via };
  const iteration = draft.iterationOf(origin.scope, step.id);
  const cap = draft.run.caps.iterations?.[step.id] ?? step.maxIterations;
  if (iteration > cap) {
    return {
      id: origin.id,
      code: "iteration_cap",
      message: `"${step.name}" has run ${cap} times; more is not allowed without a person.`,
      details: { step: step.id, cap },
    };
  }
  if (!isForeach(step))
    return { kind: "visit", step: step.id, isSubflow: step.stepType === "subflow" };
  return itemsOf(draft, origin, step, values);
}

function itemsOf(draft: Draft, origin: Origin, step: ForeachStep, values: object): Opening | Hold {
  const found = lookUp(values, step.items);
  const value = found.found ? found.value : undefined;
  if (value === undefined || value === null) {
    const why = found.found ? `${step.itemsPath} is null` : found.reason;
    return { kind: "foreach", step, total: 0, warning: `No items for "${step.name}": ${why}.` };
  }
  if (!Array.isArray(value)) {
    return {
      id: origin.id,
      code: "items_not_array",
      message: `"${step.name}" needs a list at ${step.itemsPath}; there is ${describe(value)}.`,
      details: { step: step.id, itemsPath: step.itemsPath },
    };
  }
  const cap = draft.run.caps.items?.[step.id] ?? step.maxItems;
  if (value.length > cap) {
    return {
      id: origin.id,
      code: "too_many_items",
      message: `"${step.name}" has ${value.length} items; at most ${cap} are allowed.`,
      details: { step: step.id, cap, items: value.length },
    };
  }
  return { kind: "foreach", step, total: value.length, warning: undefined };
}

function describe(value: unknown): string {
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}

function take(draft: Draft, origin: Origin, opening: Opening): void {
  const { scope, outputId } = origin;
  if (opening.kind === "join") return arrive(draft, { ...origin, via: opening.via }, opening.step);
  if (opening.kind === "visit") {
    const { step, isSubflow } = opening;
    return addVisit(draft, { step, scope, from: outputId, kind: isSubflow ? "subflow" : "work" });
  }
  const { step, total, warning } = opening;
  const id = draft.nextId();
  const iteration = draft.iterationOf(scope, step.id);
  draft.plan.containers.push({
    id,
    step: step.id,
    scope,
    from: outputId,
    iteration,
    total,
    warning,
  });
  draft.live(scope, { id, step: step.id, isResting: false });
  const container: Container = {
    id,
    step: step.id,
    scope,
    from: outputId,
    total,
    completed: 0,
    failed: 0,
    skipped: 0,
    pending: total,
    next: [],
    live: [],
    isHeld: false,
    isForced: false,
    isOverdue: false,
  };
  draft.containers.set(id, container);
  if (total > 0) draft.plan.isMore = true;
}

function goOn(draft: Draft, visit: Visit): void {
  const went = goFrom(draft, { ...visit, outputId: visit.id });
  if (typeof went === "object") return hold(draft, visit, went);
  draft.over(visit.scope, visit.id);
  const isItem = placeInForeach(visit.scope) !== undefined;
  // A branch that ends inside an item has arrived where the item ends.
  if (went === "last" && isItem) arrive(draft, visit, undefined);
  draft.plan.routed.push({ id: visit.id, isLast: went === "last", isAbsorbed: false });
}

function doTheRest(draft: Draft, visit: Visit): void {
  const step = draft.graph.step(visit.step);
  const cap = draft.run.caps.iterations?.[step.id] ?? step.maxIterations;
  const tooOften: Hold | undefined =
    draft.iterationOf(visit.scope, visit.step) > cap
      ? {
          id: visit.id,
          code: "iteration_cap",
          message: `"${step.name}" has run ${cap} times; more is not allowed without a person.`,
          details: { step: step.id, cap },
        }
      : taskCap(draft, visit.id, 1);
  if (tooOften) return hold(draft, visit, tooOften);
  draft.over(visit.scope, visit.id);
  addVisit(draft, { step: visit.step, scope: visit.scope, from: visit.id, kind: "follow_up" });
  draft.plan.routed.push({ id: visit.id, isLast: false, isAbsorbed: false });
}

/** Inside a foreach it is the item that is skipped, with whatever else is going on in it. */
function leaveOut(draft: Draft, visit: Visit): void {
  draft.over(visit.scope, visit.id);
  draft.leftOut.add(visit.scope);
  draft.plan.routed.push({ id: visit.id, isLast: true, isAbsorbed: false });
  for (const place of draft.livePlaces(visit.scope)) drop(draft, visit.scope, place);
}

function hold(draft: Draft, visit: Visit, reason: Hold): void {
  draft.plan.holds.push(reason);
  draft.live(visit.scope, { id: visit.id, step: visit.step, isResting: true });
}
