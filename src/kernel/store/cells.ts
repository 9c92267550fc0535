/** The change of dress between domain objects and rows: camelCase to snake_case, truth to 0 and 1, JSON to text. */

import { canonicalJson, type Json } from "../base/json.ts";
import type { Cell } from "./audited-rows.ts";

export function toJsonText(value: Json): string {
  return canonicalJson(value);
}

export function toJsonTextOrNull(value: Json | undefined): string | null {
  return value === undefined ? null : canonicalJson(value);
}

export function fromJsonTextOrNull(text: string | null): Json | undefined {
  return text === null ? undefined : (JSON.parse(text) as Json);
}

/**
 * The cells a patch sets: `undefined` leaves a column alone, `null` empties it.
 * Fields named in `json` are kept as JSON whatever they hold; other objects and lists are as well.
 */
export function toCells<Field extends string>(
  patch: Readonly<Partial<Record<Field, unknown>>>,
  json: readonly NoInfer<Field>[] = [],
): Record<string, Cell> {
  const cells: Record<string, Cell> = {};
  for (const [field, value] of Object.entries(patch)) {
    if (value === undefined) continue;
    cells[snakeCase(field)] =
      json.includes(field as Field) && value !== null ? canonicalJson(value) : toCell(value);
  }
  return cells;
}

export function snakeCase(field: string): string {
  return field.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

function toCell(value: unknown): Cell {
  if (typeof value === "boolean") return value ? 1 : 0;
  if (typeof value === "string" || typeof value === "number" || value === null) return value;
  return canonicalJson(value);
}
