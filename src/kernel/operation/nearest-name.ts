/** Finds the name a person most likely meant, for "did you mean". */

export function nearestName(wanted: string, names: Iterable<string>): string | undefined {
  let best: string | undefined;
  // A third of the letters may be wrong; beyond that a guess confuses more than it helps.
  let bestDistance = Math.floor(wanted.length / 3) + 1;
  for (const name of names) {
    const distance = editDistance(wanted.toLowerCase(), name.toLowerCase(), bestDistance);
    if (distance < bestDistance) {
      best = name;
      bestDistance = distance;
    }
  }
  return best ?? uniqueBeginning(wanted, names);
}

/** Insertions, deletions, replacements and swaps of neighbours; stops counting at `limit`. */
function editDistance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) >= limit) return limit;
  let before: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= b.length; column += 1) {
      const isSame = a[row - 1] === b[column - 1];
      const isSwap =
        row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      current[column] = Math.min(
        at(previous, column) + 1,
        at(current, column - 1) + 1,
        at(previous, column - 1) + (isSame ? 0 : 1),
        isSwap ? at(before, column - 2) + 1 : Infinity,
      );
    }
    if (Math.min(...current) >= limit) return limit;
    before = previous;
    previous = current;
  }
  return at(previous, b.length);
}

function at(row: readonly number[], column: number): number {
  return row[column] ?? Infinity;
}

function uniqueBeginning(wanted: string, names: Iterable<string>): string | undefined {
  if (wanted.length < 2) return undefined;
  const fitting = [...names].filter((name) => name.startsWith(wanted));
  return fitting.length === 1 ? fitting[0] : undefined;
}
