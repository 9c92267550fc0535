import assert from "node:assert/strict";
import { test } from "node:test";
import { loadTokenCounter, tokenFactor } from "./count-tokens.ts";

test("text that looks like a special token is counted as text", async () => {
  const counter = await loadTokenCounter("gpt-5");

  assert.ok(counter.count("before <|endoftext|> after") > 4);
  assert.equal(counter.count(""), 0);
  assert.equal(counter.count("hello world"), 2);
});

test("long runs that make the encoder quadratic are counted in a moment", async () => {
  const counter = await loadTokenCounter("gpt-5");
  const started = performance.now();

  const tokens = counter.count("_".repeat(400_000));

  assert.ok(tokens > 0);
  assert.ok(performance.now() - started < 2_000);
});

test("a piece never ends inside a surrogate pair", async () => {
  const counter = await loadTokenCounter("gpt-5");
  const shifted = `x${"🧪".repeat(4096)}`;

  const perEmoji = (counter.count(shifted) - 1) / 4096;

  assert.ok(Math.abs(perEmoji - counter.count("🧪")) < 0.05, String(perEmoji));
});

test("models with another tokenizer get a factor", async () => {
  const plain = await loadTokenCounter("gpt-5");
  const claude = await loadTokenCounter("claude-sonnet-5-5");
  const text = "A sentence of some length, about nothing at all.";

  assert.equal(tokenFactor("gpt-6-sol"), 1);
  assert.ok(tokenFactor("claude-haiku-4-5") < tokenFactor("claude-opus-5"));
  assert.equal(claude.count(text), Math.ceil(plain.count(text) * tokenFactor("claude-sonnet-5-5")));
});
