/** Where the references of an output schema lead, and whether it describes an object in the end. */

import { isJsonObject, type Json, type JsonObject } from "../../../kernel/base/json.ts";
import { impliedTypes } from "./output-schema-keywords.ts";

export function objectAt(schema: JsonObject, key: string): JsonObject {
  const found = Object.hasOwn(schema, key) ? schema[key] : undefined;
  return isJsonObject(found) ? found : {};
}

export function resolve(root: JsonObject, written: string): Json | undefined {
  if (written === "#") return root;
  const [, group, name] = /^#\/(\$defs|definitions)\/([^/]+)$/.exec(written) ?? [];
  if (group === undefined || name === undefined) return undefined;
  const key = name.replaceAll("~1", "/").replaceAll("~0", "~");
  const defined = objectAt(root, group);
  return Object.hasOwn(defined, key) ? defined[key] : undefined;
}

/** Whether following references and branches, without going into any field, comes back. */
export function meetsItself(
  schema: Json,
  root: JsonObject,
  trail: ReadonlySet<JsonObject>,
): boolean {
  if (!isJsonObject(schema)) return false;
  if (trail.has(schema)) return true;
  const below = new Set(trail).add(schema);
  const { $ref: reference } = schema;
  const target = typeof reference === "string" ? resolve(root, reference) : undefined;
  return [target ?? null, ...branchesOf(schema)].some((next) => meetsItself(next, root, below));
}

function branchesOf(schema: JsonObject): readonly Json[] {
  return ["anyOf", "oneOf", "allOf"].flatMap((keyword) => {
    const branches = schema[keyword];
    return Array.isArray(branches) ? (branches as readonly Json[]) : [];
  });
}

/** The schema has no problems, so references end somewhere. */
export function describesObject(schema: Json, root: JsonObject): boolean {
  if (!isJsonObject(schema)) return false;
  const { $ref: reference, type, anyOf, oneOf, allOf } = schema;
  if (typeof reference === "string") return describesObject(resolve(root, reference) ?? null, root);
  if (type !== undefined) return type === "object";
  const branches = (anyOf ?? oneOf) as readonly Json[] | undefined;
  if (branches !== undefined) return branches.every((branch) => describesObject(branch, root));
  if (impliedTypes(schema).includes("object")) return true;
  const parts = (allOf ?? []) as readonly Json[];
  return parts.some((part) => describesObject(part, root));
}
