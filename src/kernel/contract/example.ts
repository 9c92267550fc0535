/**
 * An example value for a shape. It is valid JSON, keeps numbers inside their ranges and choices
 * inside their sets, and marks every free text with a placeholder, so that an echo of the example
 * can be told from an answer.
 */

import { branchesOf, choicesOf, resolveShape, type Shape, typesOf } from "./shape.ts";

const MOST_NESTING = 8;

export function exampleOf(root: Shape): unknown {
  return example(root, "value", 0);

  function example(given: Shape, name: string, depth: number): unknown {
    const shape = resolveShape(given, root);
    const branches = branchesOf(shape);
    if (branches !== undefined) {
      const wantNull = depth >= MOST_NESTING;
      const useful =
        branches.find((branch) => isNull(resolveShape(branch, root)) === wantNull) ?? branches[0];
      return useful === undefined ? null : example(useful, name, depth);
    }
    const choices = choicesOf(shape);
    if (choices?.[0] !== undefined) return choices[0];
    switch (typesOf(shape).find((type) => type !== "null")) {
      case "string":
        return exampleText(shape, name);
      case "integer":
        return exampleNumber(shape, true);
      case "number":
        return exampleNumber(shape, false);
      case "boolean":
        return true;
      case "array":
        return exampleList(shape, name, depth);
      case "object":
        return exampleObject(shape, name, depth);
      default:
        return typesOf(shape).includes("null") ? null : placeholderFor(name);
    }
  }

  function exampleList(shape: Shape, name: string, depth: number): unknown[] {
    if (shape.prefixItems !== undefined) {
      return shape.prefixItems.map((item) => example(item, singular(name), depth + 1));
    }
    const item = typeof shape.items === "object" ? shape.items : {};
    // A list whose items may not exist, and a list inside its own items, both end here.
    if (item.not !== undefined || shape.maxItems === 0 || depth >= MOST_NESTING) return [];
    const count = Math.max(1, Math.min(shape.minItems ?? 1, 3));
    return Array.from({ length: count }, () => example(item, singular(name), depth + 1));
  }

  function exampleObject(shape: Shape, name: string, depth: number): Record<string, unknown> {
    const properties = Object.entries(shape.properties ?? {});
    const shown = properties.filter(
      ([key]) => depth < MOST_NESTING - 5 || shape.required?.includes(key),
    );
    if (properties.length === 0 && typeof shape.additionalProperties === "object") {
      const inner = shape.additionalProperties;
      return { [`<${words(name)} key>`]: example(inner, name, depth + 1) };
    }
    return Object.fromEntries(shown.map(([key, inner]) => [key, example(inner, key, depth + 1)]));
  }
}

function placeholderFor(name: string): string {
  return `<${words(name)} here>`;
}

function isNull(shape: Shape): boolean {
  return shape.type === "null";
}

const FORMATS: Readonly<Record<string, string>> = {
  "date-time": "2026-01-31T12:00:00Z",
  date: "2026-01-31",
  time: "12:00:00",
  email: "name@example.org",
  uri: "https://example.org/",
  uuid: "00000000-0000-4000-8000-000000000000",
};

function exampleText(shape: Shape, name: string): string {
  const formatted = shape.format === undefined ? undefined : FORMATS[shape.format];
  return formatted ?? placeholderFor(name);
}

function exampleNumber(shape: Shape, whole: boolean): number {
  const least = shape.minimum ?? shape.exclusiveMinimum;
  const most = shape.maximum ?? shape.exclusiveMaximum;
  const low = least === undefined || least <= Number.MIN_SAFE_INTEGER ? undefined : least;
  const high = most === undefined || most >= Number.MAX_SAFE_INTEGER ? undefined : most;
  if (low !== undefined && high !== undefined) {
    const middle = (low + high) / 2;
    return whole ? Math.max(Math.ceil(low), Math.floor(middle)) : middle;
  }
  if (low !== undefined) return Math.max(1, Math.floor(low) + 1);
  return high === undefined ? 1 : Math.min(1, Math.ceil(high) - 1);
}

function singular(name: string): string {
  if (/(?:ss|x)es$/.test(name)) return name.slice(0, -2);
  if (/(?:thes|alys)es$/.test(name)) return `${name.slice(0, -2)}is`;
  if (name.length < 4 || !/[^siu]s$/.test(name)) return name;
  return name.endsWith("ies") ? `${name.slice(0, -3)}y` : name.slice(0, -1);
}

/** `suggestedNextStage` and `suggested_next_stage` → `suggested next stage`. */
export function words(name: string): string {
  return name
    .replace(/([\p{Ll}\p{N}])(\p{Lu})/gu, "$1 $2")
    .replace(/[_\s-]+/g, " ")
    .trim()
    .toLowerCase();
}
