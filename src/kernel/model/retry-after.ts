/** Reads how long a provider asks us to wait, and does not believe everything. */

const LONGEST_WAIT_MS = 60 * 60 * 1000;

/**
 * Takes `Retry-After` in seconds or as an HTTP date, or `retry-after-ms`. Unreadable gives
 * `undefined`, the past gives 0, and anything beyond an hour gives an hour.
 */
export function retryAfterMs(
  headers: Readonly<Record<string, string | undefined>>,
  now: number,
): number | undefined {
  const exact = Number(headers["retry-after-ms"]?.trim() || Number.NaN);
  if (Number.isFinite(exact)) return bounded(exact);
  const value = headers["retry-after"]?.trim();
  if (!value) return undefined;
  if (/^[+-]?\d+(?:\.\d+)?$/.test(value)) return bounded(Number(value) * 1000);
  // Date.parse guesses at nearly anything; an HTTP date names its weekday and its zone.
  if (!/^[A-Za-z]{3,9},? .*(?:GMT|UTC)$|^[A-Z][a-z]{2} [A-Z][a-z]{2} .*\d{4}$/.test(value)) {
    return undefined;
  }
  const at = Date.parse(/GMT|UTC/.test(value) ? value : `${value} GMT`);
  return Number.isNaN(at) ? undefined : bounded(at - now);
}

function bounded(ms: number): number {
  return Math.min(Math.max(0, Math.round(ms)), LONGEST_WAIT_MS);
}
