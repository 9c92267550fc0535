import assert from "node:assert/strict";
import { test } from "node:test";
import { aboutWords, spentWords, sumOf } from "./cost-words.ts";

const spent = { calls: 1, inputTokens: 10, outputTokens: 5, costMicroUsd: 0, hasUnknownCost: true };
const priced = { ...spent, costMicroUsd: 120_000, hasUnknownCost: false };

test("what has no known price is never shown as nothing", () => {
  assert.equal(spentWords(sumOf([spent, spent])), "unknown");
  assert.equal(spentWords(sumOf([spent, priced])), "$0.12 and more");
  assert.equal(spentWords(sumOf([priced])), "$0.12");
  assert.equal(spentWords(sumOf([])), "$0.00");
  assert.equal(aboutWords(undefined), "cost unknown");
  assert.equal(aboutWords(120_000), "≈ $0.12");
});
