/** A section's value as the text somebody edits, the way `dialectic edit` reads it back. */

import type { Json } from "../../api/operation.ts";

const TEXT_KINDS = ["text", "line", "block", "choice", "lines"];

/** Parts with fields of their own are edited as JSON. */
export function isDataKind(kind: string): boolean {
  return !TEXT_KINDS.includes(kind);
}

export function textOfSection(document: Json, key: string, kind: string): string {
  const value = isObject(document) ? document[key] : undefined;
  if (value === undefined || value === null) return "";
  if (isDataKind(kind)) return JSON.stringify(value, null, 2);
  if (Array.isArray(value)) return value.map((line) => `- ${textOf(line)}`).join("\n");
  return textOf(value);
}

function textOf(value: Json): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

function isObject(value: Json): value is { readonly [key: string]: Json } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
