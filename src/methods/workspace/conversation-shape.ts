/** Conversations and what was said in them, as operations give them. */

import { z } from "zod";
import { asOfField, jsonValue, pageOf } from "../../kernel/operation/operation-fields.ts";
import { MESSAGE_ROLES } from "../../kernel/store/noun-tables.ts";

export const conversationShape = z.object({
  id: z.string(),
  title: z.string(),
  source: z.string().describe("Where it was held, such as `chatgpt` or `markdown`."),
  sourceId: z.string().optional(),
  details: z.record(z.string(), jsonValue),
  isInactive: z.boolean(),
  messageCount: z.number(),
  startedAt: z.number(),
  createdBy: z.string(),
  version: z.number(),
  createdAt: z.number(),
  updatedAt: z.number(),
});

export const conversationList = pageOf(conversationShape.omit({ details: true }));

export const messageShape = z.object({
  id: z.string(),
  conversationId: z.string(),
  role: z.enum(MESSAGE_ROLES),
  position: z.number(),
  content: z.string(),
  at: z.number().optional(),
  isRedacted: z.boolean().describe("Something in it is not shown."),
});

export const conversationDetail = z.object({
  conversation: conversationShape,
  projects: z.array(z.object({ id: z.string(), name: z.string() })).readonly(),
  messages: z.array(messageShape).readonly(),
  nextCursor: z.string().optional().describe("Where the next page of messages begins."),
  asOf: asOfField,
});
