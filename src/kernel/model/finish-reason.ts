/** Providers' many words for why a model stopped, brought down to the few that decide what happens next. */

export type FinishReason =
  | "stop"
  | "length"
  | "content_filter"
  | "tool"
  | "error"
  /** The stream ended without saying that the reply is whole. */
  | "cut"
  | "unknown";

const REASONS: ReadonlyMap<string, FinishReason> = new Map<string, FinishReason>([
  ["stop", "stop"],
  ["stop_sequence", "stop"],
  ["end_turn", "stop"],
  ["eos", "stop"],
  ["eos_token", "stop"],
  ["completed", "stop"],
  ["length", "length"],
  ["max_tokens", "length"],
  ["max_output_tokens", "length"],
  ["content_truncated", "length"],
  ["token_limit", "length"],
  ["model_length", "length"],
  ["model_context_window_exceeded", "length"],
  ["content_filter", "content_filter"],
  ["content_filtered", "content_filter"],
  ["refusal", "content_filter"],
  ["safety", "content_filter"],
  ["recitation", "content_filter"],
  ["blocklist", "content_filter"],
  ["prohibited_content", "content_filter"],
  ["spii", "content_filter"],
  ["tool", "tool"],
  ["tool_use", "tool"],
  ["tool_calls", "tool"],
  ["function_call", "tool"],
  ["error", "error"],
  ["failed", "error"],
  ["malformed_function_call", "error"],
  ["interrupted", "cut"],
  ["cut", "cut"],
]);

/** No word at all means the stream ended early: that is a cut, so that half a reply never passes as whole. */
export function normalizeFinishReason(raw: string | undefined): FinishReason {
  if (raw === undefined) return "cut";
  return REASONS.get(raw.trim().toLowerCase().replaceAll("-", "_")) ?? "unknown";
}
