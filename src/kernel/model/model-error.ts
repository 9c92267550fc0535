/** What can go wrong between us and a model. Whether to try again is decided here, once. */

import { ProductError } from "../base/errors.ts";

export type ModelFailure =
  | "rate_limited"
  | "overloaded"
  | "unavailable"
  | "timeout"
  | "stalled"
  | "cut"
  | "auth"
  | "invalid_request"
  | "too_large"
  | "refused"
  | "aborted";

const RETRYABLE: ReadonlySet<ModelFailure> = new Set<ModelFailure>([
  "rate_limited",
  "overloaded",
  "unavailable",
  "timeout",
  "stalled",
  "cut",
]);

const HINTS: Readonly<Record<ModelFailure, string>> = {
  rate_limited: "Wait, or lower the concurrency set for this model.",
  overloaded: "The provider is busy; the call is tried again later.",
  unavailable: "Check the network, the provider's status page and the base URL.",
  timeout: "Allow more time for this model, or ask for a shorter reply.",
  stalled: "The provider stopped sending; allow a longer idle time if this model thinks long.",
  cut: "The connection broke in the middle of the reply; what arrived is kept.",
  auth: "Check the API key and what it may use: `throughline doctor` shows which one is set.",
  invalid_request: "Check the model name and its settings.",
  too_large: "Shorten the prompt or the asked-for reply.",
  refused: "The provider declines this content; rephrase it or choose another model.",
  aborted: "The call was cancelled.",
};

export interface ModelErrorOptions {
  readonly retryable?: boolean;
  readonly retryAfterMs?: number | undefined;
  readonly hint?: string;
  readonly details?: Readonly<Record<string, unknown>>;
}

/** Never carries the request or the raw response: both may hold prompts and keys. */
export class ModelError extends ProductError {
  readonly failure: ModelFailure;
  declare readonly hint: string;
  readonly retryable: boolean;
  /** How long the provider asked us to wait. */
  readonly retryAfterMs: number | undefined;

  constructor(failure: ModelFailure, message: string, options: ModelErrorOptions = {}) {
    super(`model_${failure}`, message, {
      kind: "provider",
      hint: options.hint ?? HINTS[failure],
      details: { ...options.details, failure },
    });
    this.name = "ModelError";
    this.failure = failure;
    this.retryable = options.retryable ?? RETRYABLE.has(failure);
    this.retryAfterMs = options.retryAfterMs;
  }
}

/** `reply` is the provider's own error text, used only to tell apart what shares a status. */
export function failureOfStatus(status: number, reply = ""): ModelFailure {
  if (status === 429) return "rate_limited";
  if (status === 401 || status === 402 || status === 403) return "auth";
  if (status === 408 || status === 504) return "timeout";
  if (status === 413) return "too_large";
  if (status === 503 || status === 529) return "overloaded";
  if (status === 409 || status === 425 || status >= 500) return "unavailable";
  if (TOO_LONG.test(reply)) return "too_large";
  if (REFUSED.test(reply)) return "refused";
  return "invalid_request";
}

/** Paying more does not happen by waiting: an exhausted quota shares status 429 but is not worth a retry. */
export function isQuotaExhausted(reply: string): boolean {
  return /insufficient_quota|billing_hard_limit|credit balance is too low/i.test(reply);
}

const TOO_LONG =
  /context_length_exceeded|prompt is too long|context window|maximum context length|too many (?:input )?tokens|request_too_large|input token count/i;
const REFUSED = /content_policy|content_filter|content management policy|safety system/i;
