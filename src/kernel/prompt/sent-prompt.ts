/** A prompt as it was sent to a model, ready to be compared: its source map laid over the messages. */

import type { CompiledPrompt, PromptMessage, SourceRange } from "./compiled-prompt.ts";
import type { PromptTrace } from "./prompt-trace.ts";

/** What comparing needs of a prompt. */
export type ComparedPrompt = Pick<CompiledPrompt, "text" | "characters" | "sourceMap" | "ledger">;

const BETWEEN = "\n\n";

/** Without a trace, or with one of a method's own, it is only text. */
export function sentPrompt(
  messages: readonly Pick<PromptMessage, "text">[],
  trace: unknown,
): ComparedPrompt {
  const text = messages.map((message) => message.text).join(BETWEEN);
  const whole = { text, characters: text.length };
  if (!isPromptTrace(trace)) return { ...whole, sourceMap: [], ledger: [] };
  const sourceMap: SourceRange[] = [];
  let base = 0;
  for (const [n, message] of messages.entries()) {
    for (const { start, end, textStart } of trace.blocks[n] ?? []) {
      const textEnd = textStart + end - start;
      const shift = base + start - textStart;
      for (const range of trace.sourceMap) {
        const [from, to] = [Math.max(range.start, textStart), Math.min(range.end, textEnd)];
        if (from < to) sourceMap.push({ ...range, start: from + shift, end: to + shift });
      }
    }
    base += message.text.length + BETWEEN.length;
  }
  return { ...whole, sourceMap, ledger: trace.ledger };
}

export function isPromptTrace(trace: unknown): trace is PromptTrace {
  if (typeof trace !== "object" || trace === null) return false;
  const { sourceMap, blocks, ledger } = trace as Partial<PromptTrace>;
  return [sourceMap, blocks, ledger].every((list) => Array.isArray(list));
}
