/**
 * Writes `operation-types.ts` for the page and for the library: what every operation of this program takes and gives,
 * as types. They come from the schemas that check the calls, so nobody can disagree with them. Not kept in version
 * control: `npm run check`, `npm run build` and `npm run types -w web` make them anew.
 */

import { writeFileSync } from "node:fs";
import path from "node:path";
import { listNouns } from "../src/app/methods.ts";
import { type JsonSchema, toJsonSchema } from "../src/kernel/operation/input-fields.ts";
import { loadOperations } from "../src/kernel/operation/noun-index.ts";
import type { Operation } from "../src/kernel/operation/operation.ts";
import { createOperationRegistry } from "../src/kernel/operation/operation-registry.ts";

const FILES = [
  path.join(import.meta.dirname, "src", "api", "operation-types.ts"),
  path.join(import.meta.dirname, "..", "src", "app", "operation-types.ts"),
];

type Side = "input" | "output";

interface Schema extends JsonSchema {
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly prefixItems?: readonly Schema[];
  readonly additionalProperties?: boolean | Schema;
  readonly $ref?: string;
  readonly $defs?: Readonly<Record<string, Schema>>;
}

function typeOf(schema: Schema, side: Side): string {
  if (schema.$ref !== undefined) return "Json";
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum !== undefined)
    return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
  const branches = schema.anyOf ?? schema.oneOf;
  if (branches !== undefined)
    return union(knownBranches(branches).map((branch) => typeOf(branch, side)));
  if (schema.allOf !== undefined)
    return schema.allOf.map((part) => `(${typeOf(part, side)})`).join(" & ");
  const kinds = typeof schema.type === "string" ? [schema.type] : (schema.type ?? []);
  return kinds.length === 0 ? "Json" : union(kinds.map((kind) => typeOfKind(kind, schema, side)));
}

/** A branch that says nothing stands for a value turned into one of the others on its way in. */
function knownBranches(branches: readonly Schema[]): readonly Schema[] {
  const known = branches.filter((branch) => Object.keys(branch).length > 0);
  return known.length === 0 ? branches : known;
}

function typeOfKind(kind: string, schema: Schema, side: Side): string {
  switch (kind) {
    case "string":
    case "boolean":
    case "null":
      return kind;
    case "number":
    case "integer":
      return "number";
    case "array":
      return arrayType(schema, side);
    case "object":
      return objectType(schema, side);
    default:
      return "Json";
  }
}

function arrayType({ items, prefixItems }: Schema, side: Side): string {
  if (prefixItems !== undefined)
    return `readonly [${prefixItems.map((item) => typeOf(item, side)).join(", ")}]`;
  return `readonly (${typeOf(items ?? {}, side)})[]`;
}

function objectType(schema: Schema, side: Side): string {
  const { properties, required = [], additionalProperties } = schema;
  if (properties === undefined) {
    const value = typeof additionalProperties === "object" ? additionalProperties : {};
    return `{ readonly [key: string]: ${typeOf(value, side)} }`;
  }
  const fields = Object.entries(properties).map(([name, field]) => {
    const { description } = field as Schema;
    const isRequired = required.includes(name);
    const missing = isRequired ? "" : side === "input" ? " | undefined" : "";
    const comment =
      description === undefined ? "" : `/** ${description.replaceAll("*/", "* /")} */ `;
    const type = typeOf(field as Schema, side);
    return `${comment}readonly ${JSON.stringify(name)}${isRequired ? "" : "?"}: ${type}${missing};`;
  });
  return fields.length === 0 ? "Record<string, never>" : `{ ${fields.join(" ")} }`;
}

function union(types: readonly string[]): string {
  return [...new Set(types)].join(" | ");
}

function describe({ name, summary, effect, input, output }: Operation): string {
  return [
    `  /** ${summary.replaceAll("*/", "* /")} */`,
    `  "${name}": {`,
    `    readonly effect: "${effect}";`,
    `    readonly input: ${typeOf(toJsonSchema(input, "input"), "input")};`,
    `    readonly output: ${typeOf(toJsonSchema(output, "output"), "output")};`,
    "  };",
  ].join("\n");
}

const nouns = listNouns(() => "");
const { operations } = createOperationRegistry(await loadOperations(nouns), nouns);
const text = `/** Made by generate-operation-types.ts from the server's schemas; changes here are lost. */

export type Json =
  | null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

export interface Operations {
${operations.map(describe).join("\n")}
}
`;
for (const file of FILES) writeFileSync(file, text);
