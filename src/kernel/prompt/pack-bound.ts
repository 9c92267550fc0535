/**
 * A packing problem made easier: one limit, items divisible, and the cost of opening a group spread
 * over its items. Every real choice is allowed in it too, so nothing can be worth more than its best.
 */

import { byDensity, leastCost, type Mix, type PackProblem, weigh } from "./pack-problem.ts";

export interface Relaxation {
  readonly mix: Mix;
  readonly order: readonly number[];
  /** Sums over the first n of the order. */
  readonly weights: Float64Array;
  readonly values: Float64Array;
  /** What opening each group weighs, and the share of it that each item carries. */
  readonly openings: readonly number[];
  readonly shares: readonly number[];
  /** Weight that groups give back by being opened, where opening is cheaper than going on. */
  readonly bonus: number;
}

/** The bound is close when `likely` is close to the best choice, and true in any case. */
export function relax(problem: PackProblem, mix: Mix, likely: ReadonlySet<number>): Relaxation {
  const surcharges = problem.groups.map(({ count, step }) =>
    count > 0 ? 0 : weigh(mix, step(0)) - weigh(mix, step(1)),
  );
  const openings = surcharges.map((surcharge) => Math.max(0, surcharge));
  const bonus = surcharges.reduce((total, surcharge) => total + Math.max(0, -surcharge), 0);
  const shares = openingShares(problem, likely);
  const weightOf = (index: number): number => {
    const opening = openings[problem.items[index]?.group ?? -1] ?? 0;
    return weigh(mix, leastCost(problem, index)) + (shares[index] ?? 0) * opening;
  };
  const order = byDensity(problem, weightOf);
  const weights = sums(order, weightOf);
  const values = sums(order, (index) => problem.values[index] ?? 0);
  return { mix, order, weights, values, openings, shares, bonus };
}

/** The most that items from this place of the order on can add within the capacity. */
export function boundFrom(
  { weights, values }: Relaxation,
  { unit }: PackProblem,
  place: number,
  capacity: number,
): number {
  if (capacity < 0) return 0;
  const limit = (weights[place] ?? 0) + capacity;
  const last = lastWithin(weights, place, limit);
  const whole = (values[last] ?? 0) - (values[place] ?? 0);
  if (last === weights.length - 1) return whole;
  const share = (limit - (weights[last] ?? 0)) / ((weights[last + 1] ?? 0) - (weights[last] ?? 0));
  const bound = whole + share * ((values[last + 1] ?? 0) - (values[last] ?? 0));
  // Real sums are whole numbers of units; a hair is added for the rounding of weights.
  return Math.floor(bound / unit + 1e-6) * unit;
}

/** Of each group's opening its likely items carry equal shares; any shares up to one in all would do. */
function openingShares({ items, groups }: PackProblem, likely: ReadonlySet<number>): number[] {
  const counts = groups.map(() => 0);
  for (const index of likely) {
    const group = items[index]?.group ?? -1;
    counts[group] = (counts[group] ?? 0) + 1;
  }
  return items.map(({ group }, index) => (likely.has(index) ? 1 / (counts[group] ?? 1) : 0));
}

function sums(order: readonly number[], amountOf: (index: number) => number): Float64Array {
  const result = new Float64Array(order.length + 1);
  for (const [place, index] of order.entries()) {
    result[place + 1] = (result[place] ?? 0) + amountOf(index);
  }
  return result;
}

function lastWithin(rising: Float64Array, from: number, limit: number): number {
  let low = from;
  let high = rising.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((rising[middle] ?? 0) <= limit) low = middle;
    else high = middle - 1;
  }
  return low;
}
