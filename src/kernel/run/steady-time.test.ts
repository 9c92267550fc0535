import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { scratchSqlite, scratchStore } from "../../../tests/scratch/scratch-store.ts";
import { systemClock } from "../base/clock.ts";
import { executeSql } from "../store/database-work.ts";
import { engineTables } from "../store/engine-migration.ts";
import { appendEvents } from "../store/events.ts";
import { sqlText } from "../store/sql-text.ts";
import { latestMoment, steadyTime, steadyTimeOf } from "./steady-time.ts";

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

test("goes on by the time that passed since it was last asked, in whole milliseconds", async () => {
  const { state, clock } = settableClock();
  state.elapsed = 700;
  const steady = steadyTime(clock, 2_000_000);
  state.elapsed += 10.75;
  assert.equal(steady.now(), 2_000_010);
  state.elapsed += 10;
  assert.equal(steady.now(), 2_000_020);
  assert.equal(steady.elapsed(), 720.75);
  assert.equal(await steady.sleep(1), undefined);
});

test("the latest moment of a store is that of its last events, or when its last lease began", async (t) => {
  const { store, remove } = await scratchSqlite([engineTables]);
  t.after(remove);
  const event = { stream: "s", type: "run.started", projectId: null, actor: "test", data: {} };
  const latest = () => store.readNow(() => latestMoment(10_000));

  assert.equal(latest(), 0);
  store.writeNow(() => appendEvents([event], 70_000));
  assert.equal(latest(), 70_000);
  store.writeNow(function* () {
    yield* executeSql(RUN, [1]);
    yield* executeSql(LEASED, [1, 1, 90_000]);
  });
  assert.equal(latest(), 80_000);
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

for (const dialect of ["sqlite", "postgres"] as const) {
  test(`on ${dialect}, a process that starts after the clock was set back goes on from what others wrote before, also when people wrote since`, async (t) => {
    const { store, remove } = await scratchStore(dialect, [engineTables]);
    t.after(remove);
    const HOUR = 3_600_000;
    const wall = systemClock.now();
    const isAbout = async (moment: number) => {
      const { now } = await steadyTimeOf(store, systemClock, 10_000);
      assert.ok(Math.abs(now() - moment) < HOUR / 4, `${(now() - wall) / HOUR} h ahead`);
    };
    const event = { stream: "s", type: "run.started", projectId: null, actor: "test", data: {} };

    await isAbout(wall);
    await store.write(() => appendEvents([event], wall + HOUR));
    await store.write(() => appendEvents([event], wall));
    await isAbout(wall + HOUR);
    await store.write(function* () {
      yield* executeSql(RUN, [wall]);
      yield* executeSql(LEASED, [wall, wall, wall + 2 * HOUR]);
    });
    await isAbout(wall + 2 * HOUR);
  });
}

const RUN = sqlText(
  "insert into run (id, method, title, state, input, limits, started_by, created_at) values ('r', 'trial', 'A trial', 'running', '{}', '{}', 'ann', ?)",
);
const LEASED = sqlText(
  `insert into job (id, run_id, key, kind, handler, step, input, state, lane, run_at, created_at, worker, lease_until)
   values ('j', 'r', 'k', 'move', 'h', 's', '{}', 'leased', 'l', ?, ?, 'dead', ?)`,
);
