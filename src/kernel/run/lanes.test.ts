import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { giveRoom, type Lane, type LaneBook, roomIn, takeRoom } from "./lanes.ts";

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
