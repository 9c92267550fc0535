/** What a model's proposals out of a conversation look like. Each names a message it was shown and quotes it. */

import { z } from "zod";
import { closedIds } from "../../../kernel/contract/closed-ids.ts";
import { type Contract, defineContract } from "../../../kernel/contract/contract.ts";

const quote = z
  .string()
  .min(1)
  .max(2000)
  .describe("The words it rests on, copied exactly from that message.");

function proposalsSchema(message: z.ZodType<string>) {
  return z.object({
    decisions: z
      .array(
        z.object({
          message,
          quote,
          title: z.string().min(1).max(200).describe("What holds from now on."),
          content: z.string().max(4000).optional().describe("Why."),
        }),
      )
      .max(30),
    tasks: z
      .array(
        z.object({
          message,
          quote,
          title: z
            .string()
            .min(1)
            .max(200)
            .describe("What is to be done, beginning with its verb."),
          description: z.string().max(4000).optional(),
          isBlocker: z.boolean().optional(),
          isOpenLoop: z.boolean().optional(),
        }),
      )
      .max(30),
    highlights: z
      .array(
        z.object({
          message,
          quote,
          label: z.string().max(60).optional().describe("What it is about, in a word or two."),
        }),
      )
      .max(30),
  });
}

export type Proposals = z.output<ReturnType<typeof proposalsSchema>>;

/** `marks` are those of the messages in the prompt: no other can be named. */
export function distillContract(marks: readonly string[]): Contract<Proposals> {
  return defineContract({
    name: "continuity.distill",
    schema: proposalsSchema(closedIds("message", marks)),
  });
}

export function parseProposals(value: unknown): Proposals {
  return proposalsSchema(z.string()).parse(value);
}
