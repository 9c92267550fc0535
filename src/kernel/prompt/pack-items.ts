/**
 * Chooses what to take when not everything fits: the highest total value within up to two limits.
 * First by value per cost, then by searching for better while that is cheap. The answer says how
 * far from the best possible it can be at most.
 */

import { boundFrom, type Relaxation, relax } from "./pack-bound.ts";
import {
  byBundleDensity,
  type Cost,
  createLoad,
  createProblem,
  leastCost,
  type Mix,
  type PackGroup,
  type PackItem,
  type PackProblem,
  usefulMixes,
  weigh,
} from "./pack-problem.ts";

export interface Packing {
  readonly chosen: ReadonlySet<number>;
  readonly achieved: number;
  /** No choice within the limits is worth more than this. */
  readonly upperBound: number;
}

export function packItems(
  items: readonly PackItem[],
  groups: readonly PackGroup[],
  room: Cost,
): Packing {
  const problem = createProblem(items, groups, room);
  const mixes = usefulMixes(problem);
  const greedy = mixes.map((mix) => takeGreedily(problem, mix)).reduce(moreValuable);
  const bounds = mixes.map((mix) => boundBy(problem, relax(problem, mix, greedy.chosen)));
  const closest = bounds.reduce((a, b) => (b.bound < a.bound ? b : a));
  if (!isWorthSearching(problem, greedy.value, closest.bound)) {
    return toPacking(problem, greedy, closest.bound);
  }
  const { best, isComplete } = searchBetter(problem, closest.relaxation, greedy);
  return toPacking(problem, best, isComplete ? best.value : closest.bound);
}

interface Choice {
  readonly chosen: ReadonlySet<number>;
  readonly value: number;
}

function moreValuable(a: Choice, b: Choice): Choice {
  return b.value > a.value ? b : a;
}

function boundBy(problem: PackProblem, relaxation: Relaxation) {
  const capacity = weigh(relaxation.mix, problem.room) + relaxation.bonus;
  return { relaxation, bound: boundFrom(relaxation, problem, 0, capacity) };
}

function toPacking({ scale }: PackProblem, { chosen, value }: Choice, bound: number): Packing {
  return { chosen, achieved: value / scale, upperBound: Math.max(value, bound) / scale };
}

function takeGreedily(problem: PackProblem, mix: Mix): Choice {
  const load = createLoad(problem);
  const order = byBundleDensity(problem, (index) => weigh(mix, leastCost(problem, index)));
  const chosen = new Set<number>();
  let value = 0;
  // Whoever follows a leader can only be taken after it, so rounds go on while any brought something.
  for (let before = -1; before < chosen.size; ) {
    before = chosen.size;
    for (const index of order) {
      const leader = problem.items[index]?.leader;
      if (chosen.has(index) || (leader !== undefined && !chosen.has(leader))) continue;
      if (!load.add(index)) continue;
      chosen.add(index);
      value += problem.values[index] ?? 0;
    }
  }
  return { chosen, value };
}

const GOOD_ENOUGH = 0.001;
const FEW_ITEMS = 64;
const MOST_STEPS = 20_000;

function isWorthSearching({ items }: PackProblem, value: number, bound: number): boolean {
  if (bound <= value || items.some(({ leader }) => leader !== undefined)) return false;
  return items.length <= FEW_ITEMS || bound - value > bound * GOOD_ENOUGH;
}

/** Depth first: take the densest that fits; turn back where the bound says nothing better can follow. */
function searchBetter(
  problem: PackProblem,
  relaxation: Relaxation,
  start: Choice,
): { readonly best: Choice; readonly isComplete: boolean } {
  const { order } = relaxation;
  const load = createLoad(problem);
  const credit = createOpeningCredit(problem, relaxation);
  const valueAt = (place: number): number => problem.values[order[place] ?? -1] ?? 0;
  const taken: number[] = [];
  let best = start;
  let value = 0;
  let place = 0;
  for (let step = 0; step < MOST_STEPS; step += 1) {
    const capacity = weigh(relaxation.mix, load.left()) + relaxation.bonus + credit.total();
    const possible = value + boundFrom(relaxation, problem, place, capacity);
    if (place < order.length && possible > best.value) {
      const isTaken = load.add(order[place] ?? -1);
      credit.decide(order[place] ?? -1, isTaken);
      if (isTaken) {
        taken.push(place);
        value += valueAt(place);
      }
      place += 1;
      continue;
    }
    if (value > best.value) {
      best = { chosen: new Set(taken.map((at) => order[at] ?? -1)), value };
    }
    const last = taken.pop();
    if (last === undefined) return { best, isComplete: true };
    for (; place > last + 1; place -= 1) credit.undo(order[place - 1] ?? -1);
    credit.leave(order[last] ?? -1);
    load.remove(order[last] ?? -1);
    value -= valueAt(last);
  }
  return { best, isComplete: false };
}

/**
 * The relaxation charges undecided items a share of opening their group. Where a taken item has
 * paid for the opening in full, the shares still to come are given back, or the bound would be false.
 */
function createOpeningCredit({ items, groups }: PackProblem, { openings, shares }: Relaxation) {
  const undecided = groups.map(() => 0);
  const takenIn = groups.map(() => 0);
  for (const [index, { group }] of items.entries()) {
    undecided[group] = (undecided[group] ?? 0) + (shares[index] ?? 0);
  }
  const groupOf = (index: number): number => items[index]?.group ?? -1;
  const shift = (index: number, sign: number): void => {
    const group = groupOf(index);
    undecided[group] = (undecided[group] ?? 0) + sign * (shares[index] ?? 0);
  };
  const count = (index: number, by: number): void => {
    takenIn[groupOf(index)] = (takenIn[groupOf(index)] ?? 0) + by;
  };
  return {
    decide(index: number, isTaken: boolean) {
      shift(index, -1);
      if (isTaken) count(index, 1);
    },
    /** It had been decided against. */
    undo: (index: number) => shift(index, 1),
    /** It had been taken and is now decided against. */
    leave: (index: number) => count(index, -1),
    total() {
      let total = 0;
      for (const [group, opening] of openings.entries()) {
        if ((takenIn[group] ?? 0) > 0) total += opening * Math.max(0, undecided[group] ?? 0);
      }
      return total;
    },
  };
}
