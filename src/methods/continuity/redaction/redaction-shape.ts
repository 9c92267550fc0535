/** Redactions as operations give them. The words they cover are never among them. */

import { z } from "zod";
import { asOfField, pageOf } from "../../../kernel/operation/operation-fields.ts";
import { HOLDING_KINDS } from "./held-words.ts";

export const redactionShape = z.object({
  id: z.string(),
  projectId: z.string(),
  projectName: z.string().optional(),
  kind: z.enum(["conversation", "message", "span"]),
  conversationId: z.string(),
  messageId: z.string().optional(),
  span: z.object({ start: z.number(), end: z.number() }).optional(),
  reason: z.string(),
  createdBy: z.string(),
  createdByName: z.string().optional(),
  createdAt: z.number(),
});

export const redactionList = pageOf(redactionShape);

export const purgedShape = z.object({
  packets: z.number(),
  harvests: z.number(),
  artifacts: z.number(),
  exchanges: z.number(),
  runs: z.number(),
  open: z.number().describe("Exchanges and runs still under way; purge again when they are over."),
  repeats: z.number().describe("Answers that were kept to be repeated for the same request."),
});

export const addedRedactions = z.object({
  redactions: z.array(redactionShape).readonly(),
  holdings: z
    .number()
    .describe(
      "Packets, harvests, artifacts, exchanges and runs that hold it from before and were not purged.",
    ),
  purged: purgedShape.optional(),
  asOf: asOfField,
});

export const holdingList = z.object({
  holdings: z
    .array(
      z.object({
        kind: z.enum(HOLDING_KINDS),
        id: z.string(),
        createdAt: z.number(),
        isOpen: z.boolean(),
      }),
    )
    .readonly(),
  isMore: z.boolean(),
  asOf: asOfField,
});
