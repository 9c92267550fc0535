/** Decisions as operations give them. */

import { z } from "zod";
import { asOfField, pageOf } from "../../kernel/operation/operation-fields.ts";
import { sourceShape } from "../../kernel/operation/thought-origin.ts";

export const decisionShape = z.object({
  id: z.string(),
  title: z.string(),
  content: z.string(),
  projectId: z.string().optional(),
  projectName: z.string().optional(),
  conversationId: z.string().optional(),
  messageId: z.string().optional(),
  supersedesId: z.string().optional(),
  source: sourceShape.optional(),
  isInactive: z.boolean().describe("Archived, or superseded by a later one."),
  createdBy: z.string(),
  version: z.number(),
  createdAt: z.number(),
  updatedAt: z.number(),
});

export const decisionList = pageOf(decisionShape);

export const decisionDetail = z.object({
  decision: decisionShape,
  createdByName: z.string().optional(),
  supersededBy: z.array(z.object({ id: z.string(), title: z.string() })).readonly(),
  asOf: asOfField,
});
