/**
 * A document's value with its keys in the order of its shape. What is stored is sorted by key, so that equal
 * documents have equal hashes; what is read begins with the summary, and an item with its id.
 */

import type { Json } from "../../../kernel/base/json.ts";
import { isPlainObject } from "../../../kernel/contract/path.ts";
import type { Field } from "../recipe/document-file.ts";

export function inReadingOrder(fields: readonly Field[], value: Json): Json {
  if (!isPlainObject(value)) return value;
  const object = value as Readonly<Record<string, Json>>;
  const known = fields.filter(({ key }) => Object.hasOwn(object, key));
  const names = new Set(known.map(({ key }) => key));
  return Object.fromEntries([
    ...known.map((field) => [field.key, ordered(field, object[field.key] ?? null)]),
    ...Object.entries(object).filter(([key]) => !names.has(key)),
  ]) as Json;
}

function ordered(field: Field, value: Json): Json {
  if (field.kind === "object") return inReadingOrder(field.fields, value);
  if (field.kind !== "list" || !Array.isArray(value)) return value;
  return value.map((item) => inReadingOrder(field.fields, item as Json));
}
