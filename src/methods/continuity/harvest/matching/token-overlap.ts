/** How much two sets of words have in common. Forms of one word count as the same. */

export interface Overlap {
  /** 1 when both say the same, 0 when they share nothing. */
  readonly dice: number;
  /** How much of the first is in the second, and the other way round. */
  readonly firstInSecond: number;
  readonly secondInFirst: number;
  /** What only one of them has. */
  readonly onlyFirst: readonly string[];
  readonly onlySecond: readonly string[];
}

export function overlapOf(first: readonly string[], second: readonly string[]): Overlap {
  const [own, others] = [new Set(first), new Set(second)];
  const onlyFirst: string[] = [];
  const left = new Set([...others].filter((token) => !own.has(token)));
  for (const token of own) {
    if (others.has(token)) continue;
    const form = formOf(token, left);
    if (form === undefined) onlyFirst.push(token);
    else left.delete(form);
  }
  const shared = own.size - onlyFirst.length;
  return {
    dice: own.size + others.size === 0 ? 1 : (2 * shared) / (own.size + others.size),
    firstInSecond: own.size === 0 ? 1 : shared / own.size,
    secondInFirst: others.size === 0 ? 1 : shared / others.size,
    onlyFirst,
    onlySecond: [...left],
  };
}

/** Looking at every pair of two long texts would cost more than it tells. */
const MOST_COMPARED = 400;

function formOf(token: string, among: ReadonlySet<string>): string | undefined {
  if (among.size > MOST_COMPARED) return undefined;
  for (const other of among) if (isSameWord(token, other)) return other;
  return undefined;
}

/** "lease" and "leases", "importer" and "import"; numbers only as they are. */
export function isSameWord(one: string, other: string): boolean {
  if (one === other) return true;
  if (/\d/.test(one) || /\d/.test(other)) return false;
  if (withoutEnding(one) === withoutEnding(other)) return true;
  const longest = Math.max(one.length, other.length);
  return commonBeginning(one, other) >= Math.max(SHORTEST_STEM, longest * STEM_SHARE);
}

const SHORTEST_STEM = 5;
const STEM_SHARE = 0.75;

function withoutEnding(word: string): string {
  return word.length > 3 ? word.replace(/(?:es|s|e)$/, "") : word;
}

function commonBeginning(one: string, other: string): number {
  let length = 0;
  while (length < one.length && length < other.length && one[length] === other[length]) length += 1;
  return length;
}
