/**
 * The names by which other tools know what we measure. They follow the GenAI conventions of OpenTelemetry, which are
 * still in development: when they change, this file changes.
 */

export const GEN_AI = {
  operation: "gen_ai.operation.name",
  provider: "gen_ai.provider.name",
  requestModel: "gen_ai.request.model",
  finishReasons: "gen_ai.response.finish_reasons",
  inputTokens: "gen_ai.usage.input_tokens",
  outputTokens: "gen_ai.usage.output_tokens",
  cachedTokens: "gen_ai.usage.cache_read.input_tokens",
  tokenType: "gen_ai.token.type",
  workflow: "gen_ai.workflow.name",
  promptName: "gen_ai.prompt.name",
  promptVersion: "gen_ai.prompt.version",
  errorType: "error.type",
} as const;

export const OPERATIONS = { chat: "chat", workflow: "invoke_workflow" } as const;

export const GEN_AI_METRICS = {
  duration: "gen_ai.client.operation.duration",
  tokens: "gen_ai.client.token.usage",
} as const;

/** For what the conventions have no word. */
export const OWN = {
  runId: "throughline.run.id",
  runState: "throughline.run.state",
  projectId: "throughline.project.id",
  step: "throughline.step",
  item: "throughline.item",
  attempt: "throughline.attempt",
  continuation: "throughline.continuation",
  exchangeId: "throughline.exchange.id",
  outcome: "throughline.exchange.outcome",
  cost: "throughline.cost.usd",
} as const;

const PROVIDERS: Readonly<Record<string, string>> = { google: "gcp.gemini" };

/** `provider/model` as the conventions split it. */
export function splitModel(full: string): { readonly provider: string; readonly model: string } {
  const slash = full.indexOf("/");
  const provider = slash === -1 ? "unknown" : full.slice(0, slash);
  return { provider: PROVIDERS[provider] ?? provider, model: full.slice(slash + 1) };
}
