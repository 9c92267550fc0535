/** A page of a list read again: what is new comes in, what is gone goes, and what was only pushed further down stays. */

export interface Named {
  readonly id: string;
}

/**
 * `fresh` begins where `old` began. Items that were put in push others over its end: those are still there. `later`
 * are the ids of the pages behind; what was taken out pulls some of them in, and they are kept where they are.
 */
export function mergePage<Item extends Named>(
  old: readonly Item[],
  fresh: readonly Item[],
  later: ReadonlySet<string>,
): readonly Item[] {
  const before = new Set(old.map(({ id }) => id));
  const own = fresh.filter(({ id }) => !later.has(id));
  const now = new Set(own.map(({ id }) => id));
  const added = own.filter(({ id }) => !before.has(id)).length;
  const lastKnown = old.findLastIndex(({ id }) => now.has(id));
  const tail = old.slice(lastKnown + 1);
  const pushed = Math.min(tail.length, added);
  return [...own, ...tail.slice(tail.length - pushed)];
}
