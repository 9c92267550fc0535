/**
 * What a step's texts may name between braces: by what schemas promise, and by what stood there in a run. The other
 * side of `check-paths.ts`, which says what cannot be there.
 */

import { isJsonObject, type Json, type JsonObject } from "../../../kernel/base/json.ts";
import { type JsonPath, lookUp, printPath } from "../../../kernel/base/json-path.ts";
import {
  branchesOf,
  jsonTypeOf,
  propertiesOf,
  resolveShape,
  type Shape,
  typesOf,
} from "../../../kernel/contract/shape.ts";
import { namesAround, producingSteps, schemaOf } from "./check-paths.ts";
import { readRegions } from "./foreach-regions.ts";
import type { ForeachStep, WorkflowDefinition, WorkflowStep } from "./workflow-definition.ts";
import { graphOf, type WorkflowGraph } from "./workflow-graph.ts";

export interface KnownPath {
  readonly path: string;
  readonly kind: string | undefined;
  readonly from: string;
  readonly example: Json | undefined;
}

/** What a run left behind, as far as somebody looked. */
export interface SeenValues {
  readonly input?: Json | undefined;
  /** By step. */
  readonly outputs: ReadonlyMap<string, Json>;
}

const DEEPEST = 4;

/** Nearest first: what has just been made, then what the run was given, then what lies further back. */
export function knownPaths(
  definition: WorkflowDefinition,
  stepId: string,
  seen: SeenValues,
): readonly KnownPath[] {
  const graph = graphOf(definition);
  const step = graph.steps.get(stepId);
  if (step === undefined) return [];
  const found = new Map<string, KnownPath>();
  for (const known of rootsOf(definition, graph, step, seen).flatMap(spread)) {
    const before = found.get(known.path);
    found.set(known.path, {
      ...known,
      ...before,
      kind: before?.kind ?? known.kind,
      example: before?.example ?? known.example,
    });
  }
  return [...found.values()];
}

interface Root {
  readonly path: JsonPath;
  readonly from: string;
  readonly schema: JsonObject | undefined;
  readonly value: Json | undefined;
}

function rootsOf(
  definition: WorkflowDefinition,
  graph: WorkflowGraph,
  step: WorkflowStep,
  seen: SeenValues,
): readonly Root[] {
  const { input, outputs } = seen;
  const before = producingSteps(graph, step.id) ?? [];
  const made = before.map((source) => ({
    from: source.name,
    schema: schemaOf(source),
    value: outputs.get(source.id),
  }));
  const given = { from: "what the run was given", schema: definition.inputSchema, value: input };
  const regions = readRegions(definition, graph);
  const around = namesAround({ graph, regions }, step, true);
  return [
    ...loopNames(graph, around, seen),
    ...made.map((root) => ({ ...root, path: ["output"] })),
    ...made.map((root) => ({ ...root, path: ["input"] })),
    { ...given, path: ["input"] },
    { ...given, path: ["run", "input"] },
    ...stepsBefore(graph, step.id).map((earlier) => ({
      path: ["steps", earlier.id, "output"],
      from: earlier.name,
      schema: schemaOf(earlier),
      value: outputs.get(earlier.id),
    })),
  ];
}

function loopNames(
  graph: WorkflowGraph,
  around: ReadonlySet<string>,
  seen: SeenValues,
): readonly Root[] {
  const loop = [...graph.steps.values()].find(
    (step) => step.stepType === "foreach" && around.has(step.itemVariable),
  );
  const item = loop?.stepType === "foreach" ? firstItem(graph, loop, seen) : undefined;
  const kinds: Readonly<Record<string, string>> = {
    index: "integer",
    total: "integer",
    parentId: "string",
    aggregatedResults: "array",
    counts: "object",
  };
  return [...around].map((name): Root => {
    const kind = kinds[name];
    return {
      path: [name],
      from: loop?.name ?? "the join",
      schema: kind === undefined ? undefined : { type: kind },
      value: kind === undefined ? item : undefined,
    };
  });
}

function firstItem(
  graph: WorkflowGraph,
  { id, items }: ForeachStep,
  { input, outputs }: SeenValues,
): Json | undefined {
  const made = producingSteps(graph, id)?.flatMap((step) => outputs.get(step.id) ?? [])[0] ?? null;
  const steps = Object.fromEntries([...outputs].map(([step, output]) => [step, { output }]));
  const names = { output: made, input: made, run: { input: input ?? null }, steps };
  const found = lookUp(names, items);
  return found.found && Array.isArray(found.value) ? (found.value[0] as Json) : undefined;
}

/** Whose output there can be by then, nearest first. */
function stepsBefore(graph: WorkflowGraph, stepId: string): readonly WorkflowStep[] {
  const reached = new Set<string>(graph.edgesTo(stepId).map(({ source }) => source));
  for (const id of reached) for (const { source } of graph.edgesTo(id)) reached.add(source);
  return [...reached].flatMap((id) => {
    const step = graph.steps.get(id);
    return step === undefined || step.stepType === "decision" ? [] : [step];
  });
}

function spread({ path, from, schema, value }: Root): readonly KnownPath[] {
  const found: KnownPath[] = [];
  const root: Shape = schema ?? {};
  const visit = (at: JsonPath, shape: Shape, seen: Json | undefined, depth: number) => {
    const plain = resolveShape(shape, root);
    const variants = branchesOf(plain)?.map((branch) => resolveShape(branch, root)) ?? [plain];
    const kind =
      variants.flatMap(typesOf)[0] ?? (seen === undefined ? undefined : jsonTypeOf(seen));
    found.push({ path: printPath(at), kind, from, example: seen });
    if (depth === DEEPEST) return;
    const promised = Object.assign({}, plain.properties, ...variants.map(propertiesOf)) as Record<
      string,
      Shape
    >;
    const keys = [...Object.keys(promised), ...(isJsonObject(seen) ? Object.keys(seen) : [])];
    for (const key of new Set(keys)) {
      const below = seen === undefined ? undefined : lookUp(seen, [key]);
      visit([...at, key], promised[key] ?? {}, valueOf(below), depth + 1);
    }
  };
  visit(path, root, value, path.length === 1 ? 1 : 0);
  return found;
}

function valueOf(found: ReturnType<typeof lookUp> | undefined): Json | undefined {
  return found?.found === true ? (found.value as Json) : undefined;
}
