/** Harvests as operations take and give them. */

import { z } from "zod";
import { asOfField, pageOf } from "../../../kernel/operation/operation-fields.ts";
import { PACKET_STATUSES } from "../packet/packet-tables.ts";
import { CANDIDATE_STATUSES, HARVEST_KINDS, HARVEST_STATES, OUTCOMES } from "./harvest-tables.ts";
import { MATCH_KINDS } from "./matching/match-kinds.ts";
import { CANDIDATE_TYPES } from "./reading/candidate-types.ts";

const countsShape = z.object({
  proposed: z.number(),
  accepted: z.number(),
  skipped: z.number(),
});

export const harvestHead = z.object({
  id: z.string(),
  kind: z.enum(HARVEST_KINDS).describe("Out of an answer to a packet, or out of a conversation."),
  packetId: z.string().optional(),
  packetName: z.string().optional(),
  conversationId: z.string().optional(),
  title: z.string().describe("What the packet or the conversation is about."),
  projectId: z.string().optional(),
  projectName: z.string().optional(),
  runId: z.string().optional(),
  exchangeId: z.string().optional(),
  state: z.enum(HARVEST_STATES),
  readBy: z.string().describe("By what the candidates were recognised."),
  notes: z.array(z.string()).readonly(),
  counts: countsShape,
  undoneAt: z.number().optional(),
  purgedAt: z.number().optional(),
  createdBy: z.string(),
  createdByName: z.string().optional(),
  version: z.number(),
  createdAt: z.number(),
  updatedAt: z.number(),
});

export const harvestList = pageOf(harvestHead);

const diffLine = z.object({
  change: z.enum(["same", "added", "removed"]),
  text: z.string(),
});

const madeShape = z.object({
  outcome: z.enum(OUTCOMES).describe("`linked` was there already: nothing was written."),
  type: z.enum(CANDIDATE_TYPES),
  id: z.string(),
});

/** The choices that a candidate leaves, as fields of `harvest.review`. */
export const REVIEW_FIELDS = ["accept", "edit", "supersede", "keepBoth", "skip"] as const;

export const candidateShape = z.object({
  number: z.number().describe("Its name within the harvest."),
  type: z.enum(CANDIDATE_TYPES),
  title: z.string().optional().describe("A task's or decision's title, a highlight's label."),
  text: z.string().describe("A task's description, a decision's or highlight's content."),
  isBlocker: z.boolean(),
  isOpenLoop: z.boolean(),
  quote: z
    .object({
      text: z.string(),
      start: z.number(),
      end: z.number(),
      messageId: z.string().optional(),
    })
    .describe("The words it was read from, and where in the answer or the message they stand."),
  match: z.object({
    kind: z.enum(MATCH_KINDS),
    reason: z.string(),
    type: z.enum(CANDIDATE_TYPES).optional(),
    id: z.string().optional(),
    title: z.string().optional(),
    diff: z
      .array(z.object({ field: z.enum(["title", "text"]), lines: z.array(diffLine).readonly() }))
      .readonly()
      .optional()
      .describe("What accepting an update would change."),
  }),
  status: z.enum(CANDIDATE_STATUSES),
  made: madeShape.optional(),
  choices: z.array(z.enum(REVIEW_FIELDS)).readonly(),
});

export const harvestDetail = z.object({
  harvestId: z.string(),
  harvest: harvestHead,
  advice: z.string().optional().describe("What the answer recommends."),
  candidates: z.array(candidateShape).readonly(),
  asOf: asOfField,
});

export const readHarvest = harvestDetail.extend({
  isNew: z.boolean().describe("False when this answer was read before."),
  review: z
    .object({
      accepted: z.array(madeShape.extend({ number: z.number() })).readonly(),
      lookAgain: z.array(z.object({ number: z.number(), reason: z.string() })).readonly(),
    })
    .optional()
    .describe("What accepting everything did."),
});

export const reviewedHarvest = harvestDetail.extend({
  accepted: z.array(madeShape.extend({ number: z.number() })).readonly(),
  skipped: z.array(z.number()).readonly(),
  lookAgain: z
    .array(z.object({ number: z.number(), reason: z.string() }))
    .readonly()
    .describe("Not written: something changed since, or a choice is needed."),
  packetStatus: z.enum(PACKET_STATUSES).optional(),
});

export const undoneHarvest = z.object({
  harvestId: z.string(),
  harvest: harvestHead,
  takenBack: z.array(madeShape).readonly(),
  gone: z
    .array(z.object({ type: z.enum(CANDIDATE_TYPES), id: z.string() }))
    .readonly()
    .describe("Deleted by somebody in the meantime."),
  packetStatus: z.enum(PACKET_STATUSES).optional(),
  asOf: asOfField,
});
