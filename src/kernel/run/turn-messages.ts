/**
 * The messages of the second and later calls of a turn. They begin with those of the first, so that caches still
 * match, then show the model what it wrote, and end in a user's turn: current models refuse to go on from an
 * unfinished message of their own.
 */

import { continuationPrompt } from "../contract/continuation-prompt.ts";
import { type Refused, refused } from "../contract/reading.ts";
import { remedyFor } from "../contract/remedy.ts";
import { storableText } from "../store/storable-text.ts";
import type { PromptMessage, TurnPlan, TurnPrompt } from "./handler.ts";

/** The prompt as it can be stored, so that what is sent is what is kept. */
export function storablePrompt(prompt: TurnPrompt): TurnPrompt {
  const messages = prompt.messages.map((message) => ({
    ...message,
    text: storableText(message.text),
  }));
  return { ...prompt, messages };
}

/** Goes on with a reply that was cut. */
export function continueMessages(plan: TurnPlan, soFar: string): readonly PromptMessage[] {
  const { contract, assembly } = plan;
  if (!assembly) return after(plan, soFar, continuationPrompt({ contract, soFar }));
  const reading = assembly.read(soFar, { finish: "cut" });
  const refusal = reading.ok ? refused("truncated", []) : reading;
  return after(plan, soFar, assembly.ask("continue", soFar, refusal));
}

/** Asks again, naming what was wrong. */
export function correctMessages(
  plan: TurnPlan,
  refusal: Refused,
  reply: string,
): readonly PromptMessage[] {
  const { contract, assembly } = plan;
  const asked = assembly
    ? assembly.ask("correct", reply, refusal)
    : remedyFor(contract, refusal, reply).prompt;
  return after(plan, reply, asked);
}

function after(plan: TurnPlan, reply: string, text: string): readonly PromptMessage[] {
  const written: readonly PromptMessage[] =
    reply === "" ? [] : [{ role: "assistant", text: reply }];
  return [...plan.prompt.messages, ...written, { role: "user", text: storableText(text) }];
}
