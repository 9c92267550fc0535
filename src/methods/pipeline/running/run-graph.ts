/**
 * A run as a drawing: each step with where it stands and when it was at work, each way with how often it was gone.
 * Work that goes round a loop is drawn one pass at a time.
 */

import type { TaskStatus } from "../../../kernel/store/noun-tables.ts";
import { placeInForeach, WHOLE_RUN } from "../routing/open-run.ts";
import type { WorkflowDefinition, WorkflowStep } from "../workflow/workflow-definition.ts";
import { graphOf, reachableFrom, type WorkflowGraph } from "../workflow/workflow-graph.ts";

/** One arrival at a step, in the order they were made. */
export interface DrawnVisit {
  readonly id: string;
  readonly step: string;
  readonly scope: string;
  readonly iteration: number;
  readonly kind: "start" | "work" | "follow_up" | "subflow" | "join" | "container";
  readonly fromId: string | null;
  readonly sources: readonly string[];
  readonly status: TaskStatus;
  readonly isDropped: boolean;
  readonly createdAt: number;
  readonly startedAt: number | null;
  readonly finishedAt: number | null;
}

/** A time somebody was at work; several short ones in a row count as one. */
export interface WorkSpan {
  readonly pass: number;
  /** Work side by side goes into up to three lanes. */
  readonly lane: number;
  readonly from: number;
  readonly to: number | undefined;
  readonly status: TaskStatus;
  readonly visits: number;
}

export interface DrawnStep {
  readonly id: string;
  /** Of the shown pass; of a foreach its items. */
  readonly counts: Readonly<Partial<Record<TaskStatus, number>>>;
  readonly status: TaskStatus | undefined;
  /** The newest visit of the shown pass; its task has the same id. */
  readonly taskId: string | undefined;
  readonly startedAt: number | undefined;
  readonly finishedAt: number | undefined;
  /** Of all passes. */
  readonly spans: readonly WorkSpan[];
}

export interface DrawnEdge {
  readonly source: string;
  readonly target: string;
  /** How often it was gone in the shown pass, and in all. */
  readonly taken: number;
  readonly takenInAll: number;
}

export interface RunDrawing {
  readonly passes: number;
  readonly pass: number;
  readonly steps: readonly DrawnStep[];
  readonly edges: readonly DrawnEdge[];
  /** By decision: what it looked at last, and where it led. */
  readonly decided: ReadonlyMap<string, Decided>;
}

export interface Decided {
  /** The visit whose output it looked at. */
  readonly from: string;
  readonly target: string;
}

export const LANES = 3;
/** Spans of one step in one pass; what lies closer together than a screen can show is put together. */
const MOST_SPANS = 60;

/** The newest pass unless one is given. */
export function drawRun(
  definition: WorkflowDefinition,
  visits: readonly DrawnVisit[],
  asked?: number,
): RunDrawing {
  const graph = graphOf(definition);
  // What somebody has done again, or nobody waits for any more, lies ahead; items that were dropped stay counted.
  const shown = visits.filter(
    ({ kind, isDropped, scope }) => kind !== "start" && (!isDropped || scope !== WHOLE_RUN),
  );
  const passOf = passesOf(shown);
  const passes = Math.max(1, ...new Set(passOf.values()));
  const pass = Math.min(asked ?? passes, passes);
  const ways = waysOf(graph, shown);
  const begun = begunAnew(graph, shown, passOf, pass);
  const inPass = countWays(ways, (id) => passOf.get(id) === pass);
  const soFar = countWays(ways, (id) => (passOf.get(id) ?? 1) <= pass);
  const takenInAll = countWays(ways, () => true);
  const takenOf = (source: string, target: string) =>
    (begun.has(source) ? inPass : soFar).get(wayKey(source, target)) ?? 0;
  const byStep = Map.groupBy(shown, ({ step }) => step);
  const steps = definition.steps.map((step) => {
    if (step.stepType === "decision") return drawDecision(step.id, graph, takenOf);
    const visits = byStep.get(step.id) ?? [];
    return drawStep(
      step,
      visits,
      passOf,
      begun.has(step.id) ? pass : lastPass(visits, passOf, pass),
    );
  });
  const edges = definition.edges.map(({ source, target }) => ({
    source,
    target,
    taken: takenOf(source, target),
    takenInAll: takenInAll.get(wayKey(source, target)) ?? 0,
  }));
  const isMeant = (source: string, visitId: string) => {
    const own = passOf.get(visitId) ?? 1;
    return begun.has(source) ? own === pass : own <= pass;
  };
  return { passes, pass, steps, edges, decided: decidedIn(graph, shown, ways, isMeant) };
}

/** Inside a foreach every item decides for itself; there is no one value to show. */
function decidedIn(
  graph: WorkflowGraph,
  visits: readonly DrawnVisit[],
  ways: readonly Way[],
  isMeant: (source: string, visitId: string) => boolean,
): ReadonlyMap<string, Decided> {
  const found = new Map<string, Decided>();
  for (const [n, { fromId, scope }] of visits.entries()) {
    const { visitId = "", edges = [] } = ways[n] ?? {};
    if (fromId === null || scope !== WHOLE_RUN) continue;
    for (const edge of edges) {
      const [source = "", target = ""] = edge.split(" ");
      if (graph.steps.get(source)?.stepType === "decision" && isMeant(source, visitId))
        found.set(source, { from: fromId, target });
    }
  }
  return found;
}

/** What lies behind the step that a pass begins with is ahead again; what does not, stays as it was. */
function begunAnew(
  graph: WorkflowGraph,
  visits: readonly DrawnVisit[],
  passOf: ReadonlyMap<string, number>,
  pass: number,
): ReadonlySet<string> {
  if (pass === 1) return new Set(graph.steps.keys());
  const first = visits.filter(
    ({ id, fromId, scope }) =>
      scope === WHOLE_RUN && passOf.get(id) === pass && (passOf.get(fromId ?? "") ?? 1) < pass,
  );
  return reachableFrom(graph, [...new Set(first.map(({ step }) => step))]);
}

function lastPass(
  visits: readonly DrawnVisit[],
  passOf: ReadonlyMap<string, number>,
  pass: number,
): number {
  return visits.reduce((last, { id }) => {
    const own = passOf.get(id) ?? 1;
    return own <= pass ? Math.max(last, own) : last;
  }, 1);
}

/** A visit is in the next pass when its step is among those that led to it, or when somebody had that done again. */
export function passesOf(visits: readonly DrawnVisit[]): ReadonlyMap<string, number> {
  const known = new Map(visits.map((visit) => [visit.id, visit]));
  const passes = new Map<string, number>();
  const arrivals = new Set<string>();
  let newest = 1;
  for (const visit of visits) {
    const place = placeInForeach(visit.scope);
    const before = [
      ...(place === undefined ? [] : [place.containerId]),
      ...(visit.fromId === null ? [] : [visit.fromId]),
      ...visit.sources,
    ];
    const least = before.reduce((most, id) => Math.max(most, passes.get(id) ?? 1), 1);
    // Who arrives for the first time cannot have gone round; the others look back.
    const earlier = visit.iteration > 1 ? sameStepBefore(visit, known) : undefined;
    const own = earlier === undefined ? 1 : (passes.get(earlier) ?? 1) + 1;
    // The same work leads to the same step a second time only if it was done again.
    const arrived = before.map((id) => `${visit.step} ${id}`);
    const isAgain =
      visit.scope === WHOLE_RUN &&
      visit.kind !== "follow_up" &&
      arrived.some((arrival) => arrivals.has(arrival));
    for (const arrival of arrived) arrivals.add(arrival);
    const pass = Math.max(least, own, isAgain ? newest + 1 : 1);
    newest = Math.max(newest, pass);
    passes.set(visit.id, pass);
  }
  return passes;
}

function sameStepBefore(
  visit: DrawnVisit,
  known: ReadonlyMap<string, DrawnVisit>,
): string | undefined {
  const seen = new Set<string>();
  const toLookAt = [visit.fromId, ...visit.sources];
  for (let id = toLookAt.pop(); id !== undefined; id = toLookAt.pop()) {
    const earlier = id === null ? undefined : known.get(id);
    if (earlier === undefined || seen.has(earlier.id)) continue;
    seen.add(earlier.id);
    // What a model wants to follow up, and the items of a foreach, are no loop.
    const isRound = earlier.step === visit.step && earlier.scope === visit.scope;
    if (isRound && visit.kind !== "follow_up") return earlier.id;
    toLookAt.push(earlier.fromId, ...earlier.sources);
  }
  return undefined;
}

interface Way {
  readonly visitId: string;
  readonly edges: readonly string[];
}

/** The edges each arrival came along: also those through decisions, which nobody works on. */
function waysOf(graph: WorkflowGraph, visits: readonly DrawnVisit[]): readonly Way[] {
  const known = new Map(visits.map((visit) => [visit.id, visit]));
  const stepOf = (id: string) => known.get(id)?.step;
  const found = new Map<string, readonly string[]>();
  const between = (source: string, target: string) => {
    const key = wayKey(source, target);
    const way = found.get(key) ?? shortestWay(graph, source, target);
    found.set(key, way);
    return way;
  };
  return visits.map((visit): Way => {
    const { id, step, kind } = visit;
    if (kind === "follow_up") return { visitId: id, edges: [] };
    if (kind === "join") return { visitId: id, edges: waysIntoJoin(graph, visit, stepOf, between) };
    const source = stepBefore(visit, known);
    return { visitId: id, edges: source === undefined ? [] : between(source, step) };
  });
}

/** An item begins at its foreach, which is where the way into it was gone; its own prompt is no way at all. */
function stepBefore(
  { step, scope, fromId }: DrawnVisit,
  known: ReadonlyMap<string, DrawnVisit>,
): string | undefined {
  const container = known.get(placeInForeach(scope)?.containerId ?? "");
  if (container === undefined || container.fromId !== fromId) return known.get(fromId ?? "")?.step;
  return container.step === step ? undefined : container.step;
}

/** Of a foreach what ends its body, of parallel ways what arrived. */
function waysIntoJoin(
  graph: WorkflowGraph,
  { step, sources }: DrawnVisit,
  stepOf: (id: string) => string | undefined,
  between: (source: string, target: string) => readonly string[],
): string[] {
  const from = [...new Set(sources.flatMap((id) => stepOf(id) ?? []))];
  return from.flatMap((source) => {
    if (graph.steps.get(source)?.stepType !== "foreach") return between(source, step);
    return graph.edgesTo(step).map((edge) => wayKey(edge.source, step));
  });
}

/** Through steps that leave no visit: decisions, and a foreach whose items begin with another step. */
function shortestWay(graph: WorkflowGraph, source: string, target: string): readonly string[] {
  const cameFrom = new Map<string, string>();
  const reached = new Set([source]);
  for (const id of reached) {
    if (id !== source && !leavesNoVisit(graph.steps.get(id))) continue;
    for (const edge of graph.edgesFrom(id)) {
      if (edge.target === target) {
        const way = [wayKey(id, target)];
        for (let at = id; at !== source; at = cameFrom.get(at) ?? source)
          way.unshift(wayKey(cameFrom.get(at) ?? source, at));
        return way;
      }
      if (reached.has(edge.target)) continue;
      cameFrom.set(edge.target, id);
      reached.add(edge.target);
    }
  }
  return [];
}

function leavesNoVisit(step: WorkflowStep | undefined): boolean {
  return step?.stepType === "decision" || step?.stepType === "foreach";
}

function countWays(
  ways: readonly Way[],
  isMeant: (visitId: string) => boolean,
): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { visitId, edges } of ways) {
    if (!isMeant(visitId)) continue;
    for (const edge of edges) counts.set(edge, (counts.get(edge) ?? 0) + 1);
  }
  return counts;
}

function drawDecision(
  id: string,
  graph: WorkflowGraph,
  takenOf: (source: string, target: string) => number,
): DrawnStep {
  const decided = graph.edgesFrom(id).reduce((sum, { target }) => sum + takenOf(id, target), 0);
  return {
    id,
    counts: decided === 0 ? {} : { completed: decided },
    status: decided === 0 ? undefined : "completed",
    taskId: undefined,
    startedAt: undefined,
    finishedAt: undefined,
    spans: [],
  };
}

function drawStep(
  step: WorkflowStep,
  visits: readonly DrawnVisit[],
  passOf: ReadonlyMap<string, number>,
  pass: number,
): DrawnStep {
  const inPass = visits.filter(({ id }) => passOf.get(id) === pass);
  const isForeach = step.stepType === "foreach";
  const counted = isForeach ? inPass.filter(({ kind }) => kind !== "container") : inPass;
  const newest = inPass.findLast(({ kind }) => !isForeach || kind === "container") ?? inPass.at(-1);
  const begun = inPass.map(({ startedAt, createdAt }) => startedAt ?? createdAt);
  const ended = inPass.map(({ finishedAt }) => finishedAt);
  const isOver = ended.length > 0 && ended.every((at) => at !== null);
  return {
    id: step.id,
    counts: countBy(counted),
    status: newest?.status,
    taskId: newest?.id,
    startedAt: begun.length === 0 ? undefined : least(begun),
    finishedAt: isOver ? most(ended.flatMap((at) => at ?? [])) : undefined,
    spans: [...Map.groupBy(visits, ({ id }) => passOf.get(id) ?? 1)].flatMap(([number, own]) =>
      spansOf(
        isForeach && own.length > 1 ? own.filter(({ kind }) => kind !== "container") : own,
        number,
      ),
    ),
  };
}

function countBy(visits: readonly DrawnVisit[]): Partial<Record<TaskStatus, number>> {
  const counts: Partial<Record<TaskStatus, number>> = {};
  for (const { status } of visits) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

function spansOf(visits: readonly DrawnVisit[], pass: number): WorkSpan[] {
  const spans = visits
    .flatMap(({ startedAt, createdAt, finishedAt, status }): WorkSpan[] => {
      // What has not begun takes no time; what waits for a person does.
      if (startedAt === null && status === "pending" && finishedAt === null) return [];
      const from = startedAt ?? createdAt;
      return [{ pass, lane: 0, from, to: finishedAt ?? undefined, status, visits: 1 }];
    })
    .toSorted((a, b) => a.from - b.from);
  return thin(intoLanes(spans));
}

/** Each into the lane that has been free longest. */
function intoLanes(spans: readonly WorkSpan[]): WorkSpan[] {
  const freeAt: number[] = [];
  return spans.map((span) => {
    const free = freeAt.findIndex((at) => at <= span.from);
    const isFull = freeAt.length >= LANES;
    const lane = free >= 0 ? free : isFull ? freeAt.indexOf(least(freeAt)) : freeAt.length;
    freeAt[lane] = Math.max(freeAt[lane] ?? 0, span.to ?? Number.MAX_SAFE_INTEGER);
    return { ...span, lane };
  });
}

/** Neighbours of one lane and one kind become one, the closest first, until few enough are left. */
function thin(spans: readonly WorkSpan[]): WorkSpan[] {
  if (spans.length <= MOST_SPANS) return [...spans];
  const whole =
    most(spans.map(({ from, to }) => to ?? from)) - least(spans.map(({ from }) => from));
  let gap = Math.max(1, whole / 1000);
  let left: WorkSpan[] = [...spans];
  while (left.length > MOST_SPANS && gap < whole * 2 + 2) {
    left = merge(left, gap);
    gap *= 2;
  }
  return left;
}

function merge(spans: readonly WorkSpan[], gap: number): WorkSpan[] {
  const merged: WorkSpan[] = [];
  const lastIn = new Map<string, number>();
  for (const span of spans) {
    const key = `${span.lane} ${span.status} ${span.to === undefined}`;
    const at = lastIn.get(key);
    const before = at === undefined ? undefined : merged[at];
    if (at !== undefined && before !== undefined && span.from - (before.to ?? before.from) <= gap) {
      const to = span.to === undefined ? undefined : Math.max(before.to ?? 0, span.to);
      merged[at] = { ...before, to, visits: before.visits + span.visits };
    } else {
      lastIn.set(key, merged.length);
      merged.push(span);
    }
  }
  return merged;
}

function wayKey(source: string, target: string): string {
  return `${source} ${target}`;
}

/** Spreading ten thousand numbers into a call is more than a stack bears on some machines. */
function least(numbers: readonly number[]): number {
  return numbers.reduce((a, b) => Math.min(a, b), Infinity);
}

function most(numbers: readonly number[]): number {
  return numbers.reduce((a, b) => Math.max(a, b), -Infinity);
}
