/** What has to be packed into what room, and the load so far. */

export interface Cost {
  readonly characters: number;
  readonly tokens: number;
}

export const FREE: Cost = { characters: 0, tokens: 0 };

export function plus(a: Cost, b: Cost): Cost {
  return { characters: a.characters + b.characters, tokens: a.tokens + b.tokens };
}

export function minus(a: Cost, b: Cost): Cost {
  return { characters: a.characters - b.characters, tokens: a.tokens - b.tokens };
}

export interface PackItem {
  readonly value: number;
  readonly cost: Cost;
  readonly group: number;
  /** Index of an item without which this one may not be taken. */
  readonly leader?: number;
}

/** Items of a group share costs, such as a heading that the first one brings along. */
export interface PackGroup {
  /** How many are in already. */
  readonly count: number;
  /** What one more costs beside its own cost. From the second one on it never falls. */
  readonly step: (count: number) => Cost;
}

export interface PackProblem {
  readonly items: readonly PackItem[];
  readonly groups: readonly PackGroup[];
  readonly room: Cost;
  /** Values as whole numbers, so that sums are exact. */
  readonly values: readonly number[];
  readonly scale: number;
  /** All values, and so all sums of them, are multiples of this. */
  readonly unit: number;
}

export function createProblem(
  items: readonly PackItem[],
  groups: readonly PackGroup[],
  room: Cost,
): PackProblem {
  const highest = items.reduce((most, { value }) => Math.max(most, value), 0);
  const scale = highest === 0 ? 1 : 10 ** Math.floor(9 - Math.log10(highest));
  const values = items.map(({ value }) => Math.round(value * scale));
  const unit = values.reduce(greatestCommonDivisor, 0) || 1;
  return { items, groups, room, values, scale, unit };
}

function greatestCommonDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestCommonDivisor(b, a % b);
}

/** How much each limit weighs when two costs have to be compared as one. */
export interface Mix {
  readonly characters: number;
  readonly tokens: number;
}

const BOTH: readonly Mix[] = [
  { characters: 1, tokens: 0 },
  { characters: 0, tokens: 1 },
  { characters: 1, tokens: 1 },
  { characters: 3, tokens: 1 },
  { characters: 1, tokens: 3 },
];

/** Any mix gives a true bound; which one gives a close bound depends on the limit that pinches. */
export function usefulMixes({ room }: PackProblem): readonly Mix[] {
  const perCharacter = Number.isFinite(room.characters) ? 1 / Math.max(1, room.characters) : 0;
  const perToken = Number.isFinite(room.tokens) ? 1 / Math.max(1, room.tokens) : 0;
  if (perToken === 0 || perCharacter === 0) return [{ characters: perCharacter, tokens: perToken }];
  return BOTH.map(({ characters, tokens }) => ({
    characters: characters * perCharacter,
    tokens: tokens * perToken,
  }));
}

export function weigh(mix: Mix, cost: Cost): number {
  // Where there is no limit the room is endless, and 0 × ∞ is no number.
  const characters = mix.characters === 0 ? 0 : mix.characters * cost.characters;
  return mix.tokens === 0 ? characters : characters + mix.tokens * cost.tokens;
}

const NOTHING: PackItem = { value: 0, cost: FREE, group: -1 };

/** What an item costs at least, its group being open already. */
export function leastCost({ items, groups }: PackProblem, index: number): Cost {
  const { cost, group } = items[index] ?? NOTHING;
  const count = Math.max(1, groups[group]?.count ?? 1);
  return plus(cost, groups[group]?.step(count) ?? FREE);
}

/** Items without value are left out; ties go to the earlier one. */
export function byDensity(
  { values }: PackProblem,
  weightOf: (index: number) => number,
): readonly number[] {
  return sortByDensity(
    values.map((value, index) => (value > 0 ? value / atLeastSomething(weightOf(index)) : 0)),
  );
}

/** The same, but whoever brings followers along counts as dense as all of them together. */
export function byBundleDensity(
  problem: PackProblem,
  weightOf: (index: number) => number,
): readonly number[] {
  const { items, values } = problem;
  if (!items.some(({ leader }) => leader !== undefined)) return byDensity(problem, weightOf);
  const weights = items.map((_, index) => atLeastSomething(weightOf(index)));
  const bundleValues = [...values];
  const bundleWeights = [...weights];
  for (const [index, { leader }] of items.entries()) {
    if (leader === undefined) continue;
    bundleValues[leader] = (bundleValues[leader] ?? 0) + (values[index] ?? 0);
    bundleWeights[leader] = (bundleWeights[leader] ?? 0) + (weights[index] ?? 0);
  }
  return sortByDensity(
    values.map((value, index) =>
      Math.max(
        value / (weights[index] ?? 1),
        (bundleValues[index] ?? 0) / (bundleWeights[index] ?? 1),
      ),
    ),
  );
}

function sortByDensity(densities: readonly number[]): readonly number[] {
  const order: number[] = [];
  for (const [index, density] of densities.entries()) if (density > 0) order.push(index);
  return order.toSorted((a, b) => (densities[b] ?? 0) - (densities[a] ?? 0) || a - b);
}

function atLeastSomething(weight: number): number {
  return Math.max(weight, Number.MIN_VALUE);
}

export interface Load {
  /** False, and nothing changed, when it does not fit. */
  add(index: number): boolean;
  remove(index: number): void;
  countOf(group: number): number;
  left(): Cost;
}

export function createLoad({ items, groups, room }: PackProblem): Load {
  const counts = groups.map(({ count }) => count);
  let { characters, tokens } = room;
  return {
    add(index) {
      const { cost, group } = items[index] ?? NOTHING;
      const count = counts[group] ?? 0;
      const step = groups[group]?.step(count) ?? FREE;
      if (cost.characters + step.characters > characters) return false;
      if (cost.tokens + step.tokens > tokens) return false;
      characters -= cost.characters + step.characters;
      tokens -= cost.tokens + step.tokens;
      counts[group] = count + 1;
      return true;
    },
    remove(index) {
      const { cost, group } = items[index] ?? NOTHING;
      const count = (counts[group] ?? 1) - 1;
      const step = groups[group]?.step(count) ?? FREE;
      characters += cost.characters + step.characters;
      tokens += cost.tokens + step.tokens;
      counts[group] = count;
    },
    countOf: (group) => counts[group] ?? 0,
    left: () => ({ characters, tokens }),
  };
}
