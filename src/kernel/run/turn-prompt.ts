/** A compiled prompt as a turn sends and keeps it: the messages, and the trace that explains every character. */

import type { CompiledPrompt } from "../prompt/compiled-prompt.ts";
import { packTrace } from "../prompt/prompt-trace.ts";
import type { TurnPrompt } from "./handler.ts";

export function turnPromptOf(prompt: CompiledPrompt): TurnPrompt {
  return {
    messages: prompt.messages.map(({ role, text }) => ({
      role,
      text,
      isShared: role === "system",
    })),
    hash: prompt.hash,
    trace: packTrace(prompt),
  };
}
