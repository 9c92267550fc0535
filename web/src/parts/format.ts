/** Facts as the pages write them: short, the same everywhere, true at a glance. */

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Cents; below a cent, four places. */
export function money(microUsd: number): string {
  const usd = microUsd / 1e6;
  const places = microUsd > 0 && usd < 0.01 ? 4 : 2;
  return `$${usd.toLocaleString("en", { minimumFractionDigits: places, maximumFractionDigits: places })}`;
}

export function count(number: number): string {
  return number.toLocaleString("en");
}

export function plural(number: number, one: string, many = `${one}s`): string {
  return `${count(number)} ${number === 1 ? one : many}`;
}

/** 812, 6.1k, 1.2M. */
export function brief(number: number): string {
  if (number < 10_000) return count(number);
  if (number < 999_500) return `${trim(number / 1000)}k`;
  return `${trim(number / 1e6)}M`;
}

function trim(number: number): string {
  return number >= 100 ? String(Math.round(number)) : number.toFixed(1).replace(/\.0$/, "");
}

/** How long something took: 850 ms, 2.1 s, 14 min, 3 h 20. */
export function span(ms: number): string {
  if (ms < 1000) return `${Math.max(0, Math.round(ms))} ms`;
  if (ms < MINUTE) return `${trim(ms / 1000)} s`;
  if (ms < HOUR) return `${Math.floor(ms / MINUTE)} min ${Math.floor((ms % MINUTE) / 1000)} s`;
  if (ms < DAY) return `${Math.floor(ms / HOUR)} h ${Math.floor((ms % HOUR) / MINUTE)} min`;
  return plural(Math.floor(ms / DAY), "day");
}

/** Relative under a day, then a date. */
export function ago(at: number, now: number): string {
  const ms = now - at;
  if (ms < 0) return until(at, now);
  if (ms < 45_000) return "now";
  if (ms < HOUR) return `${Math.max(1, Math.round(ms / MINUTE))} m`;
  if (ms < DAY) return `${Math.round(ms / HOUR)} h`;
  return day(at, now);
}

function until(at: number, now: number): string {
  const ms = at - now;
  if (ms < HOUR) return `in ${Math.max(1, Math.round(ms / MINUTE))} m`;
  if (ms < DAY) return `in ${Math.round(ms / HOUR)} h`;
  return day(at, now);
}

export function day(at: number, now: number): string {
  const isThisYear = new Date(at).getFullYear() === new Date(now).getFullYear();
  return new Date(at).toLocaleDateString("en-GB", {
    day: "numeric",
    month: "short",
    ...(isThisYear ? {} : { year: "numeric" }),
  });
}

export function clockTime(at: number): string {
  return new Date(at).toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit" });
}

/** Where many things happen within a minute. */
export function clockSeconds(at: number): string {
  return new Date(at).toLocaleTimeString("en-GB");
}

export function moment(at: number): string {
  return new Date(at).toLocaleString("en-GB", { dateStyle: "medium", timeStyle: "medium" });
}

/** The beginning of an id that no other here is likely to share; also what commands accept. */
export function shortId(id: string): string {
  return /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-/.test(id) ? id.slice(0, 18) : id;
}

export function initials(name: string): string {
  const words = name.split(/[^\p{L}\p{N}]+/u).filter(Boolean);
  const letters = words.length > 1 ? [words[0], words.at(-1)] : [words[0]?.slice(0, 2)];
  return letters
    .map((word) => (words.length > 1 ? word?.slice(0, 1) : word))
    .join("")
    .toUpperCase();
}

/** `held_job` → Held job, `pipeline.manual` → Manual. */
export function words(name: string): string {
  const text = (name.split(".").at(-1) ?? name).replaceAll(/[_-]+/g, " ").trim();
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}
