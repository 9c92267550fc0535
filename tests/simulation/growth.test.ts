import assert from "node:assert/strict";
import { test } from "node:test";
import { type DaySample, growthOf } from "./growth.ts";

const DAYS: readonly DaySample[] = [1, 2, 3, 4, 5, 6, 7].map((day) => ({
  day,
  rows: { event: 1000 * day, delta: 3, search_queue: 20 },
  fileBytes: 10_000_000 + day * 1_000_000,
  usedBytes: 9_000_000 + day * 1_000_000,
  statements: 20_000,
  steps: 300,
  memoryBytes: 90_000_000,
}));

function changed(change: (day: DaySample) => Partial<DaySample>): readonly string[] {
  return growthOf(DAYS.map((day) => ({ ...day, ...change(day) })));
}

test("a record that a day adds to as every day does is no growth", () => {
  assert.deepEqual(growthOf(DAYS), []);
});

test("rows that stay in a table that should not grow are told, of however few a day", () => {
  const told = changed(({ rows, day }) => ({ rows: { ...rows, delta: 3 * day } }));
  assert.deepEqual(told, ["delta should not grow: 6 and 21 rows, day 2 and day 7"]);
});

test("a table that nobody named should not grow", () => {
  const told = changed(({ rows, day }) => ({ rows: { ...rows, invented: 100 * day } }));
  assert.deepEqual(told, ["invented should not grow: 200 and 700 rows, day 2 and day 7"]);
});

test("a record that grows by more every day is told", () => {
  const told = changed(({ rows, day }) => ({ rows: { ...rows, event: 100 * day * day } }));
  assert.deepEqual(told, ["event grows faster: by 300 and 1300 rows, day 2 and day 7"]);
});

test("a store, statements a step and memory that grow by more every day are told", () => {
  const told = changed(({ day }) => ({
    usedBytes: day * day * 1_000_000,
    statements: 20_000 + day * 2000,
    memoryBytes: 90_000_000 + day * 10_000_000,
  }));
  assert.deepEqual(told, [
    "the store grows faster: by 3000000 and 13000000 bytes, day 2 and day 7",
    "statements a step: 80 and 113.3, day 2 and day 7",
    "memory grew by 50000000 bytes, day 2 and day 7",
  ]);
});

test("fewer than four days tell nothing", () => {
  assert.throws(() => growthOf(DAYS.slice(0, 3)), /four days/);
});
