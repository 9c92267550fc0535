/** A compiled prompt as a turn sends and keeps it: the messages, and the trace that explains every character. */

import type { Json } from "../base/json.ts";
import type { CompiledPrompt } from "../prompt/compiled-prompt.ts";
import type { TurnPrompt } from "./handler.ts";

export function turnPromptOf(prompt: CompiledPrompt): TurnPrompt {
  const { text: _text, messages, ...trace } = prompt;
  return {
    messages: messages.map(({ role, text }) => ({ role, text, isShared: role === "system" })),
    hash: prompt.hash,
    trace: { ...trace, blocks: messages.map(({ blocks }) => blocks) } as unknown as Json,
  };
}
