import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { DEFAULT_RETRIES, type RetryPolicy, retryDelayMs } from "./retry-policy.ts";

const anyPolicy: fc.Arbitrary<RetryPolicy> = fc.record({
  maxAttempts: fc.integer({ min: 1, max: 50 }),
  firstMs: fc.integer({ min: 1, max: 60_000 }),
  maxMs: fc.integer({ min: 60_000, max: 3_600_000 }),
});
const anyJitter = fc.double({ min: 0, max: 1, noNaN: true });

describe("retryDelayMs", () => {
  test("ends after the allowed attempts, whatever the provider asks for", () => {
    fc.assert(
      fc.property(
        anyPolicy,
        fc.nat({ max: 1000 }),
        fc.option(fc.nat(), { nil: undefined }),
        anyJitter,
        (policy, beyond, retryAfterMs, jitter) => {
          const attempt = policy.maxAttempts + beyond;
          assert.equal(retryDelayMs(policy, { attempt, retryAfterMs, jitter }), undefined);
        },
      ),
    );
  });

  test("is a whole number, never sooner than the provider asked, never longer than both limits", () => {
    fc.assert(
      fc.property(
        anyPolicy,
        fc.option(fc.nat({ max: 3_600_000 }), { nil: undefined }),
        anyJitter,
        fc.nat(),
        (policy, retryAfterMs, jitter, seed) => {
          fc.pre(policy.maxAttempts > 1);
          const attempt = 1 + (seed % (policy.maxAttempts - 1));
          const delay = retryDelayMs(policy, { attempt, retryAfterMs, jitter });
          assert.ok(delay !== undefined && Number.isSafeInteger(delay));
          assert.ok(delay >= (retryAfterMs ?? 0));
          assert.ok(delay <= Math.max(policy.maxMs, retryAfterMs ?? 0));
        },
      ),
    );
  });

  test("waits at least half and at most all of the doubled time", () => {
    const delays = [1, 2, 3, 4].map((attempt) => [
      retryDelayMs(DEFAULT_RETRIES, { attempt, jitter: 0 }),
      retryDelayMs(DEFAULT_RETRIES, { attempt, jitter: 1 }),
    ]);

    assert.deepEqual(delays, [
      [500, 1000],
      [1000, 2000],
      [2000, 4000],
      [4000, 8000],
    ]);
  });

  test("without a policy of one's own gives up after five attempts, and never waits over two minutes", () => {
    assert.equal(retryDelayMs(DEFAULT_RETRIES, { attempt: 5, jitter: 1 }), undefined);
    const patient = { ...DEFAULT_RETRIES, maxAttempts: 100 };
    assert.equal(retryDelayMs(patient, { attempt: 50, jitter: 1 }), 120_000);
  });

  test("a policy that does not wait tries again at once", () => {
    assert.equal(retryDelayMs({ ...DEFAULT_RETRIES, firstMs: 0 }, { attempt: 1, jitter: 1 }), 0);
  });

  test("stays finite however often it was tried", () => {
    const policy = { maxAttempts: 1_000_000, firstMs: 1000, maxMs: 120_000 };
    assert.equal(retryDelayMs(policy, { attempt: 100_000, jitter: 1 }), 120_000);
  });
});
