/** What a good answer to one request looks like. */

import * as z from "zod";
import { defineContract } from "../../kernel/contract/contract.ts";

export const askAnswerSchema = z.object({
  answer: z.string().min(1).describe("The whole answer as Markdown."),
  confidence: z.number().min(0).max(1).describe("Your honest estimate that the answer holds."),
  followUps: z.array(z.string().min(1)).max(3).describe("What is worth asking or doing next."),
});

export const askContract = defineContract({ name: "ask.answer", schema: askAnswerSchema });
