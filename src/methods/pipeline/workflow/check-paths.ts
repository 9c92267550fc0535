/**
 * Paths that nothing can fill: in prompts, mappings, conditions and items. Only what is certain is
 * an error: a name that is not known at that place, a step that has no output, a field that every
 * schema in question rules out. A field that schemas merely do not list is a warning, and only where
 * a listed one looks like it.
 */

import { conditionPaths } from "../../../kernel/base/condition.ts";
import type { JsonObject } from "../../../kernel/base/json.ts";
import { type JsonPath, printPath } from "../../../kernel/base/json-path.ts";
import { parseTemplate } from "../../../kernel/base/template.ts";
import type { TextPosition } from "../../../kernel/base/text-position.ts";
import { nearMatches } from "../../../kernel/contract/near-match.ts";
import type { ReadRegions } from "./foreach-regions.ts";
import type { LocateSetting } from "./read-workflow.ts";
import { canHold, type PathVerdict } from "./schema-path.ts";
import type { WorkflowDefinition, WorkflowStep } from "./workflow-definition.ts";
import type { WorkflowGraph } from "./workflow-graph.ts";
import type { WorkflowProblem } from "./workflow-problem.ts";

export interface PathScene {
  readonly definition: WorkflowDefinition;
  readonly graph: WorkflowGraph;
  readonly regions: ReadRegions;
  readonly locate: LocateSetting | undefined;
}

const MOST_PER_STEP = 10;
const MOST_COMPARED = 200;

export function checkPaths(scene: PathScene): WorkflowProblem[] {
  return scene.definition.steps.flatMap((step) => {
    if (!scene.regions.around.has(step.id)) return [];
    const asked = new Set<string>();
    const problems: WorkflowProblem[] = [];
    const producers = oncePerStep(() => producersOf(scene, step));
    for (const use of usesIn(step)) {
      const name = printPath(use.path);
      if (asked.has(name)) continue;
      asked.add(name);
      const trouble = troubleWith(scene, step, use, producers);
      if (trouble === undefined) continue;
      if (problems.length === MOST_PER_STEP) return [...problems, manyMore(step)];
      problems.push({ ...trouble, stepId: step.id, position: placeOf(scene, step, use) });
    }
    return problems;
  });
}

/** One place where a path is written. */
interface PathUse {
  readonly path: JsonPath;
  readonly setting?: readonly PropertyKey[];
  readonly character?: number;
  readonly position?: TextPosition;
}

function* usesIn(step: WorkflowStep): Generator<PathUse> {
  if ("prompt" in step && step.prompt !== undefined) yield* usesInText(step.prompt, ["prompt"]);
  if (step.stepType === "foreach" && step.items.length > 0) {
    yield { path: step.items, setting: ["itemsPath"] };
  }
  if (step.stepType === "subflow") {
    for (const { name, from } of step.inputMapping) {
      const setting = ["inputMapping", name];
      if (from.kind === "template") yield* usesInText(from.text, setting);
      else if (from.path.length > 0) yield { path: from.path, setting };
    }
  }
  if (step.stepType === "decision") {
    for (const { condition, position } of step.branches) {
      for (const path of conditionPaths(condition)) yield { path, position };
    }
  }
}

/** Every path that a step's prompt, items, mapping or conditions name. */
export function pathsIn(step: WorkflowStep): readonly JsonPath[] {
  return [...usesIn(step)].map(({ path }) => path);
}

function* usesInText(text: string, setting: readonly PropertyKey[]): Generator<PathUse> {
  for (const part of parseTemplate(text).parts) {
    if (part.kind !== "place") continue;
    yield { path: part.path, setting, character: part.position.offset };
  }
}

function placeOf(scene: PathScene, step: WorkflowStep, use: PathUse): TextPosition {
  if (use.position !== undefined) return use.position;
  const found = scene.locate?.(step.id, use.setting ?? [], use.character);
  return found ?? step.position;
}

type Trouble = Pick<WorkflowProblem, "code" | "severity" | "message" | "hint" | "meant">;

function troubleWith(
  scene: PathScene,
  step: WorkflowStep,
  { path, setting }: PathUse,
  producers: () => Producers,
): Trouble | undefined {
  const [root, ...rest] = path;
  const name = printPath(path);
  switch (root) {
    case "run":
      return rest[0] === "input" ? troubleInRunInput(scene, name, rest.slice(1)) : undefined;
    case "steps":
      return troubleInSteps(scene, name, rest);
    case "output":
    case "input":
      return step.stepType === "join" ? undefined : troubleInOutput(scene, name, path, producers());
    default:
      return namesAround(scene, step, setting?.[0] === "prompt").has(String(root))
        ? undefined
        : unknownName(name, String(root));
  }
}

function troubleInRunInput(scene: PathScene, name: string, rest: JsonPath): Trouble | undefined {
  const { inputSchema } = scene.definition;
  return inputSchema && troubleInSchemas(name, [inputSchema], rest);
}

function troubleInSteps(scene: PathScene, name: string, rest: JsonPath): Trouble | undefined {
  const [id, field, ...below] = rest;
  if (id === undefined) return undefined;
  const step = scene.graph.steps.get(String(id));
  if (step === undefined) {
    const { steps } = scene.graph;
    const near = steps.size > MOST_COMPARED ? [] : nearMatches(String(id), [...steps.keys()]);
    const reason = `there is no step "${id}"`;
    return unfillable(name, reason, didYouMean(near), meantIn(name, id, near));
  }
  if (step.stepType === "decision")
    return unfillable(name, `"${id}" is a decision and has no output`);
  if (field === undefined) return undefined;
  if (field !== "output") {
    return unfillable(name, `of a step only its output is known`, `Write steps.${id}.output.`);
  }
  const schema = schemaOf(step);
  return schema && troubleInSchemas(name, [schema], below);
}

function troubleInOutput(
  { definition }: PathScene,
  name: string,
  [root, ...rest]: JsonPath,
  producers: Producers,
): Trouble | undefined {
  if (producers === "unknown" || rest.length === 0) return undefined;
  if (root === "output") {
    if (producers.schemas.length === 0) return unfillable(name, "no task comes before it");
    return producers.isOpen ? undefined : troubleInSchemas(name, producers.schemas, rest);
  }
  if (producers.isOpen || definition.inputSchema === undefined) return undefined;
  return troubleInSchemas(name, [...producers.schemas, definition.inputSchema], rest);
}

function troubleInSchemas(
  name: string,
  schemas: readonly JsonObject[],
  rest: JsonPath,
): Trouble | undefined {
  const verdicts = schemas.map((schema) => canHold(schema, rest));
  if (verdicts.some(({ answer }) => answer === "yes")) return undefined;
  const near = listedLike(verdicts);
  const hint = didYouMean(near);
  const meant = meantIn(name, verdicts.find(({ part }) => part !== undefined)?.part, near);
  if (verdicts.every(({ answer }) => answer === "no")) {
    return unfillable(name, "no schema of what comes before it allows that", hint, meant);
  }
  if (hint === undefined) return undefined;
  return {
    code: "path_unlisted",
    severity: "warning",
    message: `Nothing that comes before it promises ${name}.`,
    hint,
    ...meant,
  };
}

function didYouMean(near: readonly string[]): string | undefined {
  return near.length === 0 ? undefined : `Did you mean ${near.join(" or ")}?`;
}

/** The path with its wrong part put right, where there is no doubt which one that is. */
function meantIn(
  name: string,
  part: string | number | undefined,
  [nearest, ...others]: readonly string[],
): Pick<WorkflowProblem, "meant"> {
  const at = name.lastIndexOf(String(part));
  if (part === undefined || nearest === undefined || others.length > 0 || at < 0) return {};
  const to = name.slice(0, at) + nearest + name.slice(at + String(part).length);
  return { meant: { from: name, to } };
}

function listedLike(verdicts: readonly PathVerdict[]): string[] {
  const found = verdicts.flatMap(({ part, listed = [] }) =>
    part === undefined ? [] : nearMatches(String(part), listed),
  );
  return [...new Set(found)];
}

/** What the task just finished can have been. */
type Producers =
  | "unknown"
  | {
      readonly schemas: readonly JsonObject[];
      /** Whether one of them has no schema: it can bring anything. */
      readonly isOpen: boolean;
    };

const MOST_LOOKED_AT = 200;

function producersOf({ graph }: PathScene, step: WorkflowStep): Producers {
  const steps = producingSteps(graph, step.id);
  if (steps === undefined) return "unknown";
  const schemas = steps.map(schemaOf).filter((schema) => schema !== undefined);
  const isOpen = schemas.length < steps.length;
  return isOpen && schemas.length === 0 ? "unknown" : { schemas, isOpen };
}

/**
 * Whose output `output` can be there. Decisions, and a foreach without a prompt of its own, hand on what came to
 * them. Undefined where that cannot be told.
 */
export function producingSteps(
  graph: WorkflowGraph,
  stepId: string,
): readonly WorkflowStep[] | undefined {
  const seen = new Set(graph.edgesTo(stepId).map(({ source }) => source));
  const found: WorkflowStep[] = [];
  for (const id of seen) {
    if (seen.size > MOST_LOOKED_AT) return undefined;
    const before = graph.steps.get(id);
    if (before === undefined) return undefined;
    const handsOn = before.stepType === "decision" || isBareForeach(before);
    if (handsOn) for (const { source } of graph.edgesTo(id)) seen.add(source);
    else found.push(before);
  }
  return found;
}

function isBareForeach(step: WorkflowStep): boolean {
  return step.stepType === "foreach" && step.prompt === undefined;
}

const COLLECTED: JsonObject = {
  type: "object",
  properties: { aggregatedResults: { type: "array" }, counts: { type: "object" } },
  additionalProperties: false,
};

export function schemaOf(step: WorkflowStep): JsonObject | undefined {
  if (step.stepType === "decision" || step.stepType === "subflow") return undefined;
  return step.stepType === "join" && step.prompt === undefined ? COLLECTED : step.outputSchema;
}

const IN_BODY: readonly string[] = ["item", "index", "total", "parentId"];
const IN_JOIN: readonly string[] = ["aggregatedResults", "counts", "index", "total", "parentId"];

/** The prompt of a foreach is the first step of its own body; its items path stands before it. */
export function namesAround(
  { graph, regions }: Pick<PathScene, "graph" | "regions">,
  step: WorkflowStep,
  isPrompt: boolean,
): ReadonlySet<string> {
  const names = new Set<string>(step.stepType === "join" ? IN_JOIN : []);
  const ended = regions.endedBy.get(step.id);
  const outside = regions.around.get(ended ?? step.id);
  for (let id = step.stepType === "foreach" && isPrompt ? step.id : outside; id !== undefined; ) {
    const around = graph.steps.get(id);
    if (around?.stepType === "foreach") names.add(around.itemVariable);
    for (const name of IN_BODY) names.add(name);
    id = regions.around.get(id);
  }
  return names;
}

function unknownName(name: string, root: string): Trouble {
  return unfillable(
    name,
    `"${root}" is not known here`,
    "Known are input, output, run.input, steps.ID.output, and in a foreach the name of its item, item, index, total and parentId.",
  );
}

function unfillable(
  name: string,
  reason: string,
  hint?: string,
  meant: Pick<WorkflowProblem, "meant"> = {},
): Trouble {
  return {
    code: "path_unfillable",
    severity: "error",
    message: `Nothing can fill ${name}: ${reason}.`,
    ...(hint === undefined ? {} : { hint }),
    ...meant,
  };
}

function manyMore(step: WorkflowStep): WorkflowProblem {
  return {
    code: "path_unfillable",
    severity: "error",
    message: `Further paths in "${step.id}" cannot be filled either; they were not all looked at.`,
    stepId: step.id,
    position: step.position,
  };
}

function oncePerStep<Value>(compute: () => Value): () => Value {
  let known: { readonly value: Value } | undefined;
  return () => (known ??= { value: compute() }).value;
}
