/** The keywords of JSON Schema that an `outputSchema` may use, and what to write instead of the others. */

import type { JsonObject } from "../../../kernel/base/json.ts";
import { nearMatches } from "../../../kernel/contract/near-match.ts";

/** They say something to readers and nothing about values. */
const ANNOTATIONS: ReadonlySet<string> = new Set([
  "$schema",
  "$id",
  "$comment",
  "$defs",
  "definitions",
  "title",
  "description",
  "default",
  "examples",
  "deprecated",
  "readOnly",
  "writeOnly",
]);

const COMBINING = ["$ref", "enum", "const", "anyOf", "oneOf", "allOf", "type"] as const;

export const TYPES = ["string", "number", "integer", "boolean", "null", "array", "object"] as const;
export type SchemaType = (typeof TYPES)[number];

const NUMBERS = ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"];

/** What each type can be held to. */
const BY_TYPE: Readonly<Record<SchemaType, readonly string[]>> = {
  string: ["minLength", "maxLength", "format"],
  number: NUMBERS,
  integer: NUMBERS,
  boolean: [],
  null: [],
  array: ["items", "minItems", "maxItems", "uniqueItems"],
  object: ["properties", "required", "additionalProperties", "minProperties", "maxProperties"],
};

const OF_VALUES: ReadonlySet<string> = new Set(Object.values(BY_TYPE).flat());

const INSTEAD: readonly (readonly [keywords: readonly string[], hint: string])[] = [
  [
    ["pattern"],
    'Use "enum", "format" or lengths, or say it in "description": a regular expression can be made to run for ever.',
  ],
  [
    ["patternProperties", "propertyNames"],
    'Name the fields in "properties", or give "additionalProperties" a schema.',
  ],
  [["not"], "Say what is allowed instead of what is not."],
  [
    ["if", "then", "else", "dependencies", "dependentRequired", "dependentSchemas"],
    'Use "anyOf" with a branch for each case.',
  ],
  [
    ["unevaluatedProperties", "unevaluatedItems"],
    'Use "additionalProperties": false where the fields are named.',
  ],
  [["prefixItems", "additionalItems"], "Use an object with a name for each place."],
  [
    ["contains", "minContains", "maxContains"],
    'Say it in "description", and check it in a decision.',
  ],
  [["nullable"], 'Add "null" to the type: ["string", "null"].'],
];

export function isAnnotation(keyword: string): boolean {
  return ANNOTATIONS.has(keyword) || keyword.startsWith("x-");
}

export function isUnderstood(keyword: string): boolean {
  return (
    isAnnotation(keyword) ||
    OF_VALUES.has(keyword) ||
    COMBINING.some((combining) => combining === keyword)
  );
}

export function insteadOf(keyword: string): string {
  const known = INSTEAD.find(([keywords]) => keywords.includes(keyword))?.[1];
  if (known !== undefined) return known;
  const [near] = nearMatches(keyword, [...OF_VALUES, ...COMBINING, ...ANNOTATIONS]);
  return near === undefined ? 'Remove it, or say it in "description".' : `Did you mean "${near}"?`;
}

/** The types that the keywords speak of, where none is written. */
export function impliedTypes(schema: JsonObject): readonly SchemaType[] {
  return TYPES.filter(
    (type) => type !== "integer" && BY_TYPE[type].some((keyword) => Object.hasOwn(schema, keyword)),
  );
}

/** Keywords that say nothing about any of these types. */
export function idleKeywords(schema: JsonObject, types: readonly SchemaType[]): readonly string[] {
  const telling = new Set(types.flatMap((type) => BY_TYPE[type]));
  return Object.keys(schema).filter((keyword) => OF_VALUES.has(keyword) && !telling.has(keyword));
}
