/** The packages fill gaps in usage with 0; we keep only what the provider really told. */

import type { LanguageModelV4Usage } from "@ai-sdk/provider";
import type { Usage } from "../../kernel/model/model-provider.ts";

const INPUT = ["input_tokens", "prompt_tokens", "promptTokenCount"];
const OUTPUT = ["output_tokens", "completion_tokens", "candidatesTokenCount", "thoughtsTokenCount"];
const CACHED = ["cached_tokens", "cache_read_input_tokens", "cachedContentTokenCount"];
const CACHE_WRITE = ["cache_write_tokens", "cache_creation_input_tokens"];
const REASONING = ["reasoning_tokens", "thinking_tokens", "thoughtsTokenCount"];

export function reportedUsage({ inputTokens, outputTokens, raw }: LanguageModelV4Usage): Usage {
  const told = toldNames(raw);
  const keep = (names: readonly string[], value: number | undefined) =>
    value !== undefined && names.some((name) => told.has(name)) ? value : undefined;
  return withoutGaps({
    inputTokens: keep(INPUT, inputTokens.total),
    outputTokens: keep(OUTPUT, outputTokens.total),
    cachedInputTokens: keep(CACHED, inputTokens.cacheRead),
    cacheWriteTokens: keep(CACHE_WRITE, inputTokens.cacheWrite),
    reasoningTokens: keep(REASONING, outputTokens.reasoning),
  });
}

/** Names of all numbers in the raw report, wherever they are nested. */
function toldNames(raw: unknown, names = new Set<string>()): ReadonlySet<string> {
  if (typeof raw !== "object" || raw === null) return names;
  for (const [name, value] of Object.entries(raw)) {
    if (typeof value === "number") names.add(name);
    else toldNames(value, names);
  }
  return names;
}

function withoutGaps(usage: { [Key in keyof Usage]: number | undefined }): Usage {
  return Object.fromEntries(Object.entries(usage).filter(([, value]) => value !== undefined));
}
