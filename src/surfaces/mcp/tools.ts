/** Operations as tools: which of them a caller is shown, under which names, and with how few words. */

import { toJsonSchema } from "../../kernel/operation/input-fields.ts";
import type { Operation } from "../../kernel/operation/operation.ts";

/** `core`: the few that a day's work takes. `full`: everything that is any agent's business. */
export const PROFILES = ["core", "full"] as const;
export type Profile = (typeof PROFILES)[number];

export interface ToolChoice {
  readonly profile: Profile;
  /** Only what changes nothing. */
  readonly readOnly: boolean;
}

/** Some clients refuse dots and dashes in names. */
export function toolName({ name }: Pick<Operation, "name">): string {
  return name.replaceAll(/[.-]/g, "_");
}

export function chooseTools(
  operations: readonly Operation[],
  { profile, readOnly }: ToolChoice,
): readonly Operation[] {
  return operations
    .filter(({ surfaces }) => {
      const { mcp = "none" } = surfaces ?? {};
      return mcp === "core" || mcp === profile;
    })
    .filter(({ effect }) => !readOnly || effect === "reads");
}

export function describeTool(operation: Operation) {
  const { effect, summary, input } = operation;
  return {
    name: toolName(operation),
    description: summary,
    inputSchema: { type: "object" as const, ...leanSchema(toJsonSchema(input, "input")) },
    annotations: {
      readOnlyHint: effect === "reads",
      destructiveHint: effect === "destroys",
      openWorldHint: false,
    },
  };
}

/** Bounds are checked here anyway and refused with words; a model that reads them first pays for each with every call. */
const UNSAID = new Set(["minLength", "maxLength", "maxItems", "minimum", "maximum", "pattern"]);

function leanSchema(schema: object): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(schema)
      .filter(([name, value]) => !UNSAID.has(name) && !isNoise(name, value))
      .map(([name, value]) => [name, name === "properties" ? leanFields(value) : leanValue(value)]),
  );
}

/** Names of fields are not words of the schema. */
function leanFields(fields: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).map(([name, each]) => [name, leanValue(each)]));
}

function leanValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(leanValue);
  return typeof value === "object" && value !== null ? leanSchema(value) : value;
}

function isNoise(name: string, value: unknown): boolean {
  if (name === "additionalProperties") return value === false;
  if (name === "default") return value === false || (Array.isArray(value) && value.length === 0);
  return name === "required" && Array.isArray(value) && value.length === 0;
}
