import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { packItems } from "./pack-items.ts";
import type { Cost, PackGroup, PackItem } from "./pack-problem.ts";

const flat: PackGroup = { count: 0, step: () => ({ characters: 0, tokens: 0 }) };
const headed = (heading: number, separator: number, count = 0): PackGroup => ({
  count,
  step: (taken) => ({ characters: taken === 0 ? heading : separator, tokens: taken === 0 ? 2 : 1 }),
});
const item = (value: number, characters: number, group = 0): PackItem => ({
  value,
  cost: { characters, tokens: Math.ceil(characters / 4) },
  group,
});
const room = (characters: number, tokens = Number.POSITIVE_INFINITY): Cost => ({
  characters,
  tokens,
});

test("the densest go first, and the search finds what they hide", () => {
  const items = [item(6, 5), item(5, 4), item(5, 4)];

  const packing = packItems(items, [flat], room(8));

  assert.deepEqual(sorted(packing.chosen), [1, 2]);
  assert.deepEqual([packing.achieved, packing.upperBound], [10, 10]);
});

test("a heading is paid once and counts", () => {
  const items = [item(1, 10, 0), item(1, 10, 0), item(1.2, 10, 1)];

  const packing = packItems(items, [headed(1, 1), headed(15, 1)], room(22));

  assert.deepEqual(sorted(packing.chosen), [0, 1]);
});

test("an item is not taken without its leader", () => {
  const items = [item(1, 90), { ...item(9, 5), leader: 0 }, item(2, 50)];

  assert.deepEqual([...packItems(items, [flat], room(60)).chosen], [2]);
  assert.deepEqual(sorted(packItems(items, [flat], room(100)).chosen), [0, 1]);
});

const sorted = (chosen: ReadonlySet<number>): number[] => [...chosen].toSorted((a, b) => a - b);

const problems = fc.record({
  items: fc.array(
    fc.record({
      value: fc.integer({ min: 0, max: 100 }).map((value) => value / 100),
      characters: fc.integer({ min: 1, max: 60 }),
      tokens: fc.integer({ min: 1, max: 25 }),
      group: fc.nat(2),
    }),
    { minLength: 1, maxLength: 11 },
  ),
  headings: fc.tuple(fc.nat(20), fc.nat(20), fc.nat(20)),
  separator: fc.nat(8),
  characters: fc.oneof(fc.nat(300), fc.constant(Number.POSITIVE_INFINITY)),
  tokens: fc.oneof(fc.nat(120), fc.constant(Number.POSITIVE_INFINITY)),
});

test("for any problem: within the limits, and the bound is never below the true best", () => {
  fc.assert(
    fc.property(problems, ({ items, headings, separator, characters, tokens }) => {
      const packed = items.map(({ value, group, ...cost }) => ({ value, group, cost }));
      const groups = headings.map((heading) => headed(heading, separator));
      const limits = { characters, tokens };

      const packing = packItems(packed, groups, limits);

      const all = exhaustive(packed, groups, limits);
      const used = costOf(packed, groups, [...packing.chosen]);
      assert.ok(used.characters <= characters && used.tokens <= tokens);
      assert.ok(packing.upperBound >= all - 1e-6, `${packing.upperBound} < ${all}`);
      assert.ok(Math.abs(packing.achieved - all) < 1e-6, `${packing.achieved} is not ${all}`);
    }),
    { numRuns: 400 },
  );
});

function exhaustive(
  items: readonly PackItem[],
  groups: readonly PackGroup[],
  limits: Cost,
): number {
  let best = 0;
  for (let set = 0; set < 1 << items.length; set += 1) {
    const chosen = items.map((_, index) => index).filter((index) => (set >> index) & 1);
    const used = costOf(items, groups, chosen);
    if (used.characters > limits.characters || used.tokens > limits.tokens) continue;
    best = Math.max(
      best,
      chosen.reduce((total, index) => total + items[index]!.value, 0),
    );
  }
  return best;
}

function costOf(
  items: readonly PackItem[],
  groups: readonly PackGroup[],
  chosen: readonly number[],
): Cost {
  const counts = groups.map(({ count }) => count);
  let characters = 0;
  let tokens = 0;
  for (const index of chosen) {
    const { cost, group } = items[index]!;
    const step = groups[group]!.step(counts[group]!);
    counts[group]! += 1;
    characters += cost.characters + step.characters;
    tokens += cost.tokens + step.tokens;
  }
  return { characters, tokens };
}

test("on random sets the choice is within one per cent of the best possible", () => {
  const random = seeded(7);
  const gaps: number[] = [];
  for (let round = 0; round < 300; round += 1) {
    const count = 5 + Math.floor(random() * 150);
    const items = Array.from({ length: count }, () => {
      const characters = 20 + Math.floor(random() * 400);
      const tokens = Math.ceil((characters / 4) * (0.7 + random() * 0.6));
      const value = Math.round(random() * 100) / 100;
      return { value, cost: { characters, tokens }, group: Math.floor(random() * 6) };
    });
    const groups = Array.from({ length: 6 }, (_, group) => headed(20 + group * 3, 1, group % 2));
    const limits = [room(7000), room(Number.POSITIVE_INFINITY, 1750), room(7000, 1750)][round % 3]!;

    const { achieved, upperBound } = packItems(items, groups, limits);

    gaps.push(1 - achieved / upperBound);
  }

  assert.ok(Math.max(...gaps) <= 0.01, `worst gap ${Math.max(...gaps)}`);
});

function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 4_294_967_296;
  };
}
