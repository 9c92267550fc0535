/** Times for people: relative under a day, then a date. */

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

export function timeAgo(at: number, now: number): string {
  const passed = now - at;
  const size = Math.abs(passed);
  if (size < 10 * SECOND) return "just now";
  if (size >= DAY) return dateText(at);
  const amount = shortSpan(size);
  return passed > 0 ? `${amount} ago` : `in ${amount}`;
}

/** `14.2 s`, `25 min`, `3 h 20 min`, `2 d 4 h`. */
export function spanText(ms: number): string {
  if (ms < SECOND) return `${Math.round(ms)} ms`;
  if (ms < MINUTE) return `${(ms / SECOND).toFixed(1)} s`;
  if (ms < HOUR) return twoUnits(ms, MINUTE, "min", SECOND, "s");
  if (ms < DAY) return twoUnits(ms, HOUR, "h", MINUTE, "min");
  return twoUnits(ms, DAY, "d", HOUR, "h");
}

/** In universal time, so that two people read the same. */
export function dateText(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}

export function momentText(at: number): string {
  return `${new Date(at).toISOString().slice(0, 16).replace("T", " ")} UTC`;
}

function shortSpan(ms: number): string {
  if (ms < MINUTE) return `${Math.floor(ms / SECOND)} s`;
  if (ms < HOUR) return `${Math.floor(ms / MINUTE)} min`;
  return `${Math.floor(ms / HOUR)} h`;
}

function twoUnits(ms: number, big: number, bigName: string, small: number, smallName: string) {
  const whole = Math.floor(ms / big);
  const rest = Math.floor((ms % big) / small);
  return rest === 0 ? `${whole} ${bigName}` : `${whole} ${bigName} ${rest} ${smallName}`;
}
