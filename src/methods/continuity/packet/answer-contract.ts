/** What a model's answer to a packet looks like. It is read by its groups and never refused for its form. */

import { z } from "zod";
import { defineContract } from "../../../kernel/contract/contract.ts";

const bullets = z.array(z.string().min(1)).optional();

export const answerSchema = z.object({
  answer: z.string().min(1).describe("What is recommended, with the reason that carries it."),
  nextSteps: bullets.describe("Actions, each beginning with its verb."),
  decisions: bullets.describe("What to settle, what to choose, and why."),
  insights: bullets.describe("Findings that should outlive the chat."),
});

export const answerContract = defineContract({
  name: "continuity.answer",
  schema: answerSchema,
  sections: [
    { heading: "Answer", field: "answer", read: "text" },
    { heading: "Next steps", field: "nextSteps", read: "list" },
    { heading: "Decisions", field: "decisions", read: "list" },
    { heading: "Insights", field: "insights", read: "list" },
  ],
  textAs: "answer",
});
