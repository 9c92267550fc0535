/**
 * How often one token or login may ask: a bucket that fills at a steady rate up to a burst, so that a program that
 * runs wild slows down itself and nobody else. Kept in memory; each server counts for itself.
 */

import type { Clock } from "../../kernel/base/clock.ts";
import { ProductError } from "../../kernel/base/errors.ts";

export interface RateLimitOptions {
  /** 0 for no limit. */
  readonly perSecond: number;
  /** How many may come at once after a quiet time. */
  readonly burst: number;
  /** Who is counted, where it is neither a token nor a login. */
  readonly who?: string;
}

export interface RateLimit {
  /** Counts one request; throws when there have been too many. */
  take(key: string): void;
}

interface Bucket {
  readonly left: number;
  readonly at: number;
}

const MAX_KEYS = 10_000;

export function createRateLimit(
  clock: Pick<Clock, "elapsed">,
  options: RateLimitOptions,
): RateLimit {
  const { perSecond, burst } = options;
  // Least lately used first: the map keeps the order of insertion, and a key that asks is put at the end again.
  const buckets = new Map<string, Bucket>();
  return {
    take(key) {
      if (perSecond === 0) return;
      const now = clock.elapsed();
      const { left, at } = buckets.get(key) ?? { left: burst, at: now };
      const filled = Math.min(burst, left + ((now - at) / 1000) * perSecond);
      const isAllowed = filled >= 1;
      buckets.delete(key);
      buckets.set(key, { left: isAllowed ? filled - 1 : filled, at: now });
      forgetOldest(buckets);
      if (!isAllowed) throw tooMany(options, (1 - filled) / perSecond);
    },
  };
}

function forgetOldest(buckets: Map<string, Bucket>): void {
  if (buckets.size <= MAX_KEYS) return;
  const [oldest] = buckets.keys();
  if (oldest !== undefined) buckets.delete(oldest);
}

function tooMany({ perSecond, burst, who }: RateLimitOptions, waitSeconds: number): ProductError {
  const seconds = Math.max(1, Math.ceil(waitSeconds));
  const more = who === undefined ? " An admin can set more in `rateLimit` of config.json." : "";
  return new ProductError(
    "requests_too_many",
    `${who ?? "This token or login"} may ask ${perSecond} times a second, and ${burst} times at once.`,
    {
      kind: "limit",
      hint: `Wait ${seconds} s.${more}`,
      details: { retryAfterSeconds: seconds },
    },
  );
}
