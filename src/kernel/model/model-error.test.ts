import assert from "node:assert/strict";
import { test } from "node:test";
import { failureOfStatus, isQuotaExhausted, ModelError } from "./model-error.ts";

test("a model error carries its code, its kind and whether trying again makes sense", () => {
  const error = new ModelError("rate_limited", "Too many calls.", { retryAfterMs: 2000 });

  assert.equal(error.code, "model_rate_limited");
  assert.equal(error.kind, "provider");
  assert.equal(error.retryable, true);
  assert.equal(error.retryAfterMs, 2000);
  assert.ok(error.hint);
});

test("only what may pass by itself is worth a retry", () => {
  const retryable = (failure: ConstructorParameters<typeof ModelError>[0]) =>
    new ModelError(failure, "x").retryable;

  for (const failure of [
    "rate_limited",
    "overloaded",
    "unavailable",
    "timeout",
    "stalled",
    "cut",
  ] as const) {
    assert.equal(retryable(failure), true, failure);
  }
  for (const failure of ["auth", "invalid_request", "too_large", "refused", "aborted"] as const) {
    assert.equal(retryable(failure), false, failure);
  }
});

test("HTTP statuses fall into the failures that remedies exist for", () => {
  const table: readonly (readonly [number, string, string])[] = [
    [400, "bad field", "invalid_request"],
    [400, "This model's maximum context length is 8192 tokens", "too_large"],
    [400, "prompt is too long: 210000 tokens > 200000 maximum", "too_large"],
    [400, "rejected as a result of our safety system", "refused"],
    [401, "", "auth"],
    [403, "", "auth"],
    [404, "model not found", "invalid_request"],
    [408, "", "timeout"],
    [409, "", "unavailable"],
    [413, "", "too_large"],
    [422, "", "invalid_request"],
    [429, "", "rate_limited"],
    [500, "", "unavailable"],
    [502, "<html>", "unavailable"],
    [503, "", "overloaded"],
    [504, "", "timeout"],
    [529, "", "overloaded"],
  ];

  for (const [status, reply, failure] of table) {
    assert.equal(failureOfStatus(status, reply), failure, `${status} ${reply}`);
  }
});

test("an exhausted quota is told apart from a busy minute", () => {
  assert.equal(isQuotaExhausted('{"error":{"code":"insufficient_quota"}}'), true);
  assert.equal(isQuotaExhausted("Rate limit reached for requests"), false);
});
