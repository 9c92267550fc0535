/** The time of a place: what its clocks show at a moment, and at which moments they show a time. */

import { ProductError } from "../../../kernel/base/errors.ts";

export interface LocalDay {
  readonly year: number;
  /** From 1. */
  readonly month: number;
  readonly day: number;
  /** From 0, Sunday. */
  readonly weekday: number;
}

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

/** The name as it is written in the list of zones; refuses what is not in it. */
export function checkZone(zone: string): string {
  try {
    return makeFormatter(zone).resolvedOptions().timeZone;
  } catch (cause) {
    throw new ProductError("time_zone_unknown", `There is no time zone "${zone}".`, {
      hint: "Such as Europe/Berlin, America/New_York or UTC.",
      cause,
    });
  }
}

/** The days of the place, beginning with the one before the moment: clocks put back at midnight lead into it again. */
export function* daysFrom(zone: string, moment: number, count: number): Generator<LocalDay> {
  const start = Math.floor(shownAt(zone, moment) / DAY) * DAY - DAY;
  for (let number = 0; number < count; number += 1) {
    const date = new Date(start + number * DAY);
    yield {
      year: date.getUTCFullYear(),
      month: date.getUTCMonth() + 1,
      day: date.getUTCDate(),
      weekday: date.getUTCDay(),
    };
  }
}

/**
 * The moments at which clocks of the place show a time of that day, in order: one, or two where clocks are put back.
 * A time that clocks are put forward over comes at the moment when they are.
 */
export function momentsOn(
  zone: string,
  { year, month, day }: LocalDay,
): (hour: number, minute: number) => readonly number[] {
  const midnight = Date.UTC(year, month - 1, day);
  const before = offsetAt(zone, midnight - DAY);
  const after = offsetAt(zone, midnight + 2 * DAY);
  return (hour, minute) => {
    const shown = midnight + (hour * 60 + minute) * MINUTE;
    if (before === after) return [shown - before];
    const found = [shown - before, shown - after].filter(
      (moment) => shownAt(zone, moment) === shown,
    );
    if (found.length > 0) return found.toSorted((a, b) => a - b);
    return [changeBetween(zone, shown - after, shown - before)];
  };
}

/** What a clock of the place shows, as if it were universal time. To the second, which is all that offsets have. */
export function shownAt(zone: string, moment: number): number {
  const shown: Record<string, number> = {};
  for (const { type, value } of formatterOf(zone).formatToParts(moment)) {
    shown[type] = Number(value);
  }
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = shown;
  return Date.UTC(year, month - 1, day, hour, minute, second);
}

/** `2026-11-18 07:30`, as clocks there show it. */
export function localText(zone: string, moment: number): string {
  return new Date(shownAt(zone, moment)).toISOString().slice(0, 16).replace("T", " ");
}

function offsetAt(zone: string, moment: number): number {
  return shownAt(zone, moment) - Math.floor(moment / 1000) * 1000;
}

/** The first moment, to the second, at which the offset is the one of `to`. */
function changeBetween(zone: string, from: number, to: number): number {
  const after = offsetAt(zone, to);
  let [low, high] = [from / 1000, to / 1000];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (offsetAt(zone, middle * 1000) === after) high = middle;
    else low = middle;
  }
  return high * 1000;
}

const formatters = new Map<string, Intl.DateTimeFormat>();

/** Making one costs a hundred times what using one does. */
function formatterOf(zone: string): Intl.DateTimeFormat {
  const known = formatters.get(zone);
  if (known) return known;
  const made = makeFormatter(zone);
  formatters.set(zone, made);
  return made;
}

function makeFormatter(zone: string): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat("en-US", {
    timeZone: zone,
    calendar: "gregory",
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
  });
}
