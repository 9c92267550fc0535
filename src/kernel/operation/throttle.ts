/**
 * Slows down guessing: after a few failures each further one doubles the wait, per account and per address.
 * Kept in memory; a restart forgives, which a guesser cannot cause.
 */

import type { Clock } from "../base/clock.ts";
import { ProductError } from "../base/errors.ts";

export interface Throttle {
  /** Throws when any of the keys must wait. */
  check(keys: readonly string[]): void;
  fail(keys: readonly string[]): void;
  succeed(keys: readonly string[]): void;
}

const FREE_FAILURES = 5;
const FIRST_WAIT_MS = 1000;
const LONGEST_WAIT_MS = 15 * 60_000;
const MAX_KEYS = 10_000;

interface Trouble {
  readonly failures: number;
  readonly until: number;
}

export function createThrottle(clock: Pick<Clock, "elapsed">): Throttle {
  // Oldest first: the map keeps the order of insertion, and a failing key is put at the end again.
  const troubles = new Map<string, Trouble>();
  return {
    check(keys) {
      const now = clock.elapsed();
      const waitMs = Math.max(0, ...keys.map((key) => (troubles.get(key)?.until ?? now) - now));
      if (waitMs > 0) throw tooManyFailures(waitMs);
    },
    fail(keys) {
      const now = clock.elapsed();
      for (const key of keys) {
        const known = troubles.get(key);
        const isForgotten = known !== undefined && now > known.until + LONGEST_WAIT_MS;
        const failures = (isForgotten ? 0 : (known?.failures ?? 0)) + 1;
        troubles.delete(key);
        troubles.set(key, { failures, until: now + waitAfter(failures) });
      }
      forgetOldest(troubles);
    },
    succeed(keys) {
      for (const key of keys) troubles.delete(key);
    },
  };
}

function waitAfter(failures: number): number {
  if (failures < FREE_FAILURES) return 0;
  return Math.min(FIRST_WAIT_MS * 2 ** (failures - FREE_FAILURES), LONGEST_WAIT_MS);
}

function forgetOldest(troubles: Map<string, Trouble>): void {
  for (const key of troubles.keys()) {
    if (troubles.size <= MAX_KEYS) return;
    troubles.delete(key);
  }
}

function tooManyFailures(waitMs: number): ProductError {
  const seconds = Math.ceil(waitMs / 1000);
  return new ProductError("attempts_too_many", `Too many failed attempts; wait ${seconds} s.`, {
    kind: "limit",
    hint: "If you forgot the password, ask an admin for a new invitation.",
    details: { retryAfterSeconds: seconds },
  });
}
