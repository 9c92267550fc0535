/** Our request in the provider packages' words. */

import type {
  LanguageModelV4CallOptions,
  LanguageModelV4Message,
  SharedV4ProviderOptions,
} from "@ai-sdk/provider";
import type { ModelMessage, ModelRequest } from "../../kernel/model/model-provider.ts";
import type { AiSdkConfig } from "./ai-sdk-config.ts";

/** For models the package does not know, it would otherwise stop Anthropic's at 4,096. */
const ANTHROPIC_OUTPUT_TOKENS = 16_384;

export function callOptions(
  config: AiSdkConfig,
  request: ModelRequest,
): LanguageModelV4CallOptions {
  const maxOutputTokens =
    request.maxOutputTokens ?? (config.brand === "anthropic" ? ANTHROPIC_OUTPUT_TOKENS : undefined);
  const responseFormat = wantsStructuredOutput(config, request)
    ? ({ type: "json", schema: { ...request.outputSchema } } as const)
    : undefined;
  return {
    prompt: request.messages.map((message, index) =>
      promptMessage(message, config.brand === "anthropic" && isBreakpoint(request, index)),
    ),
    ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
    ...(request.temperature === undefined ? {} : { temperature: request.temperature }),
    ...(request.reasoning === undefined ? {} : { reasoning: request.reasoning }),
    ...(responseFormat === undefined ? {} : { responseFormat }),
    ...(config.brand === "openai" ? { providerOptions: OPENAI_OPTIONS } : {}),
  };
}

/** Strict schemas refuse what ours may contain, and prompts are not to be kept by the provider. */
const OPENAI_OPTIONS: SharedV4ProviderOptions = {
  openai: { store: false, strictJsonSchema: false },
};

/** A continuation starts in the middle of a document; forced JSON would make it start over. */
function wantsStructuredOutput(config: AiSdkConfig, request: ModelRequest): boolean {
  if (request.outputSchema?.["type"] !== "object" || request.continuationOf) return false;
  if (request.syntax?.kind === "sections" || request.labels.continuation > 0) return false;
  return config.structuredOutput ?? config.brand !== "openai-compatible";
}

function isBreakpoint(request: ModelRequest, index: number): boolean {
  return request.cacheBreakpoints?.includes(index) ?? false;
}

function promptMessage({ role, text }: ModelMessage, breakpoint: boolean): LanguageModelV4Message {
  const options = breakpoint
    ? { providerOptions: { anthropic: { cacheControl: { type: "ephemeral" } } } }
    : {};
  return role === "system"
    ? { role, content: text, ...options }
    : { role, content: [{ type: "text", text, ...options }] };
}
