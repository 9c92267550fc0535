/** The one turn of the method: ask, read the answer, end the run with it. */

import * as z from "zod";
import type { Library } from "../../kernel/library/library.ts";
import type { TurnHandler } from "../../kernel/run/handler.ts";
import { turnPromptOf } from "../../kernel/run/turn-prompt.ts";
import { askAnswerSchema, askContract } from "./ask-contract.ts";
import { compileAsk } from "./ask-prompt.ts";

export const ASK_TURN = "ask.answer";

export const askInputSchema = z.object({
  request: z.string(),
  context: z.string(),
  model: z.string(),
});

export function askHandler(library: Library): TurnHandler {
  return {
    kind: "turn",
    name: ASK_TURN,
    lane: (input) => `model:${askInputSchema.parse(input).model}`,
    *compile(job) {
      const input = askInputSchema.parse(job.input);
      return {
        model: input.model,
        prompt: turnPromptOf(compileAsk(library, input)),
        contract: askContract,
        settings: { maxOutputTokens: 8192 },
      };
    },
    *accept(_job, { value, exchangeId }) {
      const answer = askAnswerSchema.parse(value);
      return { run: { end: { state: "completed", result: { ...answer, exchangeId } } } };
    },
  };
}
