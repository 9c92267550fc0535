/** Exchanges as operations give them: what was sent, what came back, what was made of it, what it cost. */

import { z } from "zod";
import { asOfField, jsonValue, pageOf } from "../../kernel/operation/operation-fields.ts";

export const exchangeSummary = z.object({
  id: z.string(),
  runId: z.string(),
  step: z.string(),
  item: z.string().optional(),
  attempt: z.number(),
  continuation: z.number().describe("0 for the first call of a reply."),
  model: z.string(),
  contract: z.string(),
  outcome: z
    .enum(["open", "answered", "failed", "lost"])
    .describe("`lost`: sent, but its worker died before the end."),
  loss: z.string().optional().describe("How far the reading is from the writing, if at all."),
  failure: z.string().optional(),
  inputTokens: z.number().optional(),
  outputTokens: z.number().optional(),
  cachedTokens: z.number().optional(),
  costMicroUsd: z.number().optional().describe("Absent when the price or the use is not known."),
  isCostEstimated: z.boolean(),
  createdAt: z.number(),
  finishedAt: z.number().optional(),
});

export const exchangeList = pageOf(exchangeSummary);

const repairShape = z.object({
  step: z.string(),
  path: z.string(),
  offset: z.number().optional(),
  before: z.string(),
  after: z.string(),
  sentence: z.string(),
  loss: z.string(),
});

export const readingShape = z.object({
  loss: z.string().optional(),
  failure: z.string().optional(),
  repairs: z.array(repairShape).optional(),
  problems: z
    .array(z.object({ code: z.string(), path: z.string(), message: z.string() }))
    .optional(),
});

export const exchangeDetail = z.object({
  exchange: exchangeSummary,
  projectId: z.string().optional(),
  messages: z
    .array(z.object({ role: z.string(), text: z.string() }))
    .readonly()
    .describe("The prompt as it was sent; empty once pruned."),
  promptHash: z.string(),
  trace: jsonValue.optional().describe("Why the prompt says what it says."),
  reply: z.string().optional().describe("As it came; so far, while the exchange is open."),
  replyHash: z.string().optional(),
  finish: z.string().optional().describe("Why the model stopped."),
  rawFinish: z.string().optional(),
  reading: readingShape.optional().describe("Absent when it was read without a change."),
  isPruned: z.boolean(),
  isMasked: z.boolean().describe("A passage redacted since is not shown."),
  asOf: asOfField,
});

export const exchangeDiff = z.object({
  before: exchangeSummary,
  after: exchangeSummary,
  isMasked: z.boolean().describe("A passage redacted since is not shown; the parts are left out."),
  counts: z.record(z.string(), z.number()).describe("How many parts came, went, changed, moved."),
  characters: z.number().describe("Negative when the later one is shorter."),
  parts: z
    .array(
      z.object({
        part: z.string(),
        layer: z.string(),
        change: z.enum(["same", "moved", "changed", "added", "removed"]),
        type: z.string().optional(),
        id: z.string().optional(),
        before: z.string().optional().describe("Why it was in or out before."),
        after: z.string().optional().describe("Why it is in or out now."),
      }),
    )
    .readonly()
    .describe("Empty where one of the two does not say what it was made of."),
  lines: z
    .array(
      z.object({
        change: z.enum(["same", "added", "removed"]),
        text: z.string(),
        mark: z
          .object({ start: z.number(), end: z.number() })
          .optional()
          .describe("In a changed line the stretch that its counterpart does not have."),
      }),
    )
    .readonly(),
  asOf: asOfField,
});
