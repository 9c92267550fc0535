/** Highlights as operations give them. */

import { z } from "zod";
import { asOfField, pageOf } from "../../kernel/operation/operation-fields.ts";
import { sourceShape } from "../../kernel/operation/thought-origin.ts";

export const highlightShape = z.object({
  id: z.string(),
  content: z.string(),
  label: z.string().optional(),
  projectId: z.string().optional(),
  projectName: z.string().optional(),
  conversationId: z.string().optional(),
  messageId: z.string().optional(),
  span: z.object({ start: z.number(), end: z.number() }).optional(),
  source: sourceShape.optional(),
  isInactive: z.boolean(),
  createdBy: z.string(),
  version: z.number(),
  createdAt: z.number(),
  updatedAt: z.number(),
});

export const highlightList = pageOf(highlightShape);

export const highlightDetail = z.object({
  highlight: highlightShape,
  createdByName: z.string().optional(),
  asOf: asOfField,
});
