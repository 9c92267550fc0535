/** Digests as operations give them. */

import { z } from "zod";
import { asOfField, pageOf } from "../../../kernel/operation/operation-fields.ts";
import { digestOutline, FACT_SECTIONS } from "./digest-outline.ts";

const countsShape = digestOutline.shape.counts;

const periodFields = {
  projectId: z.string(),
  projectName: z.string(),
  since: z.number(),
  until: z.number(),
};

export const factShape = z.object({
  section: z.enum(FACT_SECTIONS),
  type: z.enum(["task", "decision"]),
  id: z.string(),
  title: z.string(),
  detail: z.string(),
  at: z.number().describe("When it happened; for what still blocks, since when it is there."),
});

export const madeDigest = z.object({
  ...periodFields,
  state: z
    .string()
    .describe(
      "That of the run; `unchanged` where there was nothing to tell and no model was asked.",
    ),
  runId: z.string().optional(),
  digestId: z.string().optional().describe("The artifact; absent as long as there is none."),
  text: z.string().optional().describe("Markdown."),
  reason: z.string().optional().describe("Why there is none."),
  counts: countsShape,
  asOf: asOfField,
});

export const digestFacts = z.object({
  ...periodFields,
  facts: z.array(factShape).readonly(),
  counts: countsShape,
  withheld: z.number().describe("Deleted or redacted meanwhile."),
  text: z.string().describe("The same as Markdown."),
  asOf: asOfField,
});

export const digestHead = z.object({
  id: z.string(),
  ...periodFields,
  counts: countsShape,
  runId: z.string().optional(),
  createdAt: z.number(),
});

export const digestList = pageOf(digestHead);

export const digestDetail = z.object({
  digest: digestHead,
  text: z
    .string()
    .optional()
    .describe("Markdown; absent where it tells of something redacted since, or was pruned."),
  isMasked: z.boolean().describe("Something that was redacted since is not shown."),
  asOf: asOfField,
});
