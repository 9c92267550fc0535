/**
 * A schema seen as JSON Schema: the view that skeletons, forms, coercion and provider schemas are
 * made from. It describes what a model has to write (the schema's input), not what parsing yields.
 */

import * as z from "zod";

export interface Shape {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly properties?: Readonly<Record<string, Shape>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Shape | boolean;
  readonly items?: Shape | boolean;
  readonly prefixItems?: readonly Shape[];
  readonly anyOf?: readonly Shape[];
  readonly oneOf?: readonly Shape[];
  readonly allOf?: readonly Shape[];
  readonly not?: Shape;
  readonly $ref?: string;
  readonly $defs?: Readonly<Record<string, Shape>>;
  readonly title?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly format?: string;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly exclusiveMaximum?: number;
  readonly multipleOf?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  /** Ours, set by `.meta({ longtext: true })`: people get a large field. */
  readonly longtext?: boolean;
  /** Ours, set by `closedIds`: the noun whose ids are listed; such values are never guessed. */
  readonly idsOf?: string;
  /** Ours, set by `.meta({ identity })` on a list: the field by which two of its items are the same one. */
  readonly identity?: string;
}

const OWN_KEYWORDS = new Set(["longtext", "idsOf", "identity"]);
const shapes = new WeakMap<object, Shape>();
const providerSchemas = new WeakMap<object, Readonly<Record<string, unknown>>>();

export function shapeOfSchema(schema: z.ZodType): Shape {
  const known = shapes.get(schema);
  if (known) return known;
  // A type without a JSON form (a refinement's input, say) becomes {}: anything may stand there.
  const made = z.toJSONSchema(schema, { io: "input", unrepresentable: "any" }) as Shape;
  shapes.set(schema, made);
  return made;
}

export function shapeOf(contract: { readonly schema: z.ZodType }): Shape {
  return shapeOfSchema(contract.schema);
}

/** What providers with structured output are given. They may ignore parts of it: always validate. */
export function jsonSchemaOf(contract: {
  readonly schema: z.ZodType;
}): Readonly<Record<string, unknown>> {
  const known = providerSchemas.get(contract.schema);
  if (known) return known;
  const made = withoutOwnKeywords(shapeOf(contract)) as Readonly<Record<string, unknown>>;
  providerSchemas.set(contract.schema, made);
  return made;
}

/** Follows references and folds intersections, so callers meet only plain shapes and unions. */
export function resolveShape(shape: Shape, root: Shape): Shape {
  let at = shape;
  for (let hops = 0; at.$ref !== undefined && hops < 32; hops += 1) {
    const name = at.$ref.startsWith("#/$defs/") ? at.$ref.slice("#/$defs/".length) : undefined;
    const target = name === undefined ? root : root.$defs?.[name];
    if (target === undefined || target === at) return {};
    const { $ref: _, ...beside } = at;
    at = { ...target, ...beside };
  }
  if (at.allOf === undefined) return at;
  const { allOf, ...own } = at;
  return allOf.map((part) => resolveShape(part, root)).reduce(fold, own);
}

function fold(left: Shape, right: Shape): Shape {
  if (left.properties === undefined && right.properties === undefined) return { ...left, ...right };
  return {
    ...left,
    ...right,
    properties: { ...left.properties, ...right.properties },
    required: [...(left.required ?? []), ...(right.required ?? [])],
  };
}

export function branchesOf(shape: Shape): readonly Shape[] | undefined {
  return shape.anyOf ?? shape.oneOf;
}

/** JSON types the shape admits; empty when it says nothing about the type. */
export function typesOf(shape: Shape): readonly string[] {
  if (shape.type !== undefined) return typeof shape.type === "string" ? [shape.type] : shape.type;
  const listed = shape.enum ?? (shape.const === undefined ? undefined : [shape.const]);
  return listed === undefined ? [] : [...new Set(listed.map((value) => jsonTypeOf(value)))];
}

export function jsonTypeOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  return typeof value;
}

export function admitsType(shape: Shape, value: unknown): boolean {
  const types = typesOf(shape);
  const actual = jsonTypeOf(value);
  if (types.length === 0 || types.includes(actual)) return true;
  return actual === "number" && types.includes("integer") && Number.isInteger(value);
}

/** The fixed set of values, for choices; a `null` among them is left out. */
export function choicesOf(shape: Shape): readonly (string | number | boolean)[] | undefined {
  const listed = shape.enum ?? (shape.const === undefined ? undefined : [shape.const]);
  return listed?.filter((value): value is string | number | boolean =>
    ["string", "number", "boolean"].includes(typeof value),
  );
}

export function propertiesOf(shape: Shape): Readonly<Record<string, Shape>> {
  return resolveShape(shape, shape).properties ?? {};
}

export function requiredKeysOf(shape: Shape): readonly string[] {
  return resolveShape(shape, shape).required ?? [];
}

/** The shape itself and everything inside it, each once. */
export function* subshapesOf(root: Shape): Generator<Shape> {
  const seen = new Set<unknown>();
  const waiting: unknown[] = [root];
  while (waiting.length > 0) {
    const at = waiting.pop();
    if (at === null || typeof at !== "object" || seen.has(at)) continue;
    seen.add(at);
    if (!Array.isArray(at)) yield at;
    waiting.push(...Object.values(at));
  }
}

function withoutOwnKeywords(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutOwnKeywords);
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key, inner]) => !OWN_KEYWORDS.has(key) || typeof inner === "object")
      .map(([key, inner]) => [key, withoutOwnKeywords(inner)]),
  );
}
