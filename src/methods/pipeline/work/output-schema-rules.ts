/** What values are held to beyond their type, each with a message that says what to put right. */

import * as z from "zod";
import { canonicalJson } from "../../../kernel/base/json.ts";

/** RFC 3339, with or without the zone that it asks for. */
const TIME =
  /^(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)?$/;

const FORMATS: Readonly<Record<string, () => z.ZodType<string>>> = {
  "date-time": () => z.iso.datetime({ offset: true }),
  date: () => z.iso.date(),
  time: () => z.stringFormat("time", TIME),
  duration: () => z.iso.duration(),
  email: () => z.email(),
  uri: () => z.url(),
  uuid: () => z.guid(),
  hostname: () => z.hostname(),
  ipv4: () => z.ipv4(),
  ipv6: () => z.ipv6(),
};

export const KNOWN_FORMATS: readonly string[] = Object.keys(FORMATS);

export function formatType(format: string): z.ZodType<string> | undefined {
  return Object.hasOwn(FORMATS, format) ? FORMATS[format]?.() : undefined;
}

export const NUMBER_RULES: Readonly<
  Record<string, (type: z.ZodNumber, bound: number) => z.ZodNumber>
> = {
  minimum: (type, bound) => type.min(bound),
  maximum: (type, bound) => type.max(bound),
  exclusiveMinimum: (type, bound) => type.gt(bound),
  exclusiveMaximum: (type, bound) => type.lt(bound),
  multipleOf: (type, bound) => type.multipleOf(bound),
};

export const NUMBER_HINTS: Readonly<Record<string, string>> = {
  exclusiveMinimum: "It is the bound itself, and stands instead of minimum.",
  exclusiveMaximum: "It is the bound itself, and stands instead of maximum.",
  multipleOf: "It must be above 0.",
};

type Check<Value> = (payload: z.core.ParsePayload<Value>) => void;

export function charactersWithin(
  least: number | undefined,
  most: number | undefined,
): Check<string> {
  return ({ value: input, issues }) => {
    let count = 0;
    for (const _ of input) count += 1;
    const issue = { origin: "string", inclusive: true, input } as const;
    if (least !== undefined && count < least)
      issues.push({ ...issue, code: "too_small", minimum: least });
    if (most !== undefined && count > most)
      issues.push({ ...issue, code: "too_big", maximum: most });
  };
}

export const distinctItems: Check<unknown[]> = ({ value: input, issues }) => {
  const seen = new Map<string, number>();
  for (const [index, item] of input.entries()) {
    const key = canonicalJson(item);
    const first = seen.get(key);
    seen.set(key, first ?? index);
    if (first === undefined) continue;
    const message = `its items must differ, and item ${index + 1} says the same as item ${first + 1}`;
    issues.push({ code: "custom", message, input });
  }
};

export function membersWithin(least: number, most: number): Check<Record<string, unknown>> {
  return ({ value: input, issues }) => {
    const count = Object.keys(input).length;
    const bound =
      count < least ? `at least ${least}` : count > most ? `at most ${most}` : undefined;
    if (bound === undefined) return;
    issues.push({
      code: "custom",
      message: `it must have ${bound} fields, but has ${count}`,
      input,
    });
  };
}

export function exactlyOne(options: readonly z.ZodType[]): Check<unknown> {
  return ({ value: input, issues }) => {
    const count = options.filter((option) => option.safeParse(input).success).length;
    if (count === 1) return;
    const message = `it must fit exactly one of the allowed forms, but fits ${count}`;
    issues.push({ code: "custom", message, input });
  };
}

/** An intersection forgives fields that only one of its sides forbids; JSON Schema does not. */
export function eachOf(parts: readonly z.ZodType[]): Check<unknown> {
  return ({ value, issues }) => {
    for (const issue of parts.flatMap((part) => part.safeParse(value).error?.issues ?? [])) {
      if (issue.code !== "unrecognized_keys") continue;
      const { code, keys, path } = issue;
      issues.push({ code, keys, path, input: { value } });
    }
  };
}
