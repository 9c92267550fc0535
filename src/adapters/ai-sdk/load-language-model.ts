/** Loads a provider package when a call first needs it, so that commands without models start fast. */

import type { LanguageModelV4 } from "@ai-sdk/provider";
import { type AiSdkConfig, BASE_URLS } from "./ai-sdk-config.ts";

export async function loadLanguageModel(
  config: AiSdkConfig,
  model: string,
  fetch: typeof globalThis.fetch,
): Promise<LanguageModelV4> {
  const headers = { ...config.headers };
  if (config.brand === "openai-compatible") {
    const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible");
    const { name, baseUrl, apiKey } = config;
    const settings = { name, baseURL: baseUrl, headers, fetch, includeUsage: true };
    return createOpenAICompatible({
      ...settings,
      supportsStructuredOutputs: config.structuredOutput === true,
      ...(apiKey ? { apiKey } : {}),
    })(model);
  }
  const settings = {
    apiKey: config.apiKey,
    baseURL: config.baseUrl ?? BASE_URLS[config.brand],
    headers,
    fetch,
  };
  switch (config.brand) {
    case "anthropic":
      return (await import("@ai-sdk/anthropic")).createAnthropic(settings)(model);
    case "openai":
      return (await import("@ai-sdk/openai")).createOpenAI(settings)(model);
    default:
      return (await import("@ai-sdk/google")).createGoogle(settings)(model);
  }
}
