/**
 * What replies are made of. The same shapes are made twice: closed, with exactly the ids a call shows, for prompts and
 * contracts; and open, with any text as id, to take a reply apart that breaks its contract and judge it item by item.
 */

import { z } from "zod";
import { closedIds } from "../../../kernel/contract/closed-ids.ts";
import {
  COLLAB_KINDS,
  FINDING_CATEGORIES,
  ON_TRACK,
  PRODUCT_TYPES,
} from "../state/team-records.ts";
import { type Allowed, NOTHING_ALLOWED } from "./allowed.ts";

type Ids = (noun: string, shown: readonly string[]) => z.ZodType<string>;

/** New products have no id yet: they are called by these until the reply is accepted. */
export const NEW_IDS = ["new-1", "new-2", "new-3", "new-4", "new-5", "new-6"] as const;

const note = z.string().trim().min(1).max(2000);
const short = z.string().trim().min(1).max(300);
const markdown = z.string().trim().min(1).max(60_000);
const level = (meaning: string) => z.int().min(1).max(10).describe(meaning);

export const reasoning = z
  .string()
  .trim()
  .min(1)
  .max(8000)
  .describe("First: how you came to what follows, as Markdown. Nobody acts on it.");
export const noteToSelf = z
  .string()
  .trim()
  .max(1000)
  .describe("What you want to remember next round.");

function shapesOf(ids: Ids, allowed: Allowed) {
  const trace = z
    .array(ids("source", allowed.refs))
    .min(1)
    .max(12)
    .describe("What this rests on: ids shown to you.");
  const products = z.array(ids("product", allowed.products)).max(12);
  const reason = note.describe("Why.");
  const decisionId = ids("decision", allowed.decisions)
    .nullable()
    .describe("The decision that caused it, or null.");

  const directive = {
    operativeId: ids("operative", allowed.operatives),
    importance: level("1 to 10, for the mission as a whole."),
    objective: note.describe(
      "What this version is to achieve, so that its writer knows when it is done.",
    ),
    motivationNote: note.describe("Why it matters that this member does it now."),
    dueRound: z.int().min(1).max(100).describe("The round by whose end it must be done."),
    operativeNote: z.object({
      specialties: z
        .array(short)
        .min(1)
        .max(6)
        .describe("Which of their skills to use, and on what."),
      whatIsLeft: z.array(short).min(1).max(10).describe("Named parts that are still to do."),
      onTrack: z.enum(ON_TRACK),
      satisfaction: z.object({ level: z.int().min(1).max(5), because: note }),
      biggerPicture: note.describe("How it serves the objectives."),
      componentImportance: note.describe("What fails if this product is weak."),
    }),
    relevantProductIds: products.describe("Shown to the writer in brief."),
    highlyRelevantProductIds: products.describe("Shown with their current version."),
    referencedProductIds: products.describe("Shown with their latest version, to be built upon."),
    trace,
  };

  const shared = { reason, decisionId, trace };
  const productId = ids("product", allowed.products);
  const versionId = ids("version", allowed.versions);
  const add = z.object({
    action: z.literal("add"),
    newId: z.enum(NEW_IDS).describe("What you call it within this reply."),
    parentId: ids("parent product", [...allowed.parents, ...NEW_IDS])
      .nullable()
      .describe("null puts it below the whole."),
    name: z.string().trim().min(3).max(120),
    type: z.enum(PRODUCT_TYPES),
    description: note,
    definitionOfDone: z
      .array(short)
      .min(1)
      .max(6)
      .describe("Each can be checked by reading the product."),
    ownerId: ids("operative", allowed.operatives).nullable(),
    ...shared,
    assignment: z
      .object(directive)
      .nullable()
      .describe("To have it written in this round; else null."),
  });
  const remove = z.object({ action: z.literal("remove"), productId, ...shared });
  const reparent = z.object({
    action: z.literal("reparent"),
    productId,
    parentId: ids("parent product", allowed.parents),
    ...shared,
  });
  const changeParam = z.object({
    action: z.literal("change_param"),
    productId,
    set: z
      .object({
        name: z.string().trim().min(3).max(120),
        type: z.enum(PRODUCT_TYPES),
        description: note,
        definitionOfDone: z.array(short).min(1).max(8),
        ownerId: ids("operative", allowed.operatives),
        summary: note,
      })
      .partial()
      .describe("Only what changes."),
    ...shared,
  });
  const accept = z.object({
    action: z.literal("accept"),
    productId: ids("product ready to be accepted", allowed.acceptable),
    ...shared,
  });
  const reject = z.object({ action: z.literal("reject"), productId, ...shared });
  const selectVersion = z.object({
    action: z.literal("select_version"),
    productId,
    versionId,
    ...shared,
  });

  return {
    mission: z.object({
      statement: z.string().trim().min(1).max(1000).describe("One sentence."),
      charter: z
        .string()
        .trim()
        .min(1)
        .max(8000)
        .describe("What is to be achieved, for whom, by what standard. Markdown."),
      objectives: z.array(short).min(1).max(8),
      constraints: z.array(short).min(1).max(12),
    }),
    persona: z.object({
      memberId: ids("member", allowed.members),
      text: z
        .string()
        .trim()
        .min(40)
        .max(2500)
        .describe("Who they are on this mission, in the second person."),
      motivation: note.describe("Why this mission matters to them in particular."),
    }),
    missingDetail: z.object({
      question: short,
      blocking: z
        .boolean()
        .describe("true only where work done without the answer would be thrown away."),
      options: z.array(short).max(6),
    }),
    reflection: z.object({
      productId,
      note: note.describe("Where the product stands and what you would do about it."),
      nextVersionDelta: note.describe("What the next version changes."),
      parts: z
        .array(
          z.object({
            name: short,
            status: z.enum(["done", "in_progress", "blocked"]),
            next: short,
          }),
        )
        .min(1)
        .max(10)
        .describe("The work, broken into named parts."),
      structuralRequests: z
        .array(short)
        .max(5)
        .describe("What you would ask the chair to add, move or remove."),
      confidence: z.number().min(0).max(1),
      trace,
    }),
    criterionStatus: z.object({
      criterionId: ids("criterion", allowed.criteria),
      status: z.enum(["met", "partial", "missing"]),
      evidence: note.describe("Where in the product this can be seen."),
    }),
    collabAnswer: z.object({
      collabId: ids("comment", allowed.collabs),
      action: z.enum(["accept", "defer", "reject"]),
      rationale: note,
      plannedChange: z.string().trim().max(1000).nullable(),
    }),
    directiveAnswer: z.object({
      directiveId: ids("directive", allowed.directives),
      status: z.enum(["fulfilled", "partial", "unfulfilled"]),
      evidence: note,
      recovery: z
        .string()
        .trim()
        .max(1000)
        .nullable()
        .describe("What is still to be done, if anything."),
    }),
    objective: z.object({
      objectiveId: ids("objective", allowed.objectives),
      progress: z.enum(["none", "some", "good", "done"]),
      note,
    }),
    action: z.discriminatedUnion("action", [
      add,
      remove,
      reparent,
      changeParam,
      accept,
      reject,
      selectVersion,
    ]),
    actions: { add, remove, reparent, changeParam, accept, reject, selectVersion },
    assignment: z.object({
      productId: ids("product to be written", allowed.assignable),
      ...directive,
    }),
    personalNote: z.object({ memberId: ids("member", allowed.members), note }),
    halt: z.object({
      kind: z.enum(["question", "done"]),
      message: note.describe("What you ask the person you work for, or why the mission is met."),
      options: z.array(short).max(6),
    }),
    version: z.object({
      productId: ids("product assigned to you", allowed.assignable),
      content: markdown.min(40).describe("The whole product as it now reads, as Markdown."),
      changeSummary: note.describe("What changed since the last version, and why."),
      lastDirectiveId: ids("directive", allowed.directives).describe("The directive it answers."),
      reflectionNote: note.describe("What you would look at first if you had another round."),
      addressed: z
        .array(z.object({ collabId: ids("comment", allowed.collabs), how: short }))
        .max(30)
        .default([])
        .describe("Comments that this version settles."),
      trace,
    }),
    comment: z.object({
      comment: note.describe("One point, with the passage it is about and what would settle it."),
      kind: z.enum(COLLAB_KINDS).exclude(["agreement"]),
      importance: level("8 and more keeps the product from being accepted."),
      respondsTo: ids("comment", allowed.collabs).nullable(),
      trace,
    }),
    inspection: z.object({
      versionId,
      summary: note.describe(
        "What the version is, and in which order its parts should be put right.",
      ),
      trace,
    }),
    criterionResult: z.object({
      criterionId: ids("criterion", allowed.criteria),
      passes: z.boolean(),
      evidence: note.describe("The place that shows it, or what is missing."),
    }),
    finding: z.object({
      about: ids("version or criterion", [...allowed.versions, ...allowed.criteria]),
      category: z.enum(FINDING_CATEGORIES),
      severity: level("8 and more blocks, 5 to 7 asks for revision."),
      issue: note.describe("What can be verified, not what you would have liked."),
      recommendation: note,
      trace,
    }),
    message: z.object({
      speakerId: ids("speaker", allowed.speakers),
      text: z.string().trim().min(1).max(600).meta({
        description:
          "Said as that member would say it. Names, numbers and quotations only as they stand in what you cite.",
        examples: PLAIN_MESSAGES,
      }),
      deltaIds: z.array(ids("change of this round", allowed.deltas)).min(1).max(8),
    }),
  };
}

/** Sentences that claim nothing beyond what is cited with them. */
const PLAIN_MESSAGES = [
  "This is what moved since we last spoke; it is all there to be read.",
  "We took this step in this round, and the reasons are written down beside it.",
  "Here is where we stand now, with what changed and who changed it.",
  "This is done for now; what is still open is named where it belongs.",
];

export type Shapes = ReturnType<typeof shapesOf>;

export function closedShapes(allowed: Allowed): Shapes {
  return shapesOf(closedIds, allowed);
}

const anyId: Ids = () => z.string().trim().min(1).max(80);
export const OPEN_SHAPES: Shapes = shapesOf(anyId, NOTHING_ALLOWED);

/** A comment of a person has no call behind it. */
export type CommentShape = z.output<Shapes["comment"]>;
export type DirectiveShape = Omit<z.output<Shapes["assignment"]>, "productId">;
export type ActionShape = z.output<Shapes["action"]>;
