import assert from "node:assert/strict";
import { test } from "node:test";
import { strayTimes } from "./fired-times.ts";

const HOUR = 3_600_000;
const HOURLY = { id: "one", cron: "0 * * * *", timeZone: "UTC", since: 0 };
const NONE = { doubled: [], forgotten: [], strange: [] };

test("each time fired once, or made up for by the one before it, is right", () => {
  const fired = [
    { dueAt: HOUR, missed: 0 },
    { dueAt: 2 * HOUR, missed: 2 },
  ];
  assert.deepEqual(strayTimes(HOURLY, fired, 4 * HOUR + 1), NONE);
});

test("a time that came twice, one that never came and one that is none are told", () => {
  const fired = [
    { dueAt: HOUR, missed: 1 },
    { dueAt: 2 * HOUR, missed: 0 },
    { dueAt: 2.5 * HOUR, missed: 0 },
  ];
  assert.deepEqual(strayTimes(HOURLY, fired, 3 * HOUR), {
    doubled: [2 * HOUR],
    forgotten: [3 * HOUR],
    strange: [2.5 * HOUR],
  });
});
