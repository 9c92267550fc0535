import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { steadyTime } from "./steady-time.ts";

function settableClock() {
  const state = { wall: 1_000_000, elapsed: 0 };
  return {
    state,
    clock: { now: () => state.wall, elapsed: () => state.elapsed, sleep: async () => undefined },
  };
}

test("goes with the clock on the wall, and on from where it was when that is set back", () => {
  const { state, clock } = settableClock();
  const { now } = steadyTime(clock, 0);
  assert.equal(now(), 1_000_000);
  state.wall -= 500_000;
  state.elapsed += 10;
  assert.equal(now(), 1_000_010);
  state.wall += 600_000;
  assert.equal(now(), 1_100_000);
});

test("begins where the store's latest event is, when that is ahead", () => {
  const { state, clock } = settableClock();
  const { now } = steadyTime(clock, 2_000_000);
  state.elapsed += 5;
  assert.equal(now(), 2_000_005);
});

test("never goes back, never stands still while time passes, and is never behind the wall", () => {
  const change = fc.record({ wall: fc.integer({ min: -1e9, max: 1e9 }), elapsed: fc.nat(1e6) });
  fc.assert(
    fc.property(fc.array(change, { maxLength: 40 }), (changes) => {
      const { state, clock } = settableClock();
      const { now } = steadyTime(clock, 0);
      let before = now();
      for (const { wall, elapsed } of changes) {
        state.wall += wall;
        state.elapsed += elapsed;
        const after = now();
        assert.ok(after >= before + elapsed && after >= state.wall);
        before = after;
      }
    }),
  );
});
