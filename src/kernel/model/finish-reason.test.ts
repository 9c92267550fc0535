import assert from "node:assert/strict";
import { test } from "node:test";
import { normalizeFinishReason } from "./finish-reason.ts";

test("every provider's word for a full output means length, also the ones compatible servers make up", () => {
  for (const raw of [
    "length",
    "max_tokens",
    "MAX_TOKENS",
    "max_output_tokens",
    "content_truncated",
    "token_limit",
    "model_context_window_exceeded",
  ]) {
    assert.equal(normalizeFinishReason(raw), "length", raw);
  }
});

test("an end without a word is a cut, and an unheard-of word is not taken for success", () => {
  assert.equal(normalizeFinishReason(undefined), "cut");
  assert.equal(normalizeFinishReason("interrupted"), "cut");
  assert.equal(normalizeFinishReason("because"), "unknown");
  assert.equal(normalizeFinishReason(""), "unknown");
});

test("the remaining words keep their meaning across spellings", () => {
  assert.equal(normalizeFinishReason("end_turn"), "stop");
  assert.equal(normalizeFinishReason("STOP"), "stop");
  assert.equal(normalizeFinishReason("content-filter"), "content_filter");
  assert.equal(normalizeFinishReason("refusal"), "content_filter");
  assert.equal(normalizeFinishReason("tool_use"), "tool");
  assert.equal(normalizeFinishReason("error"), "error");
});
