/** The tools packets are carried to: what they are called, where they are, how much they are given. */

import { z } from "zod";
import type { Library } from "../../../kernel/library/library.ts";
import { parseLibraryJson } from "../../../kernel/library/parse-library-json.ts";
import type { TargetTool } from "./packet-tables.ts";

export const LEAST_BUDGET = 500;
export const MOST_BUDGET = 1_000_000;

/** Characters a packet may have. */
export const budgetSchema = z.int().min(LEAST_BUDGET).max(MOST_BUDGET);

const targetFile = z.strictObject({
  label: z.string().trim().min(1).max(60),
  url: z.url({ protocol: /^https$/ }).optional(),
  /** The model family whose tokens are counted. */
  tokenizer: z.string().min(1).max(100),
  budget: budgetSchema,
});

export type Target = z.output<typeof targetFile>;

export function readTarget(library: Library, tool: TargetTool): Target {
  return parseLibraryJson(library.read(`continuity/targets/${tool}.json`), targetFile);
}
