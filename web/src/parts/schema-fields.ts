/** The fields of a form for an object described by a JSON Schema; nested values are asked for as JSON. */

import type { Json } from "../api/operation.ts";
import type { FormField } from "./form-fields.tsx";

export function schemaFields(schema: Json | undefined): readonly FormField[] {
  const properties = partOf(schema, "properties");
  const required = partOf(schema, "required");
  const needed = new Set(Array.isArray(required) ? required.map(String) : []);
  if (!isObject(properties)) return [];
  return Object.entries(properties).map(([name, property]) => {
    const help = textOf(property, "description");
    const initial = partOf(property, "default");
    return {
      name,
      ...kindOf(property),
      required: needed.has(name),
      ...(help === undefined ? {} : { help }),
      ...(initial === undefined ? {} : { initial }),
    };
  });
}

function kindOf(property: Json): Pick<FormField, "type" | "options"> {
  const choices = partOf(property, "enum");
  if (Array.isArray(choices))
    return {
      type: "choice",
      options: choices.map((each) => ({ value: scalar(each), label: String(each) })),
    };
  switch (textOf(property, "type")) {
    case "number":
    case "integer":
      return { type: "number" };
    case "boolean":
      return { type: "confirm" };
    case "string":
      return { type: isLong(property) ? "longtext" : "text" };
    case "array":
      return textOf(partOf(property, "items"), "type") === "string"
        ? { type: "list" }
        : { type: "json" };
    default:
      return { type: "json" };
  }
}

/** A text without an upper bound that is said to be one is worth more than a line. */
function isLong(property: Json): boolean {
  const most = partOf(property, "maxLength");
  if (typeof most === "number") return most > 200;
  return /\b(text|document|content|passage|body)\b/i.test(textOf(property, "description") ?? "");
}

function scalar(value: Json): string | number | boolean {
  return typeof value === "number" || typeof value === "boolean"
    ? value
    : typeof value === "string"
      ? value
      : JSON.stringify(value);
}

function isObject(value: Json | undefined): value is { readonly [key: string]: Json } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function partOf(value: Json | undefined, name: string): Json | undefined {
  return isObject(value) ? value[name] : undefined;
}

function textOf(value: Json | undefined, name: string): string | undefined {
  const part = partOf(value, name);
  return typeof part === "string" ? part : undefined;
}
