/**
 * Models over HTTP through the AI SDK's provider packages, used for transport only: no retries,
 * no parsing, no tools. Anthropic, OpenAI, Google, and any server that speaks like OpenAI's.
 */

import type { LanguageModelV4StreamPart } from "@ai-sdk/provider";
import type { Clock } from "../../kernel/base/clock.ts";
import { type FinishReason, normalizeFinishReason } from "../../kernel/model/finish-reason.ts";
import { ModelError } from "../../kernel/model/model-error.ts";
import type {
  ModelDelta,
  ModelFinish,
  ModelProvider,
  ModelRequest,
} from "../../kernel/model/model-provider.ts";
import { type AiSdkConfig, type CallLimits, DEFAULT_LIMITS } from "./ai-sdk-config.ts";
import { callOptions } from "./call-options.ts";
import { type GuardedCall, guardCall } from "./guarded-call.ts";
import { guardedFetch } from "./guarded-fetch.ts";
import { loadLanguageModel } from "./load-language-model.ts";
import { type FailureContext, providerFailure } from "./provider-failure.ts";
import { reportedUsage } from "./reported-usage.ts";

export function createAiSdkProvider(config: AiSdkConfig, clock: Clock): ModelProvider {
  const limits = { ...DEFAULT_LIMITS, ...config.limits };
  return { call: (request, { signal }) => stream(config, limits, clock, request, signal) };
}

async function* stream(
  config: AiSdkConfig,
  limits: CallLimits,
  clock: Clock,
  request: ModelRequest,
  signal: AbortSignal,
): AsyncGenerator<ModelDelta> {
  const name = providerName(config);
  const call = guardCall(signal, limits, name);
  const context = { provider: name, secrets: secretsOf(config), now: clock.now() };
  let streaming = false;
  try {
    if (call.verdict) throw call.verdict;
    const parts = await call.race(openStream(config, limits, call, request, context));
    let chars = 0;
    let finish: ModelFinish | undefined;
    let endedEarly = false;
    const thinking = new Set<string>();
    for (;;) {
      const { done, value } = await call.race(parts.read());
      if (done) break;
      if (value.type === "error") {
        if (!isEarlyEnd(value.error)) throw value.error;
        endedEarly = true;
      }
      const delta = toDelta(value, thinking);
      if (!delta) continue;
      if (delta.type === "finish") {
        finish = endedEarly ? { ...delta, reason: "cut" } : delta;
        continue;
      }
      streaming = true;
      chars += delta.text.length;
      if (chars > limits.maxOutputChars) throw tooLong(name, limits);
      yield delta;
    }
    yield finish ?? { type: "finish", reason: "cut", rawReason: undefined, usage: {} };
  } catch (error) {
    throw call.verdict ?? providerFailure(error, { ...context, streaming, now: clock.now() });
  } finally {
    call.close();
  }
}

async function openStream(
  config: AiSdkConfig,
  limits: CallLimits,
  call: GuardedCall,
  request: ModelRequest,
  context: Omit<FailureContext, "streaming">,
): Promise<ReadableStreamDefaultReader<LanguageModelV4StreamPart>> {
  const fetch = guardedFetch(call, limits, { ...context, streaming: false });
  const model = await loadLanguageModel(config, request.model, fetch);
  const options = callOptions(config, request);
  const { stream: parts } = await model.doStream({ ...options, abortSignal: call.signal });
  return parts.getReader();
}

/** `thinking` holds the ids of text blocks that are the model's commentary and not its answer. */
function toDelta(part: LanguageModelV4StreamPart, thinking: Set<string>): ModelDelta | undefined {
  switch (part.type) {
    case "text-start":
      if (part.providerMetadata?.["openai"]?.["phase"] === "commentary") thinking.add(part.id);
      return undefined;
    case "text-delta":
      if (part.delta === "") return undefined;
      return { type: thinking.has(part.id) ? "reasoning" : "text", text: part.delta };
    case "reasoning-delta":
      return part.delta === "" ? undefined : { type: "reasoning", text: part.delta };
    case "finish":
      return {
        type: "finish",
        reason: finishReason(part.finishReason),
        rawReason: part.finishReason.raw,
        usage: reportedUsage(part.usage),
      };
    default:
      return undefined;
  }
}

/** The package's word knows more (a refusal ends in `stop`), save where it has none for the raw one. */
function finishReason({
  unified,
  raw,
}: {
  unified: string;
  raw: string | undefined;
}): FinishReason {
  if (unified !== "other") return normalizeFinishReason(unified);
  return raw === undefined ? "unknown" : normalizeFinishReason(raw);
}

/** The compatible package reports an end without a finish as an error; for us that is a cut. */
function isEarlyEnd(error: unknown): boolean {
  return error instanceof Error && /ended without a finish reason/i.test(error.message);
}

function tooLong(name: string, { maxOutputChars }: CallLimits): ModelError {
  return new ModelError("too_large", `${name} sent more than ${maxOutputChars} characters.`, {
    hint: "The model may be repeating itself; lower its output limit.",
  });
}

function providerName(config: AiSdkConfig): string {
  return config.brand === "openai-compatible" ? config.name : config.brand;
}

function secretsOf({ apiKey, headers = {} }: AiSdkConfig): readonly string[] {
  return [...(apiKey ? [apiKey] : []), ...Object.values(headers)];
}
