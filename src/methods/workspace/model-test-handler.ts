/** The one turn of `model test`: as small a call as there is, made and recorded like any other, and never tried again. */

import { z } from "zod";
import { hashText } from "../../kernel/base/hash.ts";
import { defineContract } from "../../kernel/contract/contract.ts";
import type { TurnHandler } from "../../kernel/run/handler.ts";

export const MODEL_TEST = "model.test";

const input = z.object({ model: z.string() });

const contract = defineContract({
  name: "model.test",
  schema: z.object({ reply: z.string() }),
  textAs: "reply",
});

const PROMPT = "This is a test of the connection. Reply with the single word: ready";

/** Room for models that think before they speak. */
const MOST_TOKENS = 512;

export const modelTestHandler: TurnHandler = {
  kind: "turn",
  name: MODEL_TEST,
  lane: (given) => `model:${input.parse(given).model}`,
  *compile(job) {
    yield* [];
    return {
      model: input.parse(job.input).model,
      contract,
      prompt: { messages: [{ role: "user", text: PROMPT }], hash: hashText(PROMPT), trace: null },
      settings: {
        maxOutputTokens: MOST_TOKENS,
        reasoning: "low",
        maxAttempts: 1,
        maxContinuations: 0,
      },
    };
  },
  *accept(_job, { exchangeId }) {
    yield* [];
    return { run: { end: { state: "completed", result: { exchangeId } } } };
  },
  *giveUp(_job, { reason }) {
    yield* [];
    return { run: { end: { state: "failed", reason } } };
  },
};
