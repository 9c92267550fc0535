/**
 * An operation's input as a flat list of fields, for surfaces where people write text: flags on a
 * command line, parameters in an address. Nested values are written as JSON there.
 */

import { z } from "zod";
import type { InputField } from "./input-field.ts";

export function inputFields(input: z.ZodType): readonly InputField[] {
  const { properties = {}, required = [] } = toJsonSchema(input, "input");
  return Object.entries(properties).map(([name, schema]) => {
    const core = stripNull(schema as JsonSchema);
    const items = core.type === "array" ? ((core.items ?? {}) as JsonSchema) : undefined;
    return {
      name,
      kind: kindOf(items ?? core),
      isList: items !== undefined,
      isRecord: core.type === "object" && core.properties === undefined,
      isNullable: core !== schema,
      isRequired: required.includes(name),
      choices: choicesOf(items ?? core),
      description: core.description ?? (schema as JsonSchema).description,
      default: (schema as JsonSchema).default,
    };
  });
}

export interface JsonSchema {
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, unknown>>;
  readonly required?: readonly string[];
  readonly items?: unknown;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly JsonSchema[];
  readonly description?: string;
  readonly default?: unknown;
}

export function toJsonSchema(schema: z.ZodType, io: "input" | "output"): JsonSchema {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: "any" });
  return rest;
}

function stripNull(schema: JsonSchema): JsonSchema {
  if (Array.isArray(schema.type) && schema.type.includes("null")) {
    const types = schema.type.filter((type) => type !== "null");
    return { ...schema, type: types.length === 1 ? (types[0] ?? types) : types };
  }
  const branches = schema.anyOf?.filter(({ type }) => type !== "null");
  if (branches === undefined || branches.length === schema.anyOf?.length) return schema;
  const { anyOf: _, ...rest } = schema;
  return branches.length === 1 ? { ...rest, ...branches[0] } : { ...rest, anyOf: branches };
}

function kindOf({ type, anyOf }: JsonSchema): InputField["kind"] {
  if (type === "string") return "string";
  if (type === "number" || type === "integer") return "number";
  if (type === "boolean") return "boolean";
  const kinds = new Set((anyOf ?? []).map(kindOf));
  const [only] = kinds;
  return kinds.size === 1 && only !== undefined ? only : "json";
}

function choicesOf({
  enum: values,
  const: value,
  anyOf,
}: JsonSchema): readonly string[] | undefined {
  if (values !== undefined) return values.map(String);
  if (typeof value === "string" || typeof value === "number") return [String(value)];
  const branches = anyOf?.map(choicesOf);
  return branches?.every((branch) => branch !== undefined) ? branches.flat() : undefined;
}
