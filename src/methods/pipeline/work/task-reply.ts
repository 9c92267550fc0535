/**
 * What an automated task's reply must be: the sections Status, Summary, Output, Next Action and
 * Metadata, or the same as JSON. The kernel reads it, corrects once, and says what it changed.
 */

import * as z from "zod";
import type { Json, JsonObject } from "../../../kernel/base/json.ts";
import { type Contract, defineContract, type Section } from "../../../kernel/contract/contract.ts";
import { replyAdapter } from "./adapt-reply.ts";
import { outputType } from "./output-schema.ts";
import { MOST_QUESTIONS, questionSchema } from "./question.ts";

export const REPLY_STATUSES = ["SUCCESS", "PARTIAL", "BLOCKED", "FAILED"] as const;
export const NEXT_ACTIONS = ["COMPLETE", "CONTINUE", "ESCALATE", "HOLD"] as const;

const MOST_TAGS = 30;

const anyOutput: z.ZodType<JsonObject> = z.record(z.string(), z.custom<Json>());

const metadataSchema = z.object({
  confidence: z.number().min(0).max(1).optional(),
  suggested_tags: z.array(z.string()).max(MOST_TAGS).optional(),
  suggested_next_stage: z.string().nullable().optional(),
});

function replySchema(output: z.ZodType<JsonObject>) {
  return z
    .object({
      status: z.enum(REPLY_STATUSES),
      /** What follows the word. */
      statusReason: z.string().optional(),
      summary: z.string().min(1),
      /** Absent where the work was not done. */
      output: output.optional(),
      /** What there is of the output of work that was not done. */
      outputSoFar: anyOutput.optional(),
      // Never guessed from prose: it decides what happens next.
      nextAction: z.enum(NEXT_ACTIONS).meta({ idsOf: "next action" }),
      nextActionReason: z.string().optional(),
      metadata: metadataSchema.optional(),
      questions: z.array(questionSchema).max(MOST_QUESTIONS).optional(),
    })
    .superRefine((reply, context) => {
      const { status, nextAction, nextActionReason, questions = [] } = reply;
      if (questions.length > 0 || status === "BLOCKED" || status === "FAILED") return;
      if (reply.output === undefined) {
        context.addIssue({ code: "invalid_type", expected: "object", path: ["output"] });
      }
      if (nextAction === "CONTINUE" && nextActionReason === undefined) {
        const message =
          '"CONTINUE" under Next Action must be followed by a description of the task that should come next';
        context.addIssue({ code: "custom", message });
      }
    });
}

export type TaskReply = Readonly<z.output<ReturnType<typeof replySchema>>>;

const SECTIONS: readonly Section[] = [
  {
    heading: "Status",
    field: "status",
    read: "word",
    rest: "statusReason",
    instruction: "One word: SUCCESS, PARTIAL, BLOCKED or FAILED.",
  },
  {
    heading: "Summary",
    field: "summary",
    read: "text",
    instruction: "One or two sentences: what was accomplished.",
  },
  {
    heading: "Output",
    field: "output",
    read: "json",
    textAs: "text",
    instruction:
      "The work product itself. May be left out when the status is BLOCKED or FAILED, or when you ask questions.",
  },
  {
    heading: "Next Action",
    field: "nextAction",
    read: "word",
    rest: "nextActionReason",
    instruction:
      "One word: COMPLETE, CONTINUE, ESCALATE or HOLD. On the lines below, with CONTINUE the task that should come next, with ESCALATE why a person is needed, with HOLD what you wait for.",
  },
  {
    heading: "Metadata",
    field: "metadata",
    read: "pairs",
    instruction: "JSON in a code fence:",
  },
  {
    heading: "Questions",
    field: "questions",
    read: "json",
    textAs: "text",
    instruction:
      "Only when you cannot go on without an answer from a person; otherwise leave this section out. A JSON list in a code fence:",
  },
];

const contracts = new WeakMap<JsonObject, Contract<TaskReply>>();
const plainContract = contractFor(anyOutput, false);

/** The contract of a step's replies; the same one for the same schema, so what is derived from it is kept. */
export function taskReplyContract(step: {
  readonly outputSchema: JsonObject | undefined;
}): Contract<TaskReply> {
  const { outputSchema } = step;
  if (outputSchema === undefined) return plainContract;
  const known = contracts.get(outputSchema);
  if (known !== undefined) return known;
  const made = contractFor(outputType(outputSchema), true);
  contracts.set(outputSchema, made);
  return made;
}

function contractFor(output: z.ZodType<JsonObject>, hasOutputSchema: boolean): Contract<TaskReply> {
  return defineContract({
    name: "pipeline.task",
    schema: replySchema(output),
    sections: SECTIONS,
    adapt: replyAdapter({ hasOutputSchema }),
  });
}
