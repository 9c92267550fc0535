/** When to try again after a failure: exponential with jitter, and never sooner than the provider asked. */

export interface RetryPolicy {
  readonly maxAttempts: number;
  readonly firstMs: number;
  readonly maxMs: number;
}

export const DEFAULT_RETRIES: RetryPolicy = { maxAttempts: 5, firstMs: 1000, maxMs: 120_000 };

/** Undefined when the attempts are used up. `jitter` is between 0 and 1. */
export function retryDelayMs(
  policy: RetryPolicy,
  failure: {
    readonly attempt: number;
    readonly retryAfterMs?: number | undefined;
    readonly jitter: number;
  },
): number | undefined {
  if (failure.attempt >= policy.maxAttempts) return undefined;
  const exponential = Math.min(policy.maxMs, policy.firstMs * 2 ** (failure.attempt - 1));
  const jittered = exponential * (0.5 + failure.jitter / 2);
  return Math.round(Math.max(jittered, failure.retryAfterMs ?? 0));
}
