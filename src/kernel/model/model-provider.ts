/**
 * The port behind which every model stands. A call streams deltas and ends in exactly one `finish`,
 * or throws a `ModelError`; whatever was streamed before the throw was really received.
 * Every provider passes `model-provider.suite.ts`.
 */

import type { Section } from "../contract/contract.ts";
import type { FinishReason } from "./finish-reason.ts";

export interface ModelProvider {
  call(request: ModelRequest, options: CallOptions): AsyncIterable<ModelDelta>;
}

export interface CallOptions {
  readonly signal: AbortSignal;
  /** Where a model that works on files does so; its own place unless given. */
  readonly folder?: string;
}

export interface ModelRequest {
  /** The provider's own name for the model. */
  readonly model: string;
  readonly messages: readonly ModelMessage[];
  readonly maxOutputTokens?: number;
  readonly temperature?: number;
  /** How much thinking to ask for; lowered when a reply came back empty at its length limit. */
  readonly reasoning?: "none" | "low" | "medium" | "high";
  /** The contract's shape as JSON schema. A provider may use it; the contract checks in any case. */
  readonly outputSchema?: JsonSchema;
  readonly syntax?: ReplySyntax;
  readonly labels: ModelLabels;
  /** Indexes of messages after which everything so far will be sent again unchanged. */
  readonly cacheBreakpoints?: readonly number[];
  /**
   * Present when this call goes on with a reply that broke off: all text received so far.
   * `labels.continuation` is then above 0, and `messages` begin with those of the first call.
   */
  readonly continuationOf?: { readonly text: string };
}

export interface ModelMessage {
  readonly role: "system" | "user" | "assistant";
  readonly text: string;
}

export type JsonSchema = Readonly<Record<string, unknown>>;

/** With sections, what the prompt's skeleton showed: one heading per section, in order. */
export type ReplySyntax =
  | { readonly kind: "json" }
  | { readonly kind: "sections"; readonly sections: readonly Section[] };

/** Which call this is. Providers may log labels; only the rehearsal model answers by them. */
export interface ModelLabels {
  readonly run?: string;
  readonly step: string;
  readonly item?: string;
  /** 1 for the first try. */
  readonly attempt: number;
  /** 0 for the first call of a reply. */
  readonly continuation: number;
  readonly seed?: string;
}

export type ModelDelta = ModelText | ModelFinish;

interface ModelText {
  readonly type: "text" | "reasoning";
  readonly text: string;
}

export interface ModelFinish {
  readonly type: "finish";
  readonly reason: FinishReason;
  /** The provider's own word, for the record. */
  readonly rawReason: string | undefined;
  readonly usage: Usage;
}

/** A count the provider did not tell is absent, never 0. `inputTokens` includes cached and cache-written ones. */
export interface Usage {
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  readonly cachedInputTokens?: number;
  readonly cacheWriteTokens?: number;
  readonly reasoningTokens?: number;
}
