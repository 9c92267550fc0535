/**
 * The form of a wait and the checking of what was filled in. Fields are asked for with the first of the
 * allowed answers unless they say with which; with the others they may be left empty.
 */

import { z } from "zod";
import type { Json, JsonObject } from "../base/json.ts";
import { LIMIT_REACHED } from "./limits.ts";

export const formField = z.object({
  name: z.string(),
  label: z.string().optional(),
  type: z
    .enum(["text", "longtext", "number", "confirm", "choice", "multiselect", "json", "list"])
    .catch("text"),
  required: z.boolean().default(false),
  options: z
    .array(
      z.union([
        z.object({ value: z.union([z.string(), z.number(), z.boolean()]), label: z.string() }),
        z.string().transform((value) => ({ value, label: value })),
      ]),
    )
    .optional(),
  help: z.string().optional(),
  initial: z.custom<Json>().optional(),
  minimum: z.number().optional(),
  maximum: z.number().optional(),
  answers: z.array(z.string()).optional().describe("Only asked for with these answers."),
});

export type FormField = z.output<typeof formField>;

export interface AnswerForm {
  readonly kind: string;
  readonly answers: readonly string[];
  readonly fields: readonly FormField[];
}

export function readForm(
  kind: string,
  answers: readonly string[],
  form: readonly Json[],
): AnswerForm {
  const parsed = form.map((field) => formField.parse(field));
  return { kind, answers, fields: kind === LIMIT_REACHED ? LIMIT_FIELDS : parsed };
}

export interface FieldProblem {
  readonly name: string;
  readonly message: string;
}

export interface FilledForm {
  /** By name, each as its type wants it. */
  readonly values: JsonObject;
  readonly problems: readonly FieldProblem[];
}

export function readFields(
  { answers, fields }: AnswerForm,
  choice: string,
  given: Readonly<Record<string, Json>>,
): FilledForm {
  const problems: FieldProblem[] = [];
  const values: Record<string, Json> = {};
  const complain = (name: string, message: string) => problems.push({ name, message });
  const known = new Set(fields.map(({ name }) => name));
  for (const name of Object.keys(given)) {
    if (!known.has(name)) complain(name, `there is no such field; there is ${listOf(known)}`);
  }
  for (const field of fields) {
    const value = Object.hasOwn(given, field.name) ? given[field.name] : undefined;
    if (value === undefined || value === null || value === "") {
      const isAsked = (field.answers ?? answers.slice(0, 1)).includes(choice);
      if (field.required && isAsked) complain(field.name, `is needed to answer "${choice}"`);
      continue;
    }
    const read = readValue(field, value);
    if ("problem" in read) complain(field.name, read.problem);
    else values[field.name] = read.value;
  }
  return { values, problems };
}

type Read = { readonly value: Json } | { readonly problem: string };

const LIMIT_FIELDS: readonly FormField[] = [
  limitField("turns", "turns"),
  limitField("jobs", "jobs"),
  limitField("tokens", "tokens"),
  limitField("costMicroUsd", "cost in millionths of a dollar"),
  limitField("wallMs", "milliseconds"),
  {
    name: "allowUnknownPrice",
    label: "Use models of unknown price",
    type: "confirm",
    required: false,
    help: "Although there is a money budget.",
  },
];

function limitField(name: string, what: string): FormField {
  const help = "Left out, the limit that was reached is doubled.";
  return { name, label: `New limit of ${what}`, type: "number", required: false, minimum: 1, help };
}

function readValue(field: FormField, value: Json): Read {
  switch (field.type) {
    case "number":
      return readNumber(field, value);
    case "confirm":
      return readConfirm(value);
    case "choice":
      return readOption(field, value);
    case "multiselect":
      return readList(value, (item) => readOption(field, item));
    case "list":
      return readList(value, readText);
    case "json":
      return readJson(value);
    default:
      return readText(value);
  }
}

function readText(value: Json): Read {
  return typeof value === "object" ? { problem: "must be text" } : { value: String(value) };
}

function readNumber({ minimum, maximum }: FormField, value: Json): Read {
  const number = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
  if (typeof number !== "number" || !Number.isFinite(number))
    return { problem: "must be a number" };
  if (minimum !== undefined && number < minimum) return { problem: `must be at least ${minimum}` };
  if (maximum !== undefined && number > maximum) return { problem: `must be at most ${maximum}` };
  return { value: number };
}

function readConfirm(value: Json): Read {
  if (typeof value === "boolean") return { value };
  const word = typeof value === "string" ? value.trim().toLowerCase() : "";
  if (["y", "yes", "true"].includes(word)) return { value: true };
  if (["n", "no", "false"].includes(word)) return { value: false };
  return { problem: "must be yes or no" };
}

function readOption({ options = [] }: FormField, value: Json): Read {
  const option = options.find((each) => each.value === value || String(each.value) === value);
  if (option !== undefined) return { value: option.value };
  return { problem: `must be one of ${options.map((each) => each.value).join(", ")}` };
}

function readList(value: Json, readItem: (item: Json) => Read): Read {
  const items =
    typeof value === "string" ? splitLines(value) : Array.isArray(value) ? value : [value];
  const values: Json[] = [];
  for (const item of items) {
    const read = readItem(item);
    if ("problem" in read) return read;
    values.push(read.value);
  }
  return { value: values };
}

function splitLines(text: string): string[] {
  return text
    .split(/\r?\n|,/)
    .map((line) => line.trim())
    .filter(Boolean);
}

/** Structured values may come as they are or as text; text that is no JSON is taken as text. */
function readJson(value: Json): Read {
  if (typeof value !== "string") return { value };
  try {
    return { value: JSON.parse(value) as Json };
  } catch {
    return { value };
  }
}

function listOf(names: ReadonlySet<string>): string {
  return names.size === 0 ? "none to fill in" : [...names].join(", ");
}
