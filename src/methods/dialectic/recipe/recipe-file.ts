/** What one stage of one domain does: `dialectic/recipes/<domain>/<stage>.json`. */

import { z } from "zod";
import { nameOfKey, writtenText } from "./document-file.ts";

export const GRANULARITIES = [
  "all_to_one",
  "per_source_document",
  "per_source_document_by_lineage",
  "pairwise_by_origin",
  "per_model",
  "per_source_group",
] as const;

export type Granularity = (typeof GRANULARITIES)[number];

export const INPUT_TYPES = [
  "document",
  "contribution",
  "feedback",
  "header_context",
  "seed_prompt",
  "project_resource",
] as const;

export type InputType = (typeof INPUT_TYPES)[number];

const stepName = z
  .string()
  .regex(/^[a-z][a-z0-9_-]{0,79}$/, "A step's key has lower-case letters, digits, - and _");

const promptName = z.string().regex(/^[A-Za-z0-9_][\w.-]*$/, "A prompt is named by its file");

/** Where an input comes from. `project` is the stage of what belongs to no stage. */
const inputRule = z.strictObject({
  type: z.enum(INPUT_TYPES),
  stage: nameOfKey,
  documentKey: nameOfKey,
  required: z.boolean().default(true),
  /** All of them, over all slots: nothing starts before the last is there. */
  multiple: z.boolean().default(false),
  /** `previous`: what the iteration before left, so a document may read its own last version. */
  from: z.enum(["current", "previous"]).default("current"),
});

/** Without a type it is about the input of that key which is no feedback. */
const relevanceRule = z.strictObject({
  documentKey: nameOfKey,
  relevance: z.number().min(0).max(1),
  type: z.enum(INPUT_TYPES).optional(),
  stage: nameOfKey.optional(),
});

const recipeStep = z.strictObject({
  key: stepName,
  name: writtenText,
  objective: writtenText,
  promptType: z.enum(["Planner", "Turn"]),
  /** The file `dialectic/prompts/<domain>/<promptTemplate>.md`. */
  promptTemplate: promptName,
  inputsRequired: z.array(inputRule).min(1),
  inputsRelevance: z.array(relevanceRule),
  outputType: z.enum(["HeaderContext", "RenderedDocument", "AssembledDocumentJson"]),
  outputDescription: writtenText,
  documentKey: nameOfKey,
  /** The file `dialectic/documents/<domain>/<schema>.json`; named like the document key unless given. */
  schema: nameOfKey.optional(),
  /** Any text: an unknown one is told with the known ones beside it. */
  granularity: z.string(),
});

export const recipeFile = z.strictObject({
  /** As others cite it, such as `thesis_v1`. */
  name: nameOfKey,
  stage: nameOfKey,
  title: writtenText,
  description: writtenText,
  /** The base of the seed prompt: `dialectic/prompts/<domain>/<seedTemplate>.md`. */
  seedTemplate: promptName,
  steps: z.array(recipeStep).min(1),
});

export type RecipeFile = z.output<typeof recipeFile>;
export type RecipeStep = z.output<typeof recipeStep>;
export type InputRule = z.output<typeof inputRule>;
export type RelevanceRule = z.output<typeof relevanceRule>;
