/**
 * A JSON schema read once into what the rehearsal model needs to answer it: what kind of value goes
 * where, within which limits, and what the name of the field suggests. Plans are kept per schema.
 */

import type { JsonSchema } from "./model-provider.ts";
import { both, count, isRecord, type Keywords, overlaid, typesOf } from "./rehearsal-keywords.ts";
import { goodChoices, leaning } from "./rehearsal-manners.ts";
import { patternOf } from "./rehearsal-pattern.ts";
import { type ProseKind, proseKind, singular, wordsOf } from "./rehearsal-prose.ts";

export type Plan =
  | { readonly kind: "constant"; readonly value: unknown }
  | ChoicePlan
  | TextPlan
  | NumberPlan
  | { readonly kind: "boolean"; readonly lean: boolean | undefined }
  | ListPlan
  | ObjectPlan
  | { readonly kind: "union"; readonly options: readonly Plan[] }
  /** No value can meet it; whoever may leave it out does. */
  | { readonly kind: "never" }
  /** A schema that is met again inside itself. */
  | { readonly kind: "again"; readonly target: () => Plan };

export interface ChoicePlan {
  readonly kind: "choice";
  readonly values: readonly unknown[];
  /** Ids, which a misbehaving model may invent. */
  readonly ids: boolean;
}

export interface TextPlan {
  readonly kind: "text";
  readonly prose: ProseKind;
  readonly isId: boolean;
  /** What comes before the number in ids that the schema describes as `R1, R2, …`. */
  readonly series: string | undefined;
  readonly min: number;
  readonly max: number;
  readonly format: string | undefined;
  readonly patterns: readonly RegExp[];
  readonly examples: readonly string[];
}

export interface NumberPlan {
  readonly kind: "number";
  readonly words: string;
  readonly whole: boolean;
  readonly low: number;
  readonly high: number;
  readonly step: number | undefined;
}

export interface ListPlan {
  readonly kind: "list";
  readonly first: readonly Plan[];
  readonly item: Plan | undefined;
  readonly min: number;
  readonly max: number;
  readonly distinct: boolean;
}

export interface ObjectPlan {
  readonly kind: "object";
  readonly fields: readonly FieldPlan[];
  /** How further members look, where the schema allows or demands them. */
  readonly further:
    | { readonly key: Plan; readonly value: Plan; readonly count: number }
    | undefined;
  /** The schema names no field and allows any. */
  readonly isOpen: boolean;
}

interface FieldPlan {
  readonly key: string;
  readonly plan: Plan;
  readonly required: boolean;
}

const plans = new WeakMap<JsonSchema, Plan>();

export function planOf(schema: JsonSchema): Plan {
  const known = plans.get(schema);
  if (known) return known;
  const made = makePlan(schema);
  plans.set(schema, made);
  return made;
}

function makePlan(root: JsonSchema): Plan {
  const references = new Map<string, { plan?: Plan }>();
  return plan(root, "answer");

  function plan(given: unknown, name: string): Plan {
    if (given === false) return { kind: "never" };
    if (given === true || !isRecord(given)) return anything(name);
    const schema = merged(given);
    const reference = schema["$ref"];
    if (typeof reference === "string") return again(reference, name);
    if ("const" in schema) return { kind: "constant", value: schema["const"] };
    if (Array.isArray(schema["enum"])) return choice(schema, schema["enum"], name);
    if (isRecord(schema["not"]) && Object.keys(schema["not"]).length === 0)
      return { kind: "never" };
    const branches = schema["oneOf"] ?? schema["anyOf"];
    if (Array.isArray(branches))
      return union(
        branches.map((branch) => overlaid(schema, branch)),
        name,
      );
    const types = typesOf(schema);
    if (types.length === 0) return anything(name, schema);
    if (types.length > 1)
      return union(
        types.map((type) => ({ ...schema, type })),
        name,
      );
    return ofType(types[0] ?? "null", schema, name);
  }

  function ofType(type: string, schema: Keywords, name: string): Plan {
    switch (type) {
      case "string":
        return text(schema, name);
      case "integer":
      case "number":
        return number(schema, name, type === "integer");
      case "boolean":
        return { kind: "boolean", lean: leaning(wordsOf(name)) };
      case "array":
        return list(schema, name);
      case "object":
        return object(schema, name);
      default:
        return { kind: "constant", value: null };
    }
  }

  function again(reference: string, name: string): Plan {
    const known = references.get(reference);
    if (known) return { kind: "again", target: () => known.plan ?? { kind: "never" } };
    const entry: { plan?: Plan } = {};
    references.set(reference, entry);
    entry.plan = plan(resolve(reference), name);
    return entry.plan;
  }

  function resolve(reference: string): unknown {
    if (reference === "#") return root;
    if (!reference.startsWith("#/")) return true;
    let target: unknown = root;
    for (const part of reference.slice(2).split("/")) {
      const key = decodeURIComponent(part).replaceAll("~1", "/").replaceAll("~0", "~");
      target = isRecord(target) || Array.isArray(target) ? Reflect.get(target, key) : undefined;
    }
    return target ?? true;
  }

  /** `allOf` says several things about one value; for what we make, the stricter of each counts. */
  function merged(schema: Keywords): Keywords {
    const { allOf, ...own } = schema;
    if (!Array.isArray(allOf)) return schema;
    return allOf.reduce<Keywords>((sum, part) => {
      const reference = isRecord(part) ? part["$ref"] : undefined;
      const target = typeof reference === "string" ? resolve(reference) : part;
      // Several ways of one part cannot be told apart from here: a lone reference stays one.
      if (typeof reference === "string" && allOf.length === 1 && Object.keys(own).length === 0) {
        return { $ref: reference };
      }
      return isRecord(target) ? both(sum, merged(target)) : sum;
    }, own);
  }

  function union(options: readonly unknown[], name: string): Plan {
    const made = options.map((option) => plan(option, name)).filter(({ kind }) => kind !== "never");
    if (made.length === 0) return { kind: "never" };
    return made.length === 1 && made[0] ? made[0] : { kind: "union", options: made };
  }

  function list(schema: Keywords, name: string): ListPlan {
    const single = singular(name);
    const tuple = schema["prefixItems"] ?? (Array.isArray(schema["items"]) ? schema["items"] : []);
    const first = Array.isArray(tuple) ? tuple.map((item) => plan(item, single)) : [];
    const rest = Array.isArray(schema["items"]) ? schema["additionalItems"] : schema["items"];
    const wanted = schema["contains"] ?? (rest === undefined && first.length > 0 ? false : rest);
    const item = plan(wanted ?? true, single);
    const min = Math.max(
      count(schema, "minItems", 0),
      schema["contains"] ? count(schema, "minContains", 1) : 0,
      first.length,
    );
    const max = item.kind === "never" ? first.length : count(schema, "maxItems", Infinity);
    return {
      kind: "list",
      first,
      item: item.kind === "never" ? undefined : item,
      min,
      max: Math.max(min, max),
      distinct: schema["uniqueItems"] === true,
    };
  }

  function object(schema: Keywords, name: string): ObjectPlan {
    const properties = isRecord(schema["properties"]) ? schema["properties"] : {};
    const required = new Set(
      Array.isArray(schema["required"]) ? schema["required"].map(String) : [],
    );
    const others = schema["additionalProperties"];
    const fields = Object.entries(properties).map(([key, inner]): FieldPlan => {
      return { key, plan: plan(inner, key), required: required.has(key) };
    });
    for (const key of required) {
      if (!Object.hasOwn(properties, key)) {
        fields.push({ key, plan: plan(others ?? true, key), required: true });
      }
    }
    const isOpen = fields.length === 0 && isAnything(others) && !schema["patternProperties"];
    return { kind: "object", fields, further: further(schema, fields, name), isOpen };
  }

  function further(
    schema: Keywords,
    fields: readonly FieldPlan[],
    name: string,
  ): ObjectPlan["further"] {
    const least = count(schema, "minProperties", 0);
    const patterns = isRecord(schema["patternProperties"])
      ? Object.entries(schema["patternProperties"])
      : [];
    const open = schema["additionalProperties"];
    const [pattern] = patterns;
    const isRecordLike = isRecord(open) || pattern !== undefined;
    if (fields.length > 0 ? least <= fields.length : !isRecordLike && least === 0) return undefined;
    if (open === false && !pattern) return undefined;
    const value = plan(pattern ? pattern[1] : (open ?? true), singular(name));
    if (value.kind === "never") return undefined;
    const names = isRecord(schema["propertyNames"]) ? schema["propertyNames"] : {};
    const key = plan(
      { type: "string", maxLength: 40, ...names, ...(pattern ? { pattern: pattern[0] } : {}) },
      "key",
    );
    const most = count(schema, "maxProperties", Infinity);
    return {
      key,
      value,
      count: Math.min(Math.max(2, least) - fields.length, most - fields.length),
    };
  }
}

function isAnything(schema: unknown): boolean {
  if (schema === undefined || schema === true) return true;
  return isRecord(schema) && Object.keys(schema).length === 0;
}

function choice(schema: Keywords, values: readonly unknown[], name: string): Plan {
  if (values.length === 0) return { kind: "never" };
  const ids = typeof schema["idsOf"] === "string" || isIdName(name) || values.every(looksLikeId);
  return { kind: "choice", values: goodChoices(wordsOf(name), values), ids };
}

function text(schema: Keywords, name: string): TextPlan {
  const pattern = schema["pattern"];
  const examples = Array.isArray(schema["examples"]) ? schema["examples"] : [];
  const min = count(schema, "minLength", 0);
  return {
    kind: "text",
    prose: proseKind(name),
    isId: isIdName(name),
    series: seriesIn(schema["description"]),
    min,
    max: Math.max(min, count(schema, "maxLength", Infinity)),
    format: typeof schema["format"] === "string" ? schema["format"] : undefined,
    patterns: [pattern]
      .flat()
      .flatMap((each) => (typeof each === "string" ? (patternOf(each) ?? []) : [])),
    examples: examples.filter((example) => typeof example === "string"),
  };
}

function number(schema: Keywords, name: string, whole: boolean): NumberPlan {
  const bound = (key: string) => (typeof schema[key] === "number" ? schema[key] : undefined);
  const gap = whole ? 1 : 1e-6;
  const above = bound("exclusiveMinimum");
  const below = bound("exclusiveMaximum");
  const low = Math.max(
    bound("minimum") ?? -Infinity,
    above === undefined ? -Infinity : above + gap,
  );
  const high = Math.min(bound("maximum") ?? Infinity, below === undefined ? Infinity : below - gap);
  return {
    kind: "number",
    words: wordsOf(name),
    whole,
    low: whole ? Math.ceil(low) : low,
    high: whole ? Math.floor(high) : high,
    step: bound("multipleOf"),
  };
}

function anything(name: string, schema: Keywords = {}): Plan {
  return text(schema, name);
}

function seriesIn(description: unknown): string | undefined {
  if (typeof description !== "string") return undefined;
  return /\b(?<series>[A-Za-z]{1,6}-?)1, \k<series>2\b/.exec(description)?.groups?.["series"];
}

function looksLikeId(value: unknown): boolean {
  return (
    typeof value === "string" &&
    /^(?:[a-z]{1,12}[-_]?\d+|[A-Z]{1,6}-\d+|[0-9a-f]{8}-[0-9a-f-]{27})$/.test(value)
  );
}

function isIdName(name: string): boolean {
  return /(?:^|[_-])(?:id|ref|key|slug)s?$|[a-z](?:Id|Ref|Key)s?$/.test(name);
}
