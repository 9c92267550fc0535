/**
 * When a schedule is due: five fields, `minute hour day-of-month month day-of-week`, in the time of a place.
 *
 * As cron has it, a day counts when either of its two fields names it, if both are narrowed. Where clocks are put
 * forward, times that do not exist come at the first moment that does, all of them once. Where they are put back, a
 * time that comes twice counts the first time; only a schedule for every hour counts it twice, because it is hours
 * that such a schedule counts.
 */

import { ProductError } from "../../../kernel/base/errors.ts";
import { daysFrom, type LocalDay, momentsOn } from "./time-zone.ts";

export interface Cron {
  readonly minutes: ReadonlySet<number>;
  readonly hours: ReadonlySet<number>;
  readonly days: ReadonlySet<number>;
  readonly months: ReadonlySet<number>;
  /** From 0, Sunday. */
  readonly weekdays: ReadonlySet<number>;
  /** Both day fields are narrowed: either may name the day. */
  readonly eitherDay: boolean;
}

interface Field {
  readonly name: string;
  readonly least: number;
  readonly most: number;
  readonly words?: readonly string[];
}

const MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split(" ");
const WEEKDAYS = "sun mon tue wed thu fri sat".split(" ");
const MINUTE: Field = { name: "minute", least: 0, most: 59 };
const HOUR: Field = { name: "hour", least: 0, most: 23 };
const DAY: Field = { name: "day of the month", least: 1, most: 31 };
const MONTH: Field = { name: "month", least: 1, most: 12, words: MONTHS };
/** 7 is Sunday again. */
const WEEKDAY: Field = { name: "day of the week", least: 0, most: 7, words: WEEKDAYS };

const SHORT: ReadonlyMap<string, string> = new Map([
  ["@hourly", "0 * * * *"],
  ["@daily", "0 0 * * *"],
  ["@midnight", "0 0 * * *"],
  ["@weekly", "0 0 * * 0"],
  ["@monthly", "0 0 1 * *"],
  ["@yearly", "0 0 1 1 *"],
  ["@annually", "0 0 1 1 *"],
]);

export function parseCron(text: string): Cron {
  const written = text.trim().toLowerCase();
  const fields = (SHORT.get(written) ?? written).split(/\s+/);
  const [minute = "", hour = "", day = "", month = "", weekday = ""] = fields;
  if (fields.length !== 5) {
    throw invalid(text, `it has ${fields.length === 1 ? "one field" : `${fields.length} fields`}`);
  }
  const read = (field: Field, part: string) => parseField(field, part, text);
  return {
    minutes: read(MINUTE, minute),
    hours: read(HOUR, hour),
    days: read(DAY, day),
    months: read(MONTH, month),
    weekdays: new Set([...read(WEEKDAY, weekday)].map((number) => number % 7)),
    eitherDay: !isStar(day) && !isStar(weekday),
  };
}

/** The first due moment after `after`; undefined when there is none, such as for the 30th of February. */
export function nextDue(cron: Cron, zone: string, after: number): number | undefined {
  for (const day of daysFrom(zone, after, DAYS_AHEAD)) {
    if (!isDueOn(cron, day)) continue;
    const moments = dueOn(cron, zone, day).filter((moment) => moment > after);
    if (moments.length > 0) return Math.min(...moments);
  }
  return undefined;
}

/** A leap day may be eight years away. */
const DAYS_AHEAD = 8 * 366 + 2;

function isDueOn({ days, months, weekdays, eitherDay }: Cron, day: LocalDay): boolean {
  if (!months.has(day.month)) return false;
  const [byDate, byWeekday] = [days.has(day.day), weekdays.has(day.weekday)];
  return eitherDay ? byDate || byWeekday : byDate && byWeekday;
}

function dueOn({ hours, minutes }: Cron, zone: string, day: LocalDay): readonly number[] {
  const isEveryHour = hours.size === 24;
  const moments = momentsOn(zone, day);
  const due: number[] = [];
  for (const hour of hours) {
    for (const minute of minutes) {
      const found = moments(hour, minute);
      due.push(...(isEveryHour ? found : found.slice(0, 1)));
    }
  }
  return due;
}

/** `*` and `*` with a step leave the field open, as cron has it. */
function isStar(part: string): boolean {
  return part.startsWith("*") || part === "?";
}

function parseField(field: Field, part: string, text: string): ReadonlySet<number> {
  const numbers = new Set<number>();
  for (const piece of part.split(",")) {
    const [, first, last, step] =
      /^(\*|\?|[a-z0-9]+)(?:-([a-z0-9]+))?(?:\/(\d{1,4}))?$/.exec(piece) ?? [];
    if (first === undefined) throw invalid(text, `its ${field.name} "${piece}" cannot be read`);
    const isOpen = first === "*" || first === "?";
    const from = isOpen ? field.least : toNumber(field, first, text);
    const to = lastOf(field, { isOpen, from, last, hasStep: step !== undefined }, text);
    const by = step === undefined ? 1 : Number(step);
    if (by === 0 || to < from) throw invalid(text, `its ${field.name} "${piece}" is empty`);
    for (let number = from; number <= to; number += by) numbers.add(number);
  }
  return numbers;
}

interface Span {
  readonly isOpen: boolean;
  readonly from: number;
  readonly last: string | undefined;
  readonly hasStep: boolean;
}

function lastOf(field: Field, { isOpen, from, last, hasStep }: Span, text: string): number {
  // 7 is 0 again: an open field need not name it.
  const most = field === WEEKDAY ? 6 : field.most;
  if (last !== undefined && !isOpen) return toNumber(field, last, text);
  if (last !== undefined) throw invalid(text, `its ${field.name} mixes * and a span`);
  return isOpen || hasStep ? most : from;
}

function toNumber(field: Field, word: string, text: string): number {
  const place = field.words?.indexOf(word) ?? -1;
  const number = place === -1 ? Number(/^\d{1,2}$/.test(word) ? word : "NaN") : place;
  const value = place !== -1 && field === MONTH ? number + 1 : number;
  if (value >= field.least && value <= field.most) return value;
  throw invalid(text, `its ${field.name} "${word}" is not from ${field.least} to ${field.most}`);
}

function invalid(text: string, why: string): ProductError {
  return new ProductError("cron_invalid", `"${text}" says no times: ${why}.`, {
    hint: "Write minute, hour, day of the month, month and day of the week, such as `30 7 * * mon-fri`, or `@daily`.",
    details: { cron: text },
  });
}
