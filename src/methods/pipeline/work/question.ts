/**
 * What a model asks a person before it can go on, and the form in which the person answers. Nothing
 * that must be answered is filled in beforehand: what the model would have chosen is only shown.
 */

import * as z from "zod";
import type { Json } from "../../../kernel/base/json.ts";
import { isReservedName } from "../../../kernel/base/json-path.ts";
import { type Contract, defineContract } from "../../../kernel/contract/contract.ts";
import { type FormField, formOf, readForm } from "../../../kernel/contract/form.ts";
import type { Reading } from "../../../kernel/contract/reading.ts";

const LONGEST_TEXT = 4_000;
const MOST_OPTIONS = 50;
export const MOST_QUESTIONS = 20;

/** Names a field of the form, so it is as plain as one. */
export function isQuestionId(id: string): boolean {
  return /^[A-Za-z][\w-]{0,59}$/.test(id) && !isReservedName(id);
}

export const QUESTION_TYPES = ["text", "choice", "multiselect", "confirm", "number"] as const;
export type QuestionType = (typeof QUESTION_TYPES)[number];

const said = z.string().min(1).max(LONGEST_TEXT);

const optionSchema = z.object({
  value: z.union([z.string(), z.number(), z.boolean()]),
  label: said,
  description: z.string().max(LONGEST_TEXT).optional(),
});

/** No `pattern`: a regular expression that a model wrote is not run. */
const validationSchema = z.object({
  min: z.number().optional(),
  max: z.number().optional(),
  minLength: z.int().nonnegative().optional(),
  maxLength: z.int().positive().optional(),
});

export const questionSchema = z
  .object({
    id: z.string().refine(isQuestionId, "use letters, digits, - and _, beginning with a letter"),
    question: said,
    type: z.enum(QUESTION_TYPES),
    description: z.string().max(LONGEST_TEXT).optional(),
    required: z.boolean().optional().describe("True unless given."),
    options: z.array(optionSchema).min(1).max(MOST_OPTIONS).optional(),
    defaultValue: z.custom<Json>().optional(),
    validation: validationSchema.optional(),
  })
  .superRefine(({ type, options, validation = {} }, context) => {
    if (isChosen(type) && options === undefined) {
      context.addIssue({ code: "custom", message: `a question of type ${type} needs options` });
    }
    const { min = -Infinity, max = Infinity, minLength = 0, maxLength = Infinity } = validation;
    if (min > max || minLength > maxLength) {
      context.addIssue({ code: "custom", message: "its validation allows no answer" });
    }
  });

export type Question = Readonly<z.output<typeof questionSchema>>;

export function isChosen(type: string): boolean {
  return type === "choice" || type === "multiselect";
}

export function questionForm(questions: readonly Question[]): readonly FormField[] {
  const fields = formOf(answersContract(questions));
  return fields.map((field) => {
    const question = questions.find(({ id }) => id === field.name);
    if (question?.options === undefined || field.options === undefined) return field;
    const options = question.options.map(({ value, label, description }) => ({
      value,
      label: description === undefined ? label : `${label} — ${description}`,
    }));
    return { ...field, options };
  });
}

/** What was filled in, by the questions' ids, each as its type wants it. */
export function readAnswers(
  questions: readonly Question[],
  fields: Readonly<Record<string, unknown>>,
): Reading<Readonly<Record<string, unknown>>> {
  return readForm(answersContract(questions), fields);
}

function answersContract(
  questions: readonly Question[],
): Contract<Readonly<Record<string, unknown>>> {
  const fields = questions.map((question): [string, z.ZodType] => {
    const type = answerType(question);
    const isRequired = question.required !== false;
    const given = question.defaultValue;
    const fits = given !== undefined && type.safeParse(given).success;
    const shown = isRequired && fits ? `The model suggests: ${sayShort(question, given)}.` : "";
    const help = [question.description ?? "", shown].filter(Boolean).join(" ");
    const told = type.meta({
      title: question.question,
      ...(help === "" ? {} : { description: help }),
      ...(!isRequired && fits ? { default: given } : {}),
    });
    return [question.id, isRequired ? told : told.optional()];
  });
  return defineContract({
    name: "pipeline.answers",
    schema: z.object(Object.fromEntries(fields)),
  });
}

function answerType({ type, options = [], validation = {}, required }: Question): z.ZodType {
  const { min = -Infinity, max = Infinity, minLength = 0, maxLength = LONGEST_TEXT } = validation;
  const values = options.map(({ value }) => value);
  switch (type) {
    case "choice":
      return z.literal(values);
    case "multiselect":
      return z.array(z.literal(values)).min(required === false ? 0 : 1);
    case "confirm":
      return z.boolean();
    case "number":
      return between(z.number(), min, max);
    default:
      return z.string().min(minLength).max(maxLength);
  }
}

function between(type: z.ZodNumber, min: number, max: number): z.ZodNumber {
  const low = min === -Infinity ? type : type.min(min);
  return max === Infinity ? low : low.max(max);
}

/** An answer in the words of its options. */
export function sayShort({ options = [] }: Question, answer: unknown): string {
  const say = (value: unknown): string => {
    const option = options.find((each) => each.value === value);
    if (option !== undefined) return option.label;
    if (typeof value === "boolean") return value ? "yes" : "no";
    return typeof value === "string" ? value : JSON.stringify(value);
  };
  return Array.isArray(answer) ? answer.map(say).join(", ") : say(answer);
}
