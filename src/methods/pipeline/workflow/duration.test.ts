import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { parseDuration, writeDuration } from "./duration.ts";

test("durations are read as people write them", () => {
  const written = ["90s", "10m", "1h 30m", "2 days", "1d12h", "500ms", "1.5h", " 3 min "];

  assert.deepEqual(
    written.map(parseDuration),
    [90_000, 600_000, 5_400_000, 172_800_000, 129_600_000, 500, 5_400_000, 180_000],
  );
});

test("what has no unit, no length, or is longer than a year is none", () => {
  const written = ["", "5", "0s", "-1m", "1y", "m", "1h x", "400d", "1e3s"];

  assert.deepEqual(
    written.map(parseDuration),
    written.map(() => undefined),
  );
});

test("a duration that is written reads the same", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 366 * 86_400_000 }), (milliseconds) => {
      assert.equal(parseDuration(writeDuration(milliseconds)), milliseconds);
    }),
  );
});
