/**
 * Ids cut to what tells them apart. The first 13 characters of an id are its millisecond and the next four count
 * within it, so 18 are enough for whatever one process made; others are shown longer.
 */

const LENGTHS = [18, 23] as const;

/** Shortened so that no two of the given ids look alike. */
export function shortIds(ids: Iterable<string>): (id: string | undefined) => string {
  const all = [...new Set(ids)];
  const length = LENGTHS.find(
    (size) => new Set(all.map((id) => id.slice(0, size))).size === all.length,
  );
  return (id) => (id === undefined ? "" : id.slice(0, length ?? id.length));
}

export function shortId(id: string): string {
  return shortIds([id])(id);
}
