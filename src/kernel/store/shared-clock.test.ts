import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { scratchPostgres, scratchSqlite } from "../../../tests/scratch/scratch-store.ts";
import { type Clock, systemClock } from "../base/clock.ts";
import { followed, sharedClock } from "./shared-clock.ts";
import type { Store } from "./store.ts";

const DAY = 86_400_000;

test("on PostgreSQL the clock is the database's, whatever the wall says here", async (t) => {
  const { store, remove } = await scratchPostgres([]);
  t.after(remove);
  const wrong: Clock = { ...systemClock, now: () => systemClock.now() - DAY };
  const shared = await sharedClock(store, wrong);
  t.after(() => shared.stop());

  assert.ok(Math.abs(shared.now() - systemClock.now()) < 1000);
});

test("an embedded store goes by the wall", async (t) => {
  const { store, remove } = await scratchSqlite([]);
  t.after(remove);
  const shared = await sharedClock(store, { ...systemClock, now: () => 42 });
  shared.stop();

  assert.equal(shared.now(), 42);
});

test("it follows a database whose clock is set, goes on while that is away, and asks no more once it is stopped", async () => {
  const state = { moment: 1_000_000, elapsed: 0, isAway: false, asked: 0 };
  const beats: (() => void)[] = [];
  const clock: Clock = {
    now: () => 7,
    elapsed: () => state.elapsed,
    sleep: () => new Promise((resolve) => beats.push(resolve)),
  };
  const read = async () => {
    state.asked += 1;
    if (state.isAway) throw new Error("away");
    return [{ moment: state.moment }];
  };
  const store = { dialect: "postgres", location: "", read } as unknown as Store;
  const beat = async () => {
    beats.shift()?.();
    await new Promise(setImmediate);
  };
  const shared = await sharedClock(store, clock);
  assert.equal(shared.now(), 1_000_000);

  state.elapsed = 1000;
  state.moment += DAY;
  await beat();
  assert.equal(shared.now(), 1_000_000 + DAY);

  state.isAway = true;
  state.elapsed = 3000;
  await beat();
  assert.equal(shared.now(), 1_002_000 + DAY);

  shared.stop();
  await beat();
  assert.deepEqual({ asked: state.asked, left: beats.length }, { asked: 3, left: 0 });
});

test("what fits what is known changes nothing, and what does not is believed to within the time of asking", () => {
  const moments = fc.record({
    moment: fc.integer({ min: 0, max: 1e12 }),
    begun: fc.integer({ min: 0, max: 1e9 }),
    took: fc.nat(10_000),
    ahead: fc.integer({ min: -1e12, max: 1e12 }),
  });
  fc.assert(
    fc.property(moments, ({ moment, begun, took, ahead }) => {
      const asked = { moment, begun, ended: begun + took };
      const known = followed(ahead, asked);
      assert.ok(Math.abs(known + begun + took - moment) <= took + 1);
      assert.equal(followed(known, asked), known);
    }),
  );
  assert.equal(followed(500, { moment: 1000, begun: 495, ended: 505 }), 500);
});
