/**
 * Moments as places on a line. Time in which no machine was at work is folded, or an hour of waiting would leave no
 * room for the seconds of work around it.
 */

export interface TimeSpan {
  readonly from: number;
  readonly to: number;
}

export interface TimeScale {
  /** From 0 to 100. */
  readonly at: (moment: number) => number;
  /** Where time was left out, in the same measure. */
  readonly folds: readonly { readonly at: number; readonly ms: number }[];
  readonly ticks: readonly { readonly at: number; readonly ms: number }[];
}

const FOLD_WIDTH = 2.2;
const MOST_TICKS = 9;
const STEPS = [
  10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 15_000, 30_000, 60_000, 120_000, 300_000,
  600_000, 900_000, 1_800_000, 3_600_000, 7_200_000, 21_600_000, 43_200_000, 86_400_000,
];

/** `work` is when machines were at it; the line reaches from `start` to `end`. */
export function timeScale(
  work: readonly TimeSpan[],
  { from: start, to: end }: TimeSpan,
): TimeScale {
  const whole = Math.max(1, end - start);
  const busy = merged(work, start, end);
  const busyMs = Math.max(
    1,
    busy.reduce((sum, { from, to }) => sum + to - from, 0),
  );
  const isLong = (ms: number) => ms > Math.max(busyMs * 0.6, whole * 0.12, 400);
  const folds = gapsIn(busy, start, end).filter(({ from, to }) => isLong(to - from));
  const shownMs = whole - folds.reduce((sum, { from, to }) => sum + to - from, 0);
  const room = 100 - folds.length * FOLD_WIDTH;
  const perMs = room / Math.max(1, shownMs);
  const at = (moment: number) => {
    let place = (Math.min(end, Math.max(start, moment)) - start) * perMs;
    for (const { from, to } of folds) {
      if (moment <= from) break;
      const share = Math.min(1, (moment - from) / (to - from));
      place += share * FOLD_WIDTH - Math.min(moment - from, to - from) * perMs;
    }
    return Math.min(100, Math.max(0, place));
  };
  return {
    at,
    folds: folds.map(({ from, to }) => ({ at: at(from), ms: to - from })),
    ticks: ticksOf(shownMs, start, end, folds).map((moment) => ({
      at: at(moment),
      ms: moment - start,
    })),
  };
}

function merged(work: readonly TimeSpan[], start: number, end: number): readonly TimeSpan[] {
  const found: TimeSpan[] = [];
  for (const { from, to } of work.toSorted((a, b) => a.from - b.from)) {
    const last = found.at(-1);
    if (last !== undefined && from <= last.to)
      found[found.length - 1] = { from: last.from, to: Math.max(last.to, to) };
    else found.push({ from: Math.max(start, from), to: Math.min(end, Math.max(from, to)) });
  }
  return found;
}

function gapsIn(busy: readonly TimeSpan[], start: number, end: number): readonly TimeSpan[] {
  const edges = [{ from: start, to: start }, ...busy, { from: end, to: end }];
  return edges.flatMap(({ to }, n) => {
    const next = edges[n + 1];
    return next === undefined || next.from <= to ? [] : [{ from: to, to: next.from }];
  });
}

function ticksOf(
  shownMs: number,
  start: number,
  end: number,
  folds: readonly TimeSpan[],
): readonly number[] {
  const step =
    STEPS.find((each) => shownMs / each <= MOST_TICKS) ?? Math.ceil(shownMs / MOST_TICKS);
  const ticks: number[] = [];
  for (let moment = start; moment <= end; moment += step) {
    const fold = folds.find(({ from, to }) => moment > from && moment < to);
    if (fold === undefined) ticks.push(moment);
    // On the far side of a fold, at the next round number.
    else moment = start + Math.floor((fold.to - start) / step) * step;
  }
  return ticks;
}

/** 0:07, 25:39, 3:20:00; below ten seconds with a fraction. */
export function tickText(ms: number): string {
  const seconds = ms / 1000;
  if (seconds < 10 && ms % 1000 !== 0) return `${seconds.toFixed(ms % 100 === 0 ? 1 : 2)} s`;
  const whole = Math.round(seconds);
  const two = (number: number) => String(number).padStart(2, "0");
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor((whole % 3600) / 60)];
  if (hours > 0) return `${hours}:${two(minutes)}:${two(whole % 60)}`;
  return `${minutes}:${two(whole % 60)}`;
}
