/**
 * Whether what was printed has the shape that a page shows: the same words in the same order. Numbers, times, hashes and
 * widths may differ. Ids may, too, but each stands for one and the same thing all through a page, so that a command
 * further down can name what was shown further up.
 *
 * A line `…` stands for any lines, and `…` at the end of a line for its rest.
 */

/** From the ids of a page to those that were really given. */
export type Bindings = Map<string, string>;

/** Of things here, and of changes in git. */
const ID =
  /\b(?:[0-9a-f]{8}-[0-9a-f]{4}(?:-[0-9a-f]{4}){0,2}(?:-[0-9a-f]{12})?|I[0-9a-f]{11,40})\b/g;

export interface Difference {
  readonly shown: string;
  readonly printed: string | undefined;
}

/** Undefined when the shape is the same; ids met for the first time are then bound. */
export function differenceOf(
  shown: readonly string[],
  printed: readonly string[],
  bindings: Bindings,
): Difference | undefined {
  const wanted = trimmed(shown);
  const there = trimmed(printed);
  let at = 0;
  let skips = false;
  for (const line of wanted) {
    if (line.trim() === "…") {
      skips = true;
      continue;
    }
    const found = there.findIndex((text, index) => index >= at && isSame(line, text, bindings));
    if (found === -1 || (!skips && found !== at)) return { shown: line, printed: there[at] };
    bind(line, there[found] ?? "", bindings);
    at = found + 1;
    skips = false;
  }
  return skips || at === there.length ? undefined : { shown: "", printed: there[at] };
}

/** What a page says to type, with the ids that there really are. */
export function bound(command: string, bindings: Bindings): string {
  return command.replaceAll(ID, (id) => lookUp(id, bindings) ?? id);
}

/** The way back: what was printed, with the ids of the page. */
export function unbound(text: string, bindings: Bindings): string {
  const back: Bindings = new Map([...bindings].map(([shown, real]) => [real, shown]));
  return text.replaceAll(ID, (id) => lookUp(id, back) ?? id);
}

export function idsIn(text: string): readonly string[] {
  return text.match(ID) ?? [];
}

function isSame(shown: string, printed: string, bindings: Bindings): boolean {
  const isOpen = shown.trimEnd().endsWith("…");
  const wanted = wordsOf(isOpen ? shown.trimEnd().slice(0, -1) : shown);
  const there = wordsOf(printed);
  const isMatch =
    (isOpen
      ? there.join(" ").startsWith(wanted.join(" "))
      : wanted.length === there.length && wanted.every((word, index) => word === there[index])) &&
    idsIn(shown).every((id, index) => {
      const real = idsIn(printed)[index];
      return real !== undefined && (lookUp(id, bindings) ?? real) === real;
    });
  return isMatch;
}

/** An id is known when it, or one that it is the beginning of, was shown before. */
function lookUp(id: string, bindings: Bindings): string | undefined {
  const whole = bindings.get(id);
  if (whole !== undefined) return whole;
  for (const [known, real] of bindings) if (known.startsWith(id)) return real.slice(0, id.length);
  return undefined;
}

function bind(shown: string, printed: string, bindings: Bindings): void {
  const real = idsIn(printed);
  for (const [index, id] of idsIn(shown).entries())
    if (real[index] !== undefined && !bindings.has(id)) bindings.set(id, real[index]);
}

function wordsOf(line: string): readonly string[] {
  return line
    .replaceAll(ID, "ID")
    .replaceAll(/\bjust now\b|\b(?:\d+ \w+|a moment) ago\b/g, "AGO")
    .replaceAll(/(?<![0-9A-Za-z])(?=[0-9a-f]*\d)[0-9a-f]{7,}(?![0-9A-Za-z])/g, "HASH")
    .replaceAll(/\b(whsec|tl[a-z]?)_[\w+/=-]{12,}/g, "$1_SECRET")
    .replaceAll(/#code=\S+/g, "#code=CODE")
    .replaceAll(/\d[\d,.:]*/g, "0")
    .replaceAll(/\b0 (?:ms|s|min|h|d)\b/g, "0 UNIT")
    .replaceAll(/[─━═]{3,}/g, "───")
    .split(/\s+/)
    .filter((word) => word !== "");
}

function trimmed(lines: readonly string[]): readonly string[] {
  return lines.filter((line) => line.trim() !== "");
}
