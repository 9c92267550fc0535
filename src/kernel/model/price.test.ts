import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import * as fc from "fast-check";
import { costOf, findPrice, type PriceTable, parsePriceTable } from "./price.ts";

const folder = new URL("../../../library/prices/", import.meta.url);
const shipped = readdirSync(folder).map((file) =>
  parsePriceTable(JSON.parse(readFileSync(new URL(file, folder), "utf8")), file),
);
const day = "2026-11-18";
const own = (prices: PriceTable["prices"]): PriceTable => ({
  schemaVersion: 1,
  currency: "USD",
  asOf: day,
  source: "test",
  prices,
});

test("the shipped tables are readable and price no model twice for one day", () => {
  assert.ok(shipped.length >= 4);
  const keys = shipped.flatMap(({ prices }) =>
    prices.map(({ provider, model, from }) => `${provider}/${model}@${from ?? ""}`),
  );
  assert.equal(new Set(keys).size, keys.length);
});

test("a call is priced by fresh, cached, cache-written and output tokens, in whole micro-dollars", () => {
  const price = findPrice(shipped, { provider: "anthropic", model: "claude-opus-5", day });

  const cost = costOf(
    { inputTokens: 10_000, cachedInputTokens: 4_000, cacheWriteTokens: 1_000, outputTokens: 500 },
    price,
  );

  assert.equal(cost, 5_000 * 5 + 4_000 * 0.5 + 1_000 * 6.25 + 500 * 25);
});

test("an unknown model and untold counts have an unknown cost, never zero", () => {
  const price = findPrice(shipped, { provider: "openai", model: "gpt-5.4", day });

  assert.equal(findPrice(shipped, { provider: "openai", model: "gpt-99", day }), undefined);
  assert.equal(findPrice(shipped, { provider: "elsewhere", model: "gpt-5.4", day }), undefined);
  assert.equal(costOf({ inputTokens: 1, outputTokens: 1 }, undefined), undefined);
  assert.equal(costOf({ inputTokens: 10 }, price), undefined);
  assert.equal(costOf({}, price), undefined);
});

test("the rehearsal model and local models cost nothing, even when they tell no counts", () => {
  for (const provider of ["rehearsal", "ollama"]) {
    assert.equal(costOf({}, findPrice(shipped, { provider, model: "any", day })), 0);
  }
});

test("a dated model name costs what its family does, a sibling does not", () => {
  const find = (model: string) => findPrice(shipped, { provider: "openai", model, day });

  assert.equal(find("gpt-5.4-2026-03-05")?.input, find("gpt-5.4")?.input);
  assert.equal(find("gpt-5.4-pro"), undefined);
  assert.equal(
    findPrice(shipped, { provider: "anthropic", model: "claude-haiku-4-5-20251001", day })?.output,
    5,
  );
});

test("an announced price begins on its day", () => {
  const find = (on: string) =>
    findPrice(shipped, { provider: "google", model: "gemini-4-argon", day: on });

  assert.equal(find("2026-11-30")?.input, 2);
  assert.equal(find("2026-12-01")?.input, 4);
});

test("a long prompt is priced by the long rates as a whole", () => {
  const price = findPrice(shipped, { provider: "openai", model: "gpt-6-sol", day });

  assert.equal(costOf({ inputTokens: 272_000, outputTokens: 0 }, price), 272_000 * 2);
  assert.equal(costOf({ inputTokens: 272_001, outputTokens: 10 }, price), 272_001 * 4 + 150);
});

test("a later table overrides an earlier one", () => {
  const mine = own([{ provider: "openai", model: "gpt-5.4", input: 1, output: 1 }]);

  const price = findPrice([...shipped, mine], { provider: "openai", model: "gpt-5.4", day });

  assert.equal(price?.input, 1);
  assert.equal(price?.source, "test");
});

test("a broken table is refused with the place", () => {
  assert.throws(
    () =>
      parsePriceTable(
        { ...own([]), prices: [{ provider: "x", model: "y", input: -1, output: 1 }] },
        "mine.json",
      ),
    { code: "price_table_invalid", message: /mine\.json[\s\S]*prices\[0\]\.input/ },
  );
});

test("cost is whole, never below the exact sum and never a micro-dollar above it", () => {
  const tokens = fc.nat(2_000_000);
  const dollars = fc.integer({ min: 0, max: 75_000 }).map((thousandths) => thousandths / 1000);
  fc.assert(
    fc.property(tokens, tokens, dollars, dollars, (inputTokens, outputTokens, input, output) => {
      const cost = costOf(
        { inputTokens, outputTokens },
        { input, output, asOf: day, source: "test" },
      );
      const exact =
        (inputTokens * Math.round(input * 1000) + outputTokens * Math.round(output * 1000)) / 1000;
      assert.ok(
        cost !== undefined && Number.isSafeInteger(cost) && cost >= exact && cost < exact + 1,
      );
    }),
  );
});
