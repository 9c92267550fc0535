/**
 * What a foreach repeats: the steps between it and its join. Every step stands in the body of one
 * innermost foreach, or in none; the walk from the start keeps count.
 *
 * - A join whose `awaitTag` is `foreach:ID` ends that foreach, with `foreach:{{parentId}}` the
 *   innermost that is open.
 * - Without a tag it ends the innermost too, unless another join names that one, or unless several
 *   ways lead to it at once and enough joins follow to end every foreach that is open. Then it
 *   joins parallel edges inside the body, as it does where no foreach is open.
 */

import { findForkJoins } from "./fork-joins.ts";
import { startSteps } from "./start-steps.ts";
import type {
  JoinStep,
  WorkflowDefinition,
  WorkflowEdge,
  WorkflowStep,
} from "./workflow-definition.ts";
import { graphOf, reachableFrom, type WorkflowGraph } from "./workflow-graph.ts";
import type { WorkflowProblem } from "./workflow-problem.ts";

export interface ForeachRegion {
  /** The steps in between, those of inner regions included, without the foreach and its join. */
  readonly body: ReadonlySet<string>;
  readonly joinId: string;
}

/** By id of the foreach; one without a join, or that is never reached, is left out. */
export function foreachRegions(definition: WorkflowDefinition): ReadonlyMap<string, ForeachRegion> {
  return readRegions(definition).regions;
}

export interface ReadRegions {
  readonly regions: ReadonlyMap<string, ForeachRegion>;
  /** By step that can be reached: the foreach whose body it stands in. */
  readonly around: ReadonlyMap<string, string | undefined>;
  /** By join, the foreach that ends there. */
  readonly endedBy: ReadonlyMap<string, string>;
  readonly problems: readonly WorkflowProblem[];
}

export function readRegions(
  definition: WorkflowDefinition,
  graph: WorkflowGraph = graphOf(definition),
): ReadRegions {
  const starts = startSteps(definition, graph);
  const walk: Walk = {
    graph,
    forkJoins: findForkJoins(graph, starts),
    around: new Map(),
    entries: new Map(),
    joins: new Map(),
    named: namedJoins(definition),
    problems: [],
  };
  const waiting: string[] = [];
  const crossings: Crossing[] = [];
  for (const id of starts) {
    walk.around.set(id, undefined);
    waiting.push(id);
  }
  for (const id of waiting) {
    const step = graph.steps.get(id);
    if (step === undefined) continue;
    const inside = aroundBehind(walk, step);
    for (const edge of graph.edgesFrom(id)) {
      if (!graph.steps.has(edge.target)) continue;
      if (!walk.around.has(edge.target)) {
        walk.around.set(edge.target, inside);
        walk.entries.set(edge.target, edge);
        waiting.push(edge.target);
      } else if (walk.around.get(edge.target) !== inside) {
        crossings.push({ edge, inside });
      }
    }
  }
  crossings.forEach((each, index) => {
    walk.problems.push(crossingProblem(walk, each, index < MOST_TRACED));
  });
  const endedBy = new Map(Array.from(walk.joins, ([foreachId, joinId]) => [joinId, foreachId]));
  const { around, problems } = walk;
  return { regions: regionsOf(walk, endedBy), around, endedBy, problems };
}

interface Walk {
  readonly graph: WorkflowGraph;
  readonly forkJoins: ReadonlySet<string>;
  readonly around: Map<string, string | undefined>;
  /** The edge by which a step was first reached. */
  readonly entries: Map<string, WorkflowEdge>;
  /** By foreach, the join that ends it. */
  readonly joins: Map<string, string>;
  /** By foreach, the join whose tag names it. */
  readonly named: ReadonlyMap<string, string>;
  readonly problems: WorkflowProblem[];
}

/** `foreach:{{parentId}}` means the nearest, as no tag does. */
function foreachNamedBy({ awaitTag }: JoinStep): string | undefined {
  const tag = awaitTag?.trim();
  if (tag === undefined || /^foreach:\s*\{\{\s*parentId\s*\}\}$/.test(tag)) return undefined;
  return tag.replace(/^foreach:\s*/, "");
}

function namedJoins({ steps }: WorkflowDefinition): ReadonlyMap<string, string> {
  const named = new Map<string, string>();
  for (const step of steps) {
    const name = step.stepType === "join" ? foreachNamedBy(step) : undefined;
    if (name !== undefined && !named.has(name)) named.set(name, step.id);
  }
  return named;
}

/** Each level multiplies the work of the one around it. */
const MOST_LEVELS = 8;

/** The foreach that is open behind a step. */
function aroundBehind(walk: Walk, step: WorkflowStep): string | undefined {
  const inside = walk.around.get(step.id);
  if (step.stepType === "foreach") {
    if (levelsFrom(walk, inside) < MOST_LEVELS) return step.id;
    walk.problems.push(tooDeep(step));
    return inside;
  }
  if (step.stepType !== "join") return inside;
  const ended = foreachEndedBy(walk, step, inside);
  if (ended === undefined) return inside;
  const before = walk.joins.get(ended);
  if (before !== undefined && before !== step.id)
    walk.problems.push(secondJoin(step, ended, before));
  else walk.joins.set(ended, step.id);
  return walk.around.get(ended);
}

/** How many are open inside each other, from this one outwards. */
function levelsFrom({ around }: Walk, foreachId: string | undefined): number {
  let levels = 0;
  for (let open = foreachId; open !== undefined; open = around.get(open)) levels += 1;
  return levels;
}

function foreachEndedBy(
  walk: Walk,
  join: JoinStep,
  inside: string | undefined,
): string | undefined {
  const name = foreachNamedBy(join);
  if (name === undefined) return nearestEndedBy(walk, join, inside);
  for (let open = inside; open !== undefined; open = walk.around.get(open)) {
    if (open === name) return name;
  }
  walk.problems.push(unknownTag(join, name));
  return inside;
}

function nearestEndedBy(
  walk: Walk,
  join: JoinStep,
  inside: string | undefined,
): string | undefined {
  const isTagged = join.awaitTag !== undefined;
  if (inside === undefined) {
    const isFed = walk.graph.edgesTo(join.id).length > 0;
    if (isTagged && isFed) walk.problems.push(noForeach(join));
    return undefined;
  }
  if (isTagged) return inside;
  const isClaimed = walk.named.has(inside);
  const isForks = walk.forkJoins.has(join.id) && enoughJoinsAfter(walk, join.id, inside);
  return isClaimed || isForks ? undefined : inside;
}

const MOST_LOOKED_AT = 20_000;

/** Whether on some way forward every foreach that is open here, and every later one, is ended. */
function enoughJoinsAfter(walk: Walk, joinId: string, inside: string): boolean {
  const { graph, forkJoins } = walk;
  const open = levelsFrom(walk, inside);
  const seen = new Map([[`${joinId}\n${open}`, { id: joinId, open }]]);
  for (const place of seen.values()) {
    if (seen.size > MOST_LOOKED_AT) return false;
    for (const { target: id } of graph.edgesFrom(place.id)) {
      const step = graph.steps.get(id);
      if (step === undefined || id === joinId) continue;
      const ends = step.stepType === "join" && !forkJoins.has(id);
      const after = place.open + (step.stepType === "foreach" ? 1 : ends ? -1 : 0);
      if (after === 0) return true;
      if (after <= MOST_LEVELS) seen.set(`${id}\n${after}`, { id, open: after });
    }
  }
  return false;
}

function regionsOf(
  { around, joins }: Walk,
  endedBy: ReadonlyMap<string, string>,
): ReadonlyMap<string, ForeachRegion> {
  const bodies = new Map(Array.from(joins.keys(), (id) => [id, new Set<string>()]));
  for (const [stepId, inside] of around) {
    const own = endedBy.get(stepId);
    let open = own === undefined ? inside : around.get(own);
    for (; open !== undefined; open = around.get(open)) bodies.get(open)?.add(stepId);
  }
  return new Map(
    Array.from(joins, ([foreachId, joinId]) => [
      foreachId,
      { body: bodies.get(foreachId) ?? new Set(), joinId },
    ]),
  );
}

/** An edge to a step that was reached before, then in the body of another foreach or of none. */
interface Crossing {
  readonly edge: WorkflowEdge;
  readonly inside: string | undefined;
}

const MOST_TRACED = 20;

/**
 * Of the two edges that disagree, the wrong one is told: a step from which the join can be reached
 * belongs inside, so what leads to it from outside is wrong, and the other way round.
 */
function crossingProblem(
  walk: Walk,
  { edge, inside }: Crossing,
  isTraced: boolean,
): WorkflowProblem {
  const before = walk.around.get(edge.target);
  const isDeeper = inside !== undefined && walk.around.get(inside) === before;
  const foreachId = (isDeeper ? inside : (before ?? inside)) ?? "";
  const join = walk.joins.get(foreachId);
  // One that found no join lost it to the steps that were taken for outside.
  const belongsInside =
    isTraced && (join === undefined || reachableFrom(walk.graph, [edge.target]).has(join));
  const entry = walk.entries.get(edge.target);
  const wrong = isTraced && belongsInside === isDeeper ? (entry ?? edge) : edge;
  return {
    code: "foreach_border_crossed",
    severity: "error",
    message: `The edge from "${wrong.source}" to "${edge.target}" crosses the border of what "${foreachId}" repeats: "${edge.target}" stands both inside and outside of it.`,
    hint: "A body is entered at its foreach and left at its join, and nowhere else.",
    stepId: wrong.source,
    position: wrong.position,
  };
}

function secondJoin(join: JoinStep, foreachId: string, before: string): WorkflowProblem {
  return {
    code: "foreach_two_joins",
    severity: "error",
    message: `"${foreachId}" would end both at "${before}" and at "${join.id}".`,
    hint: `Lead all of its body to one join; another join inside the body needs that one to say "awaitTag": "foreach:${foreachId}".`,
    stepId: join.id,
    position: join.position,
  };
}

function tooDeep(step: WorkflowStep): WorkflowProblem {
  return {
    code: "foreach_too_deep",
    severity: "error",
    message: `"${step.id}" stands inside ${MOST_LEVELS} others; no more are run inside each other.`,
    hint: "Let an earlier step list all the items, or run a subflow.",
    stepId: step.id,
    position: step.position,
  };
}

function noForeach(join: JoinStep): WorkflowProblem {
  return {
    code: "join_unfed",
    severity: "error",
    message: `"${join.id}" waits for the items of a foreach, and none leads to it.`,
    hint: 'Draw a [[Each: …]] before it, or leave "awaitTag" away to join parallel edges.',
    stepId: join.id,
    position: join.position,
  };
}

function unknownTag(join: JoinStep, name: string): WorkflowProblem {
  return {
    code: "join_tag_unknown",
    severity: "error",
    message: `"${join.id}" waits for "${name}", and it does not stand in the body of a foreach of that name.`,
    hint: "A tag is foreach:{{parentId}} for the nearest foreach, or foreach: and its id.",
    stepId: join.id,
    position: join.position,
  };
}
