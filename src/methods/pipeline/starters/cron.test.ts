import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { type Cron, nextDue, parseCron } from "./cron.ts";
import { checkZone, localText, shownAt } from "./time-zone.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** The next times as clocks of the place show them. */
function times(cron: string, zone: string, after: string, count: number): readonly string[] {
  const parsed = parseCron(cron);
  const found: string[] = [];
  for (let at = Date.parse(after); found.length < count; ) {
    at = nextDue(parsed, zone, at) ?? assert.fail("it is due again");
    found.push(localText(zone, at));
  }
  return found;
}

describe("cron", () => {
  test("lists, spans, steps and names say when", () => {
    const cases: readonly (readonly [string, readonly string[]])[] = [
      ["30 7 * * mon-fri", ["2026-11-20 07:30", "2026-11-23 07:30", "2026-11-24 07:30"]],
      ["*/20 9-10 * * *", ["2026-11-20 09:00", "2026-11-20 09:20", "2026-11-20 09:40"]],
      ["5,35 0 1 JAN,JUL *", ["2027-01-01 00:05", "2027-01-01 00:35", "2027-07-01 00:05"]],
      ["50/5 23 * * *", ["2026-11-20 23:50", "2026-11-20 23:55", "2026-11-21 23:50"]],
      ["0 0 * * 7", ["2026-11-22 00:00", "2026-11-29 00:00", "2026-12-06 00:00"]],
      ["0 0 29 2 ?", ["2028-02-29 00:00", "2032-02-29 00:00", "2036-02-29 00:00"]],
      ["@hourly", ["2026-11-20 01:00", "2026-11-20 02:00", "2026-11-20 03:00"]],
      ["  @Weekly ", ["2026-11-22 00:00", "2026-11-29 00:00", "2026-12-06 00:00"]],
    ];

    for (const [cron, expected] of cases) {
      assert.deepEqual(times(cron, "UTC", "2026-11-20T00:30:00Z", 3), expected, cron);
    }
  });

  test("where both day fields are narrowed, either names the day", () => {
    const either = times("0 0 13 * fri", "UTC", "2026-11-01T00:00:00Z", 4);
    const stepped = times("0 0 */10 * mon", "UTC", "2026-11-01T00:00:00Z", 2);

    assert.deepEqual(
      either.map((text) => text.slice(5, 10)),
      ["11-06", "11-13", "11-20", "11-27"],
    );
    assert.deepEqual(
      stepped.map((text) => text.slice(0, 10)),
      ["2026-12-21", "2027-01-11"],
    );
  });

  test("a time that clocks are put forward over comes when they are, once", () => {
    const spring = "2026-03-28T12:00:00Z";

    assert.deepEqual(times("30 2 * * *", "Europe/Berlin", spring, 2), [
      "2026-03-29 03:00",
      "2026-03-30 02:30",
    ]);
    assert.deepEqual(times("*/30 * * * *", "Europe/Berlin", "2026-03-29T00:30:00Z", 3), [
      "2026-03-29 03:00",
      "2026-03-29 03:30",
      "2026-03-29 04:00",
    ]);
    // A whole day was left out here.
    assert.deepEqual(times("0 9 * * *", "Pacific/Apia", "2011-12-29T20:00:00Z", 2), [
      "2011-12-31 00:00",
      "2011-12-31 09:00",
    ]);
    assert.deepEqual(times("0 0 * * sun", "America/Santiago", "2026-09-05T16:00:00Z", 2), [
      "2026-09-06 01:00",
      "2026-09-13 00:00",
    ]);
  });

  test("a time that comes twice counts once, except for what is due every hour", () => {
    const night = Date.parse("2026-10-25T00:10:00Z");
    const berlin = (cron: string, count: number) => {
      const parsed = parseCron(cron);
      const found: string[] = [];
      for (let at = night; found.length < count; ) {
        at = nextDue(parsed, "Europe/Berlin", at) ?? assert.fail("it is due again");
        found.push(new Date(at).toISOString().slice(8, 16));
      }
      return found;
    };

    assert.deepEqual(berlin("30 2 * * *", 2), ["25T00:30", "26T01:30"]);
    assert.deepEqual(berlin("30 * * * *", 4), ["25T00:30", "25T01:30", "25T02:30", "25T03:30"]);
    assert.deepEqual(berlin("0 */2 * * *", 2), ["25T03:00", "25T05:00"]);
  });

  test("what says no times is refused, saying which field", () => {
    const cases: readonly (readonly [string, RegExp])[] = [
      ["", /one field/],
      ["* * * *", /4 fields/],
      ["0 * * * * *", /6 fields/],
      ["60 * * * *", /minute "60" is not from 0 to 59/],
      ["* 24 * * *", /hour/],
      ["* * 0 * *", /day of the month/],
      ["* * * 13 *", /month/],
      ["* * * * 8", /day of the week/],
      ["* * * * funday", /funday/],
      ["9-5 * * * *", /"9-5" is empty/],
      ["*/0 * * * *", /is empty/],
      ["*-5 * * * *", /mixes/],
      ["1,,2 * * * *", /cannot be read/],
      ["constructor * * * *", /constructor/],
      ["__proto__", /one field/],
      ["1e1 * * * *", /1e1/],
      ["-1 * * * *", /cannot be read/],
      ["@reboot", /one field/],
    ];

    for (const [cron, reason] of cases) {
      assert.throws(() => parseCron(cron), { code: "cron_invalid", message: reason }, cron);
    }
    assert.equal(nextDue(parseCron("0 0 30 2 *"), "UTC", 0), undefined);
  });

  test("zones are taken in any case and unknown ones refused", () => {
    assert.equal(checkZone("europe/berlin"), "Europe/Berlin");
    assert.equal(checkZone("UTC"), "UTC");
    for (const zone of ["Mars/Olympus", "", "../etc", "__proto__"]) {
      assert.throws(() => checkZone(zone), { code: "time_zone_unknown" }, zone);
    }
  });

  test("agrees with watching the clock minute by minute, in any zone and over any change of clocks", () => {
    const field = (least: number, most: number) =>
      fc.oneof(
        fc.constant("*"),
        fc.integer({ min: least, max: most }).map(String),
        fc.integer({ min: 2, max: 30 }).map((step) => `*/${step}`),
        fc
          .tuple(fc.integer({ min: least, max: most }), fc.integer({ min: least, max: most }))
          .map(([one, other]) => `${Math.min(one, other)}-${Math.max(one, other)}`),
        fc
          .array(fc.integer({ min: least, max: most }), { minLength: 1, maxLength: 3 })
          .map((numbers) => numbers.join(",")),
      );
    const cron = fc
      .tuple(field(0, 59), field(0, 23), field(1, 31), field(1, 12), field(0, 7))
      .map((fields) => fields.join(" "));
    // Around moments at which some place or other changed its clocks.
    const moment = fc
      .tuple(fc.constantFrom(...CHANGES), fc.integer({ min: -36 * 60, max: 36 * 60 }))
      .map(([[zone, at], minutes]) => ({ zone, after: Date.parse(at) + minutes * MINUTE + 17 }));

    fc.assert(
      fc.property(cron, moment, (text, { zone, after }) => {
        const parsed = parseCron(text);
        const expected = watchClock(parsed, zone, after, after + 2 * DAY);
        const found = nextDue(parsed, zone, after);

        if (expected !== undefined) assert.equal(found, expected);
        else assert.ok(found === undefined || found > after + 2 * DAY);
      }),
      { numRuns: Number(process.env["CRON_RUNS"] ?? 60) },
    );
  });
});

const CHANGES: readonly (readonly [string, string])[] = [
  ["UTC", "2026-06-01T00:00:00Z"],
  ["Europe/Berlin", "2026-03-29T01:00:00Z"],
  ["Europe/Berlin", "2026-10-25T01:00:00Z"],
  ["America/New_York", "2026-03-08T07:00:00Z"],
  ["America/New_York", "2026-11-01T06:00:00Z"],
  ["Australia/Lord_Howe", "2026-04-04T15:00:00Z"],
  ["Australia/Lord_Howe", "2026-10-03T15:30:00Z"],
  ["America/Santiago", "2026-09-06T04:00:00Z"],
  ["America/Santiago", "2026-04-05T03:00:00Z"],
  ["Africa/Casablanca", "2026-02-15T02:00:00Z"],
  ["Asia/Kolkata", "2026-01-01T00:00:00Z"],
  ["Pacific/Apia", "2011-12-30T10:00:00Z"],
];

/** What the words at the head of `cron.ts` say, and nothing else. */
function watchClock(cron: Cron, zone: string, after: number, until: number): number | undefined {
  const isEveryHour = cron.hours.size === 24;
  const start = Math.floor(after / MINUTE) * MINUTE;
  const seen = new Set<number>();
  for (let at = start - 3 * HOUR; at <= start; at += MINUTE) seen.add(shownAt(zone, at));
  let shown = shownAt(zone, start);
  for (let at = start + MINUTE; at <= until; at += MINUTE) {
    const now = shownAt(zone, at);
    for (let passed = shown + MINUTE; passed < now; passed += MINUTE) {
      if (isDue(cron, passed)) return at;
    }
    const isAgain = seen.has(now);
    seen.add(now);
    if (isDue(cron, now) && (isEveryHour || !isAgain)) return at;
    shown = now;
  }
  return undefined;
}

function isDue(cron: Cron, shown: number): boolean {
  const date = new Date(shown);
  const byDate = cron.days.has(date.getUTCDate());
  const byWeekday = cron.weekdays.has(date.getUTCDay());
  return (
    cron.minutes.has(date.getUTCMinutes()) &&
    cron.hours.has(date.getUTCHours()) &&
    cron.months.has(date.getUTCMonth() + 1) &&
    (cron.eitherDay ? byDate || byWeekday : byDate && byWeekday)
  );
}
