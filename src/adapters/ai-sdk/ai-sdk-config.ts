/** What has to be known to reach a model over HTTP. Keys are given, never looked up here. */

interface CommonConfig {
  readonly limits?: Partial<CallLimits>;
  readonly headers?: Readonly<Record<string, string>>;
  /** False where the provider's own structured output does harm; the contract checks either way. */
  readonly structuredOutput?: boolean;
}

export interface BrandConfig extends CommonConfig {
  readonly brand: "anthropic" | "openai" | "google";
  readonly apiKey: string;
  readonly baseUrl?: string;
}

/** Ollama, vLLM, LM Studio, gateways: anything that speaks OpenAI's chat completions. */
interface CompatibleConfig extends CommonConfig {
  readonly brand: "openai-compatible";
  readonly name: string;
  readonly baseUrl: string;
  readonly apiKey?: string;
}

export type AiSdkConfig = BrandConfig | CompatibleConfig;

export interface CallLimits {
  /** No byte for this long, while we listen, is a stall. */
  readonly idleMs: number;
  readonly totalMs: number;
  /** Text and thinking together. */
  readonly maxOutputChars: number;
  /** Bytes on the wire, after decompression. */
  readonly maxWireBytes: number;
}

export const DEFAULT_LIMITS: CallLimits = {
  idleMs: 120_000,
  totalMs: 900_000,
  maxOutputChars: 4_000_000,
  maxWireBytes: 64_000_000,
};

/** Always passed on, because the packages would otherwise take a URL from the environment. */
export const BASE_URLS: Readonly<Record<BrandConfig["brand"], string>> = {
  anthropic: "https://api.anthropic.com/v1",
  openai: "https://api.openai.com/v1",
  google: "https://generativelanguage.googleapis.com/v1beta",
};
