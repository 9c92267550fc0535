/** The listed values nearest to a wrong one, for "did you mean". */

const MOST_SUGGESTIONS = 3;
const MOST_LENGTH = 80;

export function nearMatches(wrong: string, listed: readonly string[]): string[] {
  if (wrong.length > MOST_LENGTH) return [];
  const plain = simplify(wrong);
  const most = Math.max(1, Math.floor(wrong.length / 3));
  return listed
    .filter((value) => Math.abs(value.length - wrong.length) <= Math.max(most, 3))
    .map((value) => ({ value, distance: distanceBetween(plain, simplify(value), most) }))
    .filter(({ distance }) => distance <= most)
    .toSorted((a, b) => a.distance - b.distance || (a.value < b.value ? -1 : 1))
    .slice(0, MOST_SUGGESTIONS)
    .map(({ value }) => value);
}

function simplify(text: string): string {
  return text.toLowerCase().replace(/[\s_-]+/g, "");
}

/** Edits between two texts (swapped neighbours count once), given up above `most`. */
function distanceBetween(a: string, b: string, most: number): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const same = a[i - 1] === b[j - 1];
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      row[j] = Math.min(
        at(last, j) + 1,
        at(row, j - 1) + 1,
        at(last, j - 1) + (same ? 0 : 1),
        swapped ? at(beforeLast, j - 2) + 1 : Infinity,
      );
    }
    if (Math.min(...row) > most) return Infinity;
    beforeLast = last;
    last = row;
  }
  return at(last, b.length);
}

function at(row: readonly number[], index: number): number {
  return row[index] ?? Infinity;
}
