/** Spans of time as people write them: `90s`, `10m`, `1h 30m`, `2 days`. */

const UNITS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

const PART =
  /\s*(\d{1,12}(?:\.\d{1,3})?)\s*(ms|s|m|h|d|seconds?|sec|minutes?|min|hours?|days?)(?![a-z])/y;
const LONGEST_MS = 366 * 86_400_000;

/** Milliseconds; nothing for what is no duration, is zero, or is longer than a year. */
export function parseDuration(text: string): number | undefined {
  let total = 0;
  let at = 0;
  while (at < text.trimEnd().length) {
    PART.lastIndex = at;
    const part = PART.exec(text);
    if (part === null) return undefined;
    const [whole, amount = "", unit = ""] = part;
    total += Number(amount) * (UNITS[unit] ?? UNITS[unit.charAt(0)] ?? 0);
    at += whole.length;
  }
  return total > 0 && total <= LONGEST_MS ? Math.round(total) : undefined;
}

/** Reads the same again. */
export function writeDuration(milliseconds: number): string {
  const unit = ["d", "h", "m", "s"].find((each) => milliseconds % (UNITS[each] ?? 1) === 0) ?? "ms";
  return `${milliseconds / (UNITS[unit] ?? 1)}${unit}`;
}
