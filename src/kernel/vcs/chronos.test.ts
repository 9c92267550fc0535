import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import {
  chronosDate,
  chronosLine,
  chronosStamp,
  isChronosLine,
  solarLongitude,
} from "./chronos.ts";

/** Day and time (UTC) of March equinox, June solstice, September equinox and December solstice, as published. */
const PUBLISHED = `
2000 20 07:35 21 01:48 22 17:28 21 13:37
2001 20 13:31 21 07:38 22 23:04 21 19:21
2002 20 19:16 21 13:24 23 04:55 22 01:14
2003 21 01:00 21 19:10 23 10:47 22 07:04
2004 20 06:49 21 00:57 22 16:30 21 12:42
2005 20 12:33 21 06:46 22 22:23 21 18:35
2006 20 18:26 21 12:26 23 04:03 22 00:22
2007 21 00:07 21 18:06 23 09:51 22 06:08
2008 20 05:48 20 23:59 22 15:44 21 12:04
2009 20 11:44 21 05:46 22 21:19 21 17:47
2010 20 17:32 21 11:28 23 03:09 21 23:38
2011 20 23:21 21 17:16 23 09:05 22 05:30
2012 20 05:14 20 23:09 22 14:49 21 11:12
2013 20 11:02 21 05:04 22 20:44 21 17:11
2014 20 16:57 21 10:51 23 02:29 21 23:03
2015 20 22:45 21 16:38 23 08:21 22 04:48
2016 20 04:30 20 22:34 22 14:21 21 10:44
2017 20 10:29 21 04:25 22 20:02 21 16:29
2018 20 16:15 21 10:07 23 01:54 21 22:22
2019 20 21:58 21 15:54 23 07:50 22 04:19
2020 20 03:50 20 21:44 22 13:31 21 10:02
2021 20 09:37 21 03:32 22 19:21 21 15:59
2022 20 15:33 21 09:14 23 01:04 21 21:48
2023 20 21:25 21 14:58 23 06:50 22 03:28
2024 20 03:07 20 20:51 22 12:44 21 09:20
2025 20 09:02 21 02:42 22 18:20 21 15:03
2026 20 14:46 21 08:25 23 00:06 21 20:50
2027 20 20:25 21 14:11 23 06:02 22 02:43
2028 20 02:17 20 20:02 22 11:45 21 08:20
2029 20 08:02 21 01:48 22 17:37 21 14:14
2030 20 13:51 21 07:31 22 23:27 21 20:09
`;

interface Turning {
  readonly at: number;
  readonly longitude: number;
}

const MONTHS = [2, 5, 8, 11];

function turnings(): readonly Turning[] {
  return PUBLISHED.trim()
    .split("\n")
    .flatMap((line) => {
      const [year = "", ...days] = line.split(" ");
      return MONTHS.map((month, i) => {
        const [hour, minute] = (days[2 * i + 1] ?? "").split(":").map(Number);
        const at = Date.UTC(Number(year), month, Number(days[2 * i]), hour, minute);
        return { at, longitude: 90 * i };
      });
    });
}

function distance(a: number, b: number): number {
  const apart = Math.abs(a - b) % 360;
  return Math.min(apart, 360 - apart);
}

describe("the Sun's longitude", () => {
  test("meets every published equinox and solstice from 2000 to 2030 within 0.02°", () => {
    const published = turnings();

    const errors = published.map(({ at, longitude }) => distance(solarLongitude(at), longitude));

    assert.equal(published.length, 124);
    assert.ok(Math.max(...errors) < 0.02, `off by ${Math.max(...errors)}°`);
  });

  test("grows by about a degree a day and never steps back", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: Date.UTC(1900), max: Date.UTC(2100) }),
        fc.integer({ min: 60_000, max: 86_400_000 }),
        (at, later) => {
          const moved = (solarLongitude(at + later) - solarLongitude(at) + 360) % 360;
          const days = later / 86_400_000;
          assert.ok(moved > 0.94 * days && moved < 1.03 * days, `${moved} in ${days} days`);
        },
      ),
    );
  });
});

describe("the chronos date", () => {
  test("is written as sign, degree, minute, second from 1, and year", () => {
    const at = Date.UTC(2026, 1, 22, 17, 48);

    assert.match(chronosLine(at), /^♓\uFE0E\.5\.\d+\.\d+ 5919AM$/);
    assert.match(chronosStamp(at), /^59191205\d{4}$/);
  });

  test("begins a year at the March equinox, whatever our calendar says", () => {
    const equinox = Date.UTC(2026, 2, 20, 14, 46);
    const anHour = 3_600_000;

    assert.deepEqual(
      [chronosDate(equinox - anHour).year, chronosDate(equinox - anHour).sign],
      [5919, 12],
    );
    assert.deepEqual(
      [chronosDate(equinox + anHour).year, chronosDate(equinox + anHour).sign],
      [5920, 1],
    );
    assert.equal(chronosDate(Date.UTC(2026, 11, 31, 23, 59)).year, 5920);
    assert.equal(chronosDate(Date.UTC(2027, 0, 1)).year, 5920);
  });

  test("always has counts within their bounds, and its line is recognised", () => {
    fc.assert(
      fc.property(fc.integer({ min: Date.UTC(1600), max: Date.UTC(2600) }), (at) => {
        const { sign, degree, minute, second } = chronosDate(at);

        assert.ok(sign >= 1 && sign <= 12 && degree >= 1 && degree <= 30);
        assert.ok(minute >= 1 && minute <= 60 && second >= 1 && second <= 60);
        assert.ok(isChronosLine(chronosLine(at)));
        assert.match(chronosStamp(at), /^\d{12}$/);
      }),
    );
  });

  test("is told from lines that only look like one", () => {
    for (const line of [
      "♓.5.4.47 5919AM",
      "♓\uFE0E.31.4.47 5919AM",
      "♓\uFE0E.5.0.47 5919AM",
      "♓\uFE0E 2026-02-22",
      "solar: ♓\uFE0E5°4'47\" | 5919 AM",
      "",
    ]) {
      assert.equal(isChronosLine(line), false, line);
    }
  });
});
