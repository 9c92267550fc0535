import assert from "node:assert/strict";
import { test } from "node:test";
import { ago, brief, initials, money, shortId, span, words } from "./format.ts";

const NOW = Date.UTC(2026, 10, 18, 12, 0, 0);

test("money has cents, and four places below one", () => {
  assert.deepEqual([0, 3_420_000, 1_234_560_000, 18_200, 2400].map(money), [
    "$0.00",
    "$3.42",
    "$1,234.56",
    "$0.02",
    "$0.0024",
  ]);
});

test("numbers and times are short", () => {
  assert.deepEqual([812, 6104, 61_040, 999_499, 1_200_000].map(brief), [
    "812",
    "6,104",
    "61k",
    "999k",
    "1.2M",
  ]);
  assert.deepEqual([40, 2100, 59_000, 125_000, 12_000_000].map(span), [
    "40 ms",
    "2.1 s",
    "59 s",
    "2 min 5 s",
    "3 h 20 min",
  ]);
});

test("moments are relative under a day, then dates", () => {
  const minutes = (n: number) => ago(NOW - n * 60_000, NOW);
  assert.deepEqual([0, 3, 59, 60 * 5].map(minutes), ["now", "3 m", "59 m", "5 h"]);
  assert.equal(minutes(60 * 24 * 3), "15 Nov");
  assert.equal(minutes(60 * 24 * 400), "14 Oct 2025");
  assert.equal(ago(NOW + 20 * 60_000, NOW), "in 20 m");
});

test("names of things", () => {
  assert.equal(shortId("01a1ed8c-fc26-7000-b733-fefb7647511b"), "01a1ed8c-fc26-7000");
  assert.equal(shortId("library:pr-review"), "library:pr-review");
  assert.deepEqual(["Mara Lindqvist", "root", "ida@x.org", ""].map(initials), [
    "ML",
    "RO",
    "IO",
    "",
  ]);
  assert.deepEqual(["held_job", "pipeline.manual"].map(words), ["Held job", "Manual"]);
});
