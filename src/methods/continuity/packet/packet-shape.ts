/** Packets as operations take and give them. */

import { z } from "zod";
import { asOfField, pageOf } from "../../../kernel/operation/operation-fields.ts";
import { CONTEXT_TYPES } from "./context-refs.ts";
import { ORIGIN_TYPES, PACKET_STATUSES, TARGET_TOOLS } from "./packet-tables.ts";
import { budgetSchema } from "./targets.ts";

const wishList = z.array(z.string().min(1).max(120)).max(100).default([]);

export const packetRequest = z.object({
  originType: z
    .enum([...ORIGIN_TYPES, "highlight", "conversation"])
    .describe("What to start from: a project, a task or a decision."),
  originId: z
    .string()
    .min(1)
    .max(200)
    .describe("Its id or a unique beginning; a project also by name."),
  intent: z
    .string()
    .max(4000)
    .optional()
    .describe(
      "What you want, such as `generate_next_actions`; anything unknown is taken as your own words.",
    ),
  customIntent: z
    .string()
    .max(4000)
    .optional()
    .describe("Your own words, with the intent `custom`."),
  targetTool: z.enum(TARGET_TOOLS).default("other").describe("Where you will take it."),
  budget: budgetSchema.optional().describe("Characters it may have; the tool's own unless given."),
  tokenBudget: z.int().min(100).max(500_000).optional().describe("Tokens it may have as well."),
  pin: wishList.describe("Thoughts that must be in: `task:ID`, `decision:ID`, `highlight:ID`."),
  ban: wishList.describe("Thoughts that must be out."),
});

export const contextRefShape = z.object({
  type: z.enum(CONTEXT_TYPES),
  id: z.string(),
  score: z.number().optional(),
  ranges: z
    .array(z.object({ start: z.number(), end: z.number() }))
    .readonly()
    .describe("Character offsets in the text."),
});

export const cutShape = z.object({
  section: z.string(),
  type: z.string().optional(),
  id: z.string().optional(),
  title: z.string().optional(),
  cause: z
    .enum(["budget", "maximum"])
    .describe("Too little room, or the most that an item may have."),
  from: z.number().describe("Characters it has."),
  to: z.number().describe("Characters shown; 0 when it was left out."),
});

export const ledgerShape = z.object({
  section: z.string(),
  outcome: z.enum(["in", "out"]),
  reason: z.string(),
  why: z.string().describe("The reason as a sentence."),
  kind: z.string().optional(),
  type: z.string().optional(),
  id: z.string().optional(),
  title: z.string().optional(),
  score: z.number().optional(),
  terms: z.record(z.string(), z.number()).optional().describe("What the score is the sum of."),
  characters: z.number().optional(),
});

export const countsShape = z.record(
  z.string(),
  z.object({
    chosen: z.number(),
    count: z.number().describe("How many there are."),
    isMore: z.boolean().describe("Counting stopped there: there are more."),
  }),
);

/** What the seed promises first, then what is ours. */
export const packetWords = z.object({
  promptText: z.string(),
  contextRefs: z.array(contextRefShape).readonly(),
  name: z.string().describe("What the packet calls itself; its answer repeats it."),
  hash: z.string(),
  characters: z.number(),
  tokens: z.number(),
  budget: z.number(),
  isTruncated: z.boolean().describe("Something was cut to fit, and the text says so."),
  cuts: z.array(cutShape).readonly(),
  counts: countsShape,
});

export const compiledPacket = packetWords.extend({
  packetId: z.string(),
  title: z.string(),
  intentLabel: z.string().optional(),
  targetLabel: z.string(),
  openUrl: z.string().optional().describe("Where the tool is."),
});

export const previewedPacket = packetWords.extend({
  title: z.string(),
  intentLabel: z.string().optional(),
  targetLabel: z.string(),
  ledger: z.array(ledgerShape).readonly(),
});

export const packetHead = z.object({
  id: z.string(),
  name: z.string(),
  title: z.string(),
  status: z.enum(PACKET_STATUSES),
  originType: z.enum(ORIGIN_TYPES),
  originId: z.string(),
  projectId: z.string().optional(),
  projectName: z.string().optional(),
  intent: z.string().optional(),
  customIntent: z.string().optional(),
  targetTool: z.enum(TARGET_TOOLS),
  hash: z.string(),
  characters: z.number(),
  tokens: z.number(),
  budget: z.number(),
  tokenBudget: z.number().optional(),
  counts: countsShape,
  runId: z.string().optional(),
  exchangeId: z.string().optional(),
  hasAnswer: z.boolean(),
  copiedAt: z.number().optional(),
  answeredAt: z.number().optional(),
  harvestedAt: z.number().optional(),
  abandonedAt: z.number().optional(),
  purgedAt: z.number().optional(),
  createdBy: z.string(),
  createdByName: z.string().optional(),
  version: z.number(),
  createdAt: z.number(),
  updatedAt: z.number(),
});

export const packetList = pageOf(packetHead);

export const packetDetail = z.object({
  packet: packetHead,
  promptText: z.string().optional().describe("Absent once purged."),
  contextRefs: z.array(contextRefShape).readonly(),
  isTruncated: z.boolean(),
  cuts: z.array(cutShape).readonly(),
  ledger: z.array(ledgerShape).readonly(),
  answer: z.string().optional(),
  isMasked: z.boolean().describe("Something that was redacted since is not shown."),
  pin: z.array(z.string()).readonly().describe("What had to be in: `task:ID` and so on."),
  ban: z.array(z.string()).readonly().describe("What had to be out."),
  asOf: asOfField,
});

const diffLine = z.object({
  change: z.enum(["same", "added", "removed"]),
  text: z.string(),
  mark: z.object({ start: z.number(), end: z.number() }).optional(),
});

export const packetDiff = z.object({
  before: packetHead,
  after: packetHead,
  counts: z.record(z.string(), z.number()),
  characters: z.number().describe("Negative when the later one is shorter."),
  parts: z
    .array(
      z.object({
        section: z.string(),
        change: z.enum(["same", "moved", "changed", "added", "removed"]),
        type: z.string().optional(),
        id: z.string().optional(),
        title: z.string().optional(),
        before: z.string().optional().describe("Why it was in or out before."),
        after: z.string().optional().describe("Why it is in or out now."),
      }),
    )
    .readonly(),
  lines: z.array(diffLine).readonly(),
  asOf: asOfField,
});
