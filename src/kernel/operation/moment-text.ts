/** Moments and spans as people write them: `2026-11-20`, `2026-11-20T09:00Z`, `30m`, `4h`, `90d`. */

import { z } from "zod";

const SPAN = /^(\d{1,6})(s|m|h|d|w)$/;
const UNIT_MS = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const;

export const spanInput = z
  .string()
  .regex(SPAN, "must be a number and a unit, such as 30m, 4h, 90d or 2w");

export const momentInput = z
  .string()
  .refine(
    (text) => SPAN.test(text) || !Number.isNaN(parseDate(text)),
    "must be a date (2026-11-20), a moment (2026-11-20T09:00Z) or a time from now (30m, 4h, 2d)",
  );

export function spanMs(text: string): number {
  const [, amount = "0", unit = "s"] = SPAN.exec(text) ?? [];
  return Number(amount) * UNIT_MS[unit as keyof typeof UNIT_MS];
}

/** Spans count from `now`. */
export function momentOf(text: string, now: number): number {
  return SPAN.test(text) ? now + spanMs(text) : parseDate(text);
}

/** The same looking back: a span ends now. */
export function pastMomentOf(text: string, now: number): number {
  return SPAN.test(text) ? now - spanMs(text) : parseDate(text);
}

/** Without an offset it is universal time, whatever the machine's own is. */
function parseDate(text: string): number {
  if (
    !/^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?(?:Z|[+-]\d{2}:\d{2})?)?$/.test(
      text,
    )
  )
    return Number.NaN;
  const isZoned = text.length === 10 || /Z$|[+-]\d{2}:\d{2}$/.test(text);
  return Date.parse(isZoned ? text : `${text}Z`);
}
