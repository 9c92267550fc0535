/**
 * A week of the whole engine with its methods in simulated time, looked through at the end of every day. `WEEK=200` says
 * how many runs people start a day; five are one of each method.
 */

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type DaySample, growthOf, perStep } from "./growth.ts";
import { playWeekInThread } from "./play-week.ts";

const { WEEK } = process.env;
const RUNS_A_DAY = Number(WEEK ?? 1);
const DAYS = 7;

const SOMETIMES = [
  "answer lost after a commit",
  "people answered",
  "processes killed at work",
  "webhooks came in twice",
] as const;

describe("a week", () => {
  test(`of ${RUNS_A_DAY} runs a day and what starts by itself: nothing is lost, every run ends or visibly waits, schedules fire once, and day ${DAYS} is as day 2`, async (t) => {
    const played = await playWeekInThread("a week", { days: DAYS, runsADay: RUNS_A_DAY });
    const { days, happened, states, accepted, fired, missed, backups } = played;

    for (const day of days) t.diagnostic(told(day));
    t.diagnostic(
      `${accepted} runs of people and webhooks accepted, 0 lost; ${JSON.stringify(states)}; schedules fired ${fired} times and made up for ${missed}, 0 forgotten, 0 doubled; ${backups} backups`,
    );
    for (const [what, times] of Object.entries(happened)) t.diagnostic(`${times} × ${what}`);
    assert.deepEqual(growthOf(days), []);
    assert.equal(days.length, DAYS);
    assert.ok(missed > 0, "schedules made up for the evening without power");
    for (const what of SOMETIMES) assert.ok((happened[what] ?? 0) > 0, `it happened: ${what}`);
  });

  test("in which nobody brings the search index up to date is told by the table that grows", {
    skip: WEEK === undefined ? "WEEK says how many runs a day" : false,
  }, async () => {
    const { days } = await playWeekInThread("a leak", { days: 4, runsADay: 1, leaks: true });
    assert.match(growthOf(days).join("\n"), /^search_queue should not grow: \d+ and \d+ rows/m);
  });
});

function told(day: DaySample): string {
  const megabytes = (bytes: number) => (bytes / 2 ** 20).toFixed(1);
  const rows = Object.values(day.rows).reduce((sum, each) => sum + each, 0);
  return `day ${day.day}: ${day.steps} steps, ${perStep(day)} statements a step, ${rows} rows, file ${megabytes(day.fileBytes)} MB (${megabytes(day.usedBytes)} used), memory ${megabytes(day.memoryBytes)} MB`;
}
