/** Sending a packet to a model: one turn, whose whole reply is kept with the packet. */

import { z } from "zod";
import type { Json } from "../../../kernel/base/json.ts";
import type { EffectKind, TurnHandler } from "../../../kernel/run/handler.ts";
import { turnPromptOf } from "../../../kernel/run/turn-prompt.ts";
import { answerContract } from "./answer-contract.ts";
import { getPacket, keepAnswer, requirePrompt } from "./packets.ts";
import { requireShowable } from "./shown-packets.ts";

export const SEND_TURN = "continuity.send";
const ANSWERED = "continuity.answered";

const sendInput = z.object({ packetId: z.string(), model: z.string() });
export type SendInput = z.output<typeof sendInput>;

export const sendHandler: TurnHandler = {
  kind: "turn",
  name: SEND_TURN,
  lane: (input) => `model:${sendInput.parse(input).model}`,
  *compile(job) {
    const { packetId, model } = sendInput.parse(job.input);
    const packet = yield* getPacket(packetId, "everything");
    // What was redacted since the run was started stays here.
    const prompt = yield* requireShowable(packet, requirePrompt(packet));
    return {
      model,
      prompt: turnPromptOf(prompt),
      contract: answerContract,
      settings: { maxOutputTokens: 8192 },
    };
  },
  *accept(job, { exchangeId, text }) {
    const { packetId } = sendInput.parse(job.input);
    const data: Json = { packetId, text };
    return {
      effects: [{ key: `answer ${exchangeId}`, kind: ANSWERED, data }],
      run: { end: { state: "completed", result: { packetId, exchangeId } } },
    };
  },
};

const answered = z.object({ packetId: z.string(), text: z.string() });

export const answeredEffect: EffectKind = {
  kind: ANSWERED,
  *apply({ data, job, exchangeId, now }) {
    const { packetId, text } = answered.parse(data);
    const answer = { runId: job.runId, exchangeId: exchangeId ?? "", text };
    yield* keepAnswer(packetId, answer, { actor: job.startedBy, now });
  },
};
