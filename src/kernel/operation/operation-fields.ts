/** Input and output fields that many operations share, so that they are called and explained the same everywhere. */

import { z } from "zod";
import type { Json } from "../base/json.ts";
import { MAX_PAGE } from "../store/page.ts";

export const pageFields = {
  limit: z.int().min(1).max(MAX_PAGE).default(50).describe("How many at most."),
  cursor: z.string().max(500).optional().describe("`nextCursor` of the page before."),
};

export const orderField = z
  .enum(["newest", "oldest"])
  .default("newest")
  .describe("What comes first.");

/** Archived things are left out of lists unless they are asked for. */
export const archivedField = z
  .enum(["no", "only", "both"])
  .default("no")
  .describe("Whether archived ones are shown.");

export function isArchivedFilter(choice: "no" | "only" | "both"): boolean | "both" {
  return choice === "both" ? "both" : choice === "only";
}

export function idField(noun: string) {
  return z.string().min(1).max(100).describe(`The ${noun}'s id, or a unique beginning of it.`);
}

export const projectField = z
  .string()
  .min(1)
  .max(200)
  .describe("A project: its id, a unique beginning of it, or its name.");

export const userField = z
  .string()
  .min(1)
  .max(320)
  .describe("A person or agent: id, unique beginning, e-mail address, name, or `me`.");

export const expectedVersionField = z
  .int()
  .min(0)
  .optional()
  .describe("Refuse the change unless it is still at this version.");

export const becauseField = z
  .string()
  .min(1)
  .max(500)
  .optional()
  .describe("Why; kept with the change in the event log.");

export const textField = (most: number) => z.string().max(most);
export const titleField = z.string().trim().min(1).max(500);

export const jsonValue = z.custom<Json>(isJson, "must be plain JSON");

/** Every answer that shows times says when it was true. */
export const asOfField = z.number().describe("When this was true, in epoch milliseconds.");

export function pageOf<Item extends z.ZodType>(item: Item) {
  return z.object({
    items: z.array(item),
    nextCursor: z.string().optional(),
    asOf: asOfField,
  });
}

function isJson(value: unknown): value is Json {
  switch (typeof value) {
    case "string":
    case "boolean":
      return true;
    case "number":
      return Number.isFinite(value);
    case "object":
      return value === null || Object.values(value).every(isJson);
    default:
      return false;
  }
}
