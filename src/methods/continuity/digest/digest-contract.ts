/** What a model says about the facts of a digest. Each line rests on facts it was shown. */

import { z } from "zod";
import { closedIds } from "../../../kernel/contract/closed-ids.ts";
import { type Contract, defineContract } from "../../../kernel/contract/contract.ts";

function digestSchema(mark: z.ZodType<string>) {
  return z.object({
    summary: z.string().min(1).max(2000).describe("Two or three sentences."),
    lines: z
      .array(
        z.object({
          sentence: z.string().min(1).max(600),
          refs: z.array(mark).min(1).max(20).describe("The facts it rests on."),
        }),
      )
      .max(7),
  });
}

export type DigestWords = z.output<ReturnType<typeof digestSchema>>;

export function digestContract(marks: readonly string[]): Contract<DigestWords> {
  return defineContract({
    name: "continuity.digest",
    schema: digestSchema(closedIds("fact", marks)),
  });
}

/** What models are told of the form: the same for every digest, whatever marks its facts have. */
export const digestForm: Contract<DigestWords> = defineContract({
  name: "continuity.digest",
  schema: digestSchema(z.string().describe("The mark in front of a fact, such as `d2` or `t5`.")),
});

export function parseDigestWords(value: unknown): DigestWords {
  return digestSchema(z.string()).parse(value);
}
