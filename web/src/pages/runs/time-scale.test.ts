import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { tickText, timeScale } from "./time-scale.ts";

test("a long wait is folded, so that the seconds around it can be seen", () => {
  const hour = 3_600_000;
  const work = [
    { from: 0, to: 4000 },
    { from: hour, to: hour + 4000 },
  ];
  const { at, folds, ticks } = timeScale(work, { from: 0, to: hour + 4000 });

  assert.equal(folds.length, 1);
  assert.ok(at(4000) > 45 && at(hour) < 55);
  assert.ok(ticks.length > 4 && ticks.length < 14, String(ticks.length));
  assert.ok(ticks.some(({ ms }) => ms >= hour));
});

test("places keep the order of moments and stay on the line", () => {
  const spans = fc.array(fc.record({ from: fc.nat(10_000), length: fc.nat(3000) }), {
    maxLength: 12,
  });
  fc.assert(
    fc.property(spans, fc.array(fc.nat(13_000), { minLength: 2 }), (given, moments) => {
      const work = given.map(({ from, length }) => ({ from, to: from + length }));
      const { at, ticks } = timeScale(work, { from: 0, to: 13_000 });
      const places = moments.toSorted((a, b) => a - b).map(at);
      for (const [n, place] of places.entries()) {
        assert.ok(place >= 0 && place <= 100);
        assert.ok(n === 0 || place >= (places[n - 1] ?? 0) - 1e-9);
      }
      assert.ok(ticks.length <= 40);
    }),
  );
});

test("moments are written short", () => {
  assert.deepEqual([0, 7000, 1_539_000, 12_000_000, 500, 2500].map(tickText), [
    "0:00",
    "0:07",
    "25:39",
    "3:20:00",
    "0.5 s",
    "2.5 s",
  ]);
});
