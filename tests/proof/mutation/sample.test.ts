import assert from "node:assert/strict";
import { test } from "node:test";
import { isLarge, sumTo } from "./sample.ts";

test("adds from one, as far as it is told", () => {
  assert.equal(sumTo(0), 0);
  assert.equal(sumTo(3), 6);
});

test("a thousand is large", () => {
  assert.equal(isLarge(1000), true);
});
