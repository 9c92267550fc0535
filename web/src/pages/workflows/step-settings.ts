/** A step's settings as the server lists them: its own fields by name, what is only a default left out. */

import type { Json, Output } from "../../api/operation.ts";

type Listed = Output<"workflow.graph">["steps"][number];

/** Beside those named here a step has whatever its settings say. */
export type StepSettings = Listed & { readonly [name: string]: Json | undefined };

export function textOf(step: StepSettings, name: string): string {
  const value = step[name];
  if (value === undefined || value === null) return "";
  return typeof value === "string" ? value : JSON.stringify(value, null, 2);
}

/** What was written into a field, as its setting wants it; empty takes the setting away. Undefined if it is no JSON. */
export function readSetting(text: string, kind: "text" | "number" | "json"): Json | undefined {
  const trimmed = text.trim();
  if (trimmed === "") return null;
  if (kind === "text") return trimmed;
  if (kind === "number") return Number.isFinite(Number(trimmed)) ? Number(trimmed) : trimmed;
  try {
    return JSON.parse(trimmed) as Json;
  } catch {
    return undefined;
  }
}

export interface AnswerField {
  readonly name: string;
  readonly kind: string;
}

/** The fields a schema asks for, in a few words each. */
export function answerFields(schema: Json | undefined): readonly AnswerField[] {
  const properties = partOf(schema, "properties");
  const required = partOf(schema, "required");
  if (!isObject(properties)) return [];
  return Object.entries(properties).map(([name, property]) => {
    const choices = partOf(property, "enum");
    const type = partOf(property, "type");
    const kind = Array.isArray(choices)
      ? choices.map(String).join(", ")
      : typeof type === "string"
        ? type
        : "anything";
    const isNeeded = Array.isArray(required) && required.includes(name);
    return { name, kind: isNeeded ? kind : `${kind}, optional` };
  });
}

function isObject(value: Json | undefined): value is { readonly [key: string]: Json } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function partOf(value: Json | undefined, name: string): Json | undefined {
  return isObject(value) ? value[name] : undefined;
}
