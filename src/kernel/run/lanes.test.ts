import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { scratchSqlite } from "../../../tests/scratch/scratch-store.ts";
import { executeSql, together } from "../store/database-work.ts";
import { engineTables } from "../store/engine-migration.ts";
import { sqlText } from "../store/sql-text.ts";
import {
  addLane,
  giveRoom,
  isLimitedLane,
  type Lane,
  type LaneBook,
  type LaneRow,
  limitLane,
  listLanesStatement,
  openLaneBook,
  roomIn,
  takeRoom,
  writeLaneBook,
} from "./lanes.ts";

const START = Date.UTC(2026, 0, 1);

function laneOf(limits: Partial<Lane>): Lane {
  return {
    name: "lane",
    maxRunning: null,
    running: 0,
    ratePerMinute: null,
    burst: null,
    tokens: 0,
    refilledAt: START,
    ...limits,
  };
}

function bookOf(lane: Lane): LaneBook {
  const lanes = new Map([[lane.name, lane]]);
  return { lanes, changed: new Set(), added: new Set(), hasBudgets: false };
}

function capacityOf({ ratePerMinute, burst }: Lane): number {
  return burst ?? Math.max(1, Math.ceil((ratePerMinute ?? 0) / 60));
}

const anyLane = fc.record({
  maxRunning: fc.option(fc.integer({ min: 1, max: 5 })),
  ratePerMinute: fc.option(fc.integer({ min: 1, max: 600 })),
  burst: fc.option(fc.integer({ min: 1, max: 10 })),
});
/** Time goes on, stands still, or steps back. */
const anyMoves = fc.array(
  fc.record({
    passMs: fc.oneof(
      fc.integer({ min: 0, max: 3000 }),
      fc.constant(0),
      fc.integer({ min: -7_200_000, max: 0 }),
    ),
    wanted: fc.nat({ max: 6 }),
    finished: fc.nat({ max: 3 }),
  }),
  { maxLength: 60 },
);

describe("a lane", () => {
  test("never runs more than its limit, and its bucket stays between empty and full", () => {
    fc.assert(
      fc.property(anyLane, anyMoves, (limits, moves) => {
        fc.pre(limits.maxRunning !== null || limits.ratePerMinute !== null);
        const lane = laneOf({ ...limits, tokens: 1 });
        let now = START;
        let running = 0;
        for (const { passMs, wanted, finished } of moves) {
          now += passMs;
          const book = bookOf(lane);
          const over = Math.min(running, finished);
          giveRoom(
            book,
            Array.from({ length: over }, () => lane.name),
            now,
          );
          running -= over;
          const started = Math.min(roomIn(lane, now).free, wanted);
          takeRoom(book, lane.name, started, now);
          running += started;

          assert.equal(lane.running, running);
          assert.ok(running <= (limits.maxRunning ?? Number.POSITIVE_INFINITY));
          assert.ok(lane.tokens >= 0 && lane.tokens <= capacityOf(lane) + 1e-9);
        }
      }),
      { numRuns: 500 },
    );
  });

  test("never starts more than its rate allows, however often a transaction takes and gives", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 600 }),
        fc.integer({ min: 1, max: 10 }),
        fc.array(fc.record({ passMs: fc.nat({ max: 2000 }), rounds: fc.nat({ max: 4 }) })),
        (ratePerMinute, burst, moves) => {
          const lane = laneOf({ ratePerMinute, burst, tokens: burst });
          let now = START;
          let started = 0;
          for (const { passMs, rounds } of moves) {
            now += passMs;
            const book = bookOf(lane);
            for (let round = 0; round <= rounds; round += 1) {
              giveRoom(book, [lane.name], now);
              const free = roomIn(lane, now).free;
              takeRoom(book, lane.name, free, now);
              started += free;
            }
          }
          const allowed = burst + ((now - START) * ratePerMinute) / 60_000;
          assert.ok(started <= allowed + 1e-6, `${started} started, ${allowed} allowed`);
        },
      ),
      { numRuns: 500 },
    );
  });

  test("keeps its rate when two workers' clocks differ by seconds", () => {
    const lane = laneOf({ ratePerMinute: 60, burst: 1, tokens: 1 });
    let started = 0;
    for (let step = 0; step < 600; step += 1) {
      const now = START + step * 100 + (step % 2) * 5000;
      const { free } = roomIn(lane, now);
      takeRoom(bookOf(lane), lane.name, free, now);
      started += free;
    }

    assert.ok(started <= 67, `${started} started in 65 s at one a second`);
  });

  test("goes on at its rate after a clock that was an hour ahead is set right", () => {
    const lane = laneOf({ ratePerMinute: 60, burst: 1, tokens: 1 });
    takeRoom(bookOf(lane), lane.name, 1, START + 3_600_000);

    let started = 0;
    for (let second = 0; second < 120; second += 1) {
      const { free } = roomIn(lane, START + second * 1000);
      takeRoom(bookOf(lane), lane.name, free, START + second * 1000);
      started += free;
    }

    assert.ok(started >= 58 && started <= 121, `${started} started in two minutes`);
  });

  test("without limits has room for everything and is never written", () => {
    const lane = laneOf({});
    const book = bookOf(lane);

    takeRoom(book, lane.name, 1000, START);
    giveRoom(book, [lane.name], START);

    assert.equal(roomIn(lane, START).free, Number.POSITIVE_INFINITY);
    assert.equal(book.changed.size, 0);
  });

  test("whose limit was lowered below what runs has no room until enough have finished", () => {
    const lane = laneOf({ maxRunning: 2, running: 5 });
    assert.equal(roomIn(lane, START).free, 0);

    giveRoom(bookOf(lane), ["lane", "lane", "lane"], START);
    assert.equal(roomIn(lane, START).free, 0);

    giveRoom(bookOf(lane), ["lane"], START);
    assert.equal(roomIn(lane, START).free, 1);
  });
});

test("a bucket without a burst of its own holds the starts of a second, at least one", () => {
  for (const [ratePerMinute, held] of [
    [1, 1],
    [61, 2],
    [600, 10],
  ] as const) {
    const { free, tokens } = roomIn(laneOf({ ratePerMinute, tokens: 1000 }), START);
    assert.deepEqual({ free, tokens }, { free: held, tokens: held });
  }
});

test("a bucket fills by its rate, and neither time that stood still nor room given back fills it twice", () => {
  const lane = laneOf({ ratePerMinute: 60_000, burst: 100_000, running: 1 });

  assert.equal(roomIn(lane, START).tokens, 0);
  assert.equal(roomIn(lane, START + 60_000).tokens, 60_000);
  giveRoom(bookOf(lane), ["lane"], START + 1000);
  assert.deepEqual([lane.tokens, lane.refilledAt, lane.running], [1000, START + 1000, 0]);
});

test("a clock that is a minute behind is a worker's; one further behind was set back", () => {
  const refilledAfter = (behindMs: number) => {
    const lane = laneOf({ ratePerMinute: 60, burst: 1, tokens: 1 });
    takeRoom(bookOf(lane), "lane", 1, START - behindMs);
    return lane.refilledAt;
  };

  assert.equal(refilledAfter(60_000), START);
  assert.equal(refilledAfter(60_001), START - 60_001);
});

test("lanes are in the store with their limits, what runs in them and how full their buckets are", async (t) => {
  const { store, remove } = await scratchSqlite([engineTables]);
  t.after(remove);
  const open = () =>
    store.readNow(function* () {
      const [listed] = yield* together([listLanesStatement()]);
      return openLaneBook((listed?.rows ?? []) as readonly LaneRow[]);
    });
  const NO_LIMIT = { maxRunning: null, ratePerMinute: null, burst: null };

  assert.deepEqual(open(), {
    lanes: new Map(),
    changed: new Set(),
    added: new Set(),
    hasBudgets: false,
  });
  store.writeNow(() => limitLane("slow", { ...NO_LIMIT, maxRunning: 3 }, START));
  store.writeNow(() => limitLane("rated", { ...NO_LIMIT, ratePerMinute: 90, burst: 7 }, START));
  const book = open();
  assert.deepEqual(
    [...book.lanes.values()],
    [
      laneOf({ name: "rated", ratePerMinute: 90, burst: 7, tokens: 7 }),
      laneOf({ name: "slow", maxRunning: 3, tokens: 1 }),
    ],
  );

  takeRoom(book, "rated", 2, START + 1);
  takeRoom(book, "slow", 2, START + 2);
  giveRoom(book, ["slow"], START + 3);
  for (const name of ["slow", "new", "also new", "new"]) addLane(book, name);
  assert.deepEqual(
    [...Array.from(book.changed, ({ name }) => name), ...book.added],
    ["rated", "slow", "new", "also new"],
  );
  assert.deepEqual(
    ["slow", "rated", "new", "unknown"].map((name) => isLimitedLane(book, name)),
    [true, true, false, false],
  );
  store.writeNow(() => writeLaneBook(book));
  assert.deepEqual(
    [...open().lanes.values()],
    [
      laneOf({ name: "also new", refilledAt: 0 }),
      laneOf({ name: "new", refilledAt: 0 }),
      laneOf({
        name: "rated",
        ratePerMinute: 90,
        burst: 7,
        running: 2,
        tokens: 5,
        refilledAt: START + 1,
      }),
      laneOf({ name: "slow", maxRunning: 3, running: 1, tokens: 1, refilledAt: START + 3 }),
    ],
  );

  store.writeNow(() => limitLane("slow", NO_LIMIT, START + 9));
  assert.deepEqual(
    open().lanes.get("slow"),
    laneOf({ name: "slow", tokens: 1, refilledAt: START + 9 }),
  );
  assert.equal(open().hasBudgets, false);
  store.writeNow(() => executeSql(sqlText("insert into budget (scope) values ('workspace')"), []));
  assert.equal(open().hasBudgets, true);
});

test("who was given room in lanes nobody knows, and lanes that were written and are gone, change nothing", () => {
  const lane = laneOf({ maxRunning: 1 });
  const book = bookOf(lane);
  giveRoom(book, ["gone"], START);
  takeRoom(book, "gone", 1, START);

  assert.deepEqual([...book.changed], []);
  assert.equal(lane.running, 0);
});
