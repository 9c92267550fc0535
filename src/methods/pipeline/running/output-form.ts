/** The output of a step as a form: a person fills in what a model would have answered. */

import { isJsonObject, type Json, type JsonObject } from "../../../kernel/base/json.ts";
import { parseJson } from "../../../kernel/base/safe-json.ts";
import { type Contract, defineContract } from "../../../kernel/contract/contract.ts";
import { type FormField, formOf, readForm } from "../../../kernel/contract/form.ts";
import { outputType } from "../work/output-schema.ts";

const contracts = new WeakMap<JsonObject, Contract<JsonObject>>();

/** Fields that are asked for with the given answers; what is known of the output stands in them already. */
export function outputForm(
  schema: JsonObject | undefined,
  answers: readonly string[],
  known?: JsonObject,
): readonly Json[] {
  const fields = schema === undefined ? [FREE_FIELD] : formOf(contractOf(schema));
  return fields.map((field) => {
    const initial = schema === undefined ? freeText(known) : valueAt(known, field.name);
    const filled = initial === undefined ? field : { ...field, initial };
    return JSON.parse(JSON.stringify({ ...filled, answers })) as Json;
  });
}

export type ReadOutput = { readonly output: JsonObject } | { readonly problems: readonly string[] };

export function readOutput(schema: JsonObject | undefined, fields: Json | undefined): ReadOutput {
  const given = isJsonObject(fields) ? fields : {};
  if (schema === undefined) return { output: readFree(given["output"]) };
  const names = new Set(formOf(contractOf(schema)).map(({ name }) => name));
  const own = Object.fromEntries(Object.entries(given).filter(([name]) => names.has(name)));
  const reading = readForm(contractOf(schema), own);
  return reading.ok
    ? { output: reading.value }
    : { problems: reading.problems.map(({ message }) => message) };
}

const FREE_FIELD: FormField = {
  name: "output",
  label: "Result",
  type: "longtext",
  required: false,
  help: "What came of it: a sentence, or a JSON object.",
};

function contractOf(schema: JsonObject): Contract<JsonObject> {
  const known = contracts.get(schema);
  if (known) return known;
  const made = defineContract({ name: "pipeline.output", schema: outputType(schema) });
  contracts.set(schema, made);
  return made;
}

function readFree(value: Json | undefined): JsonObject {
  if (isJsonObject(value)) return value;
  if (typeof value !== "string" || value.trim() === "") return {};
  if (value.trimStart().startsWith("{")) {
    const parsed = tryJson(value);
    if (isJsonObject(parsed)) return parsed;
  }
  return { text: value };
}

function tryJson(text: string): Json | undefined {
  try {
    return parseJson(text);
  } catch {
    // Text that only looks like JSON is taken as text.
    return undefined;
  }
}

function freeText(known: JsonObject | undefined): string | undefined {
  return known === undefined ? undefined : JSON.stringify(known, null, 2);
}

function valueAt(known: JsonObject | undefined, name: string): Json | undefined {
  let value: Json | undefined = known;
  for (const part of name.split(".")) {
    value = isJsonObject(value) && Object.hasOwn(value, part) ? value[part] : undefined;
  }
  return value;
}
