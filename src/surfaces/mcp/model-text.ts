/**
 * Answers as a model reads them: JSON without what says nothing, moments as dates, and no longer than a model should
 * have to read. What is cut is said where it was cut and once more at the end, with where the rest is.
 */

/** About ten thousand tokens, above which clients begin to warn or to cut by themselves. */
export const MOST_CHARACTERS = 40_000;

const LEAST_STRING = 200;
const LEAST_ITEMS = 5;

export function modelText(output: unknown, most: number = MOST_CHARACTERS): string {
  const whole = toText(lean(output));
  if (whole.length <= most) return whole;
  for (let share = 0.5; ; share /= 2) {
    const cuts: Cut = { count: 0 };
    const limits = {
      string: Math.max(LEAST_STRING, Math.floor(most * share)),
      items: Math.max(LEAST_ITEMS, Math.floor(100 * share)),
    };
    const text = toText(cut(lean(output), limits, cuts));
    const isLeast = limits.string === LEAST_STRING && limits.items === LEAST_ITEMS;
    const note = `\n\nCut to fit: ${cuts.count} places, marked with […]. Ask for less (a smaller limit, one item by its id) to see them whole.`;
    if (text.length + note.length <= most) return text + note;
    if (isLeast) return text.slice(0, most - note.length - 4) + " […]" + note;
  }
}

function toText(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value ?? null);
}

/** Without what is absent, and with moments that can be read. */
function lean(value: unknown, name = ""): unknown {
  if (Array.isArray(value)) return value.map((item) => lean(item));
  if (typeof value === "number" && isMoment(name, value)) return new Date(value).toISOString();
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, member]) => member !== null && member !== undefined)
      .map(([key, member]) => [key, lean(member, key)]),
  );
}

/** Between 2001 and 2286; a count of bytes or tokens has another name. */
function isMoment(name: string, value: number): boolean {
  return /(?:At|^at|asOf)$/.test(name) && value > 1e12 && value < 1e13;
}

interface Cut {
  count: number;
}

interface Limits {
  readonly string: number;
  readonly items: number;
}

function cut(value: unknown, limits: Limits, cuts: Cut): unknown {
  if (typeof value === "string") {
    if (value.length <= limits.string) return value;
    cuts.count += 1;
    return `${value.slice(0, limits.string)} […] (${value.length - limits.string} more characters)`;
  }
  if (Array.isArray(value)) {
    const shown = value.slice(0, limits.items).map((item) => cut(item, limits, cuts));
    if (shown.length === value.length) return shown;
    cuts.count += 1;
    return [...shown, `[…] (${value.length - shown.length} more)`];
  }
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, cut(member, limits, cuts)]),
  );
}
