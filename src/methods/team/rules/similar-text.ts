/**
 * Whether two texts say the same: NFKC, lower case, without punctuation, and then the share of character trigrams
 * they have in common. It is the one measure by which products, comments and findings count as repeated.
 */

export const SAME_FROM = 0.8;

export function isSameText(one: string, other: string): boolean {
  return similarity(one, other) >= SAME_FROM;
}

/** Between 0 and 1: Jaccard over sets of trigrams. */
export function similarity(one: string, other: string): number {
  const [a, b] = [plain(one), plain(other)];
  if (a === b) return 1;
  const [left, right] = [trigrams(a), trigrams(b)];
  let common = 0;
  for (const each of left) if (right.has(each)) common += 1;
  const all = left.size + right.size - common;
  return all === 0 ? 0 : common / all;
}

export function plain(text: string): string {
  return text
    .normalize("NFKC")
    .toLowerCase()
    .replaceAll(/[\p{P}\p{S}]+/gu, " ")
    .replaceAll(/\s+/gu, " ")
    .trim();
}

/** A text shorter than three characters is its own only piece. */
function trigrams(text: string): ReadonlySet<string> {
  const characters = Array.from(text);
  if (characters.length < 3) return new Set(characters.length === 0 ? [] : [text]);
  const pieces = new Set<string>();
  for (let at = 0; at + 3 <= characters.length; at += 1)
    pieces.add(characters.slice(at, at + 3).join(""));
  return pieces;
}
