import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { Json } from "../../../kernel/base/json.ts";
import { placeInForeach } from "./open-run.ts";
import { anyBlock, type Block, grow, needingAll } from "./random-workflow.suite.ts";
import { SimulatedRun, type SimulatedVisit } from "./simulated-run.suite.ts";

const SCHEDULES = Number(process.env["SCHEDULES"] ?? 12_000);

/** Numbers from a seed, so that one number describes a whole schedule. */
function dice(seed: number): (sides: number) => number {
  let state = seed >>> 0 || 1;
  return (sides) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % sides;
  };
}

/** What a visit answers depends on where it is only, so that every order of events must lead to the same work. */
function outputOf(run: SimulatedRun, visit: SimulatedVisit): Json {
  const roll = dice(hash(addressOf(run, visit)));
  const length = roll(4);
  return {
    choice: roll(3),
    again: visit.iteration < 3 && roll(2) === 0,
    list: Array.from({ length }, (_, index) => index),
  };
}

/** Names a visit without ids: its step, its turn there, and the same of the items it is in. */
function addressOf(run: SimulatedRun, { step, scope, iteration }: SimulatedVisit): string {
  const place = placeInForeach(scope);
  const container = place && run.containers.get(place.containerId);
  if (!container) return `${step}#${iteration}`;
  const around = [...run.containers.values()].filter(
    (each) => each.scope === container.scope && each.step === container.step,
  );
  const outer = { ...container, iteration: around.indexOf(container) + 1 } as never;
  return `${addressOf(run, outer)}[${place.index}] ${step}#${iteration}`;
}

function hash(text: string): number {
  let value = 2166136261;
  for (const character of text)
    value = Math.imul(value ^ (character.codePointAt(0) ?? 0), 16777619);
  return value >>> 0;
}

interface Odds {
  readonly failing: number;
  readonly resting: number;
  readonly continuing: number;
  readonly skipping: number;
}

/** Finishes random handfuls of open work between looks until nothing is left to finish. */
function play(block: Block, seed: number, odds: Odds) {
  const { graph, forks } = grow(block);
  const run = new SimulatedRun(graph);
  const roll = dice(seed);
  run.look();
  for (let rounds = 0; run.end === undefined; rounds += 1) {
    assert(rounds < 5000, "the run never ends");
    const moving = run.open.filter(({ isResting }) => !isResting);
    if (moving.length === 0) break;
    const handful = 1 + roll(Math.min(4, moving.length));
    for (let count = 0; count < handful; count += 1) {
      const open = run.open.filter(({ isResting }) => !isResting);
      const visit = open[roll(open.length)];
      if (!visit) break;
      const fate = dice(hash(addressOf(run, visit)) ^ 0x5bd1e995)(1000);
      if (fate < odds.resting) visit.isResting = true;
      else if (fate < odds.resting + odds.failing) run.finish(visit.id, "failed", null);
      else if (fate < odds.resting + odds.failing + odds.skipping)
        run.finish(visit.id, "skipped", outputOf(run, visit));
      else if (fate < odds.resting + odds.failing + odds.skipping + odds.continuing)
        run.finish(visit.id, "continued", null);
      else run.finish(visit.id, "completed", outputOf(run, visit));
    }
    run.look();
  }
  return { run, graph, forks };
}

const STEADY: Odds = { failing: 0, resting: 0, continuing: 0, skipping: 0 };
const ROUGH: Odds = { failing: 60, resting: 30, continuing: 40, skipping: 30 };

test("any workflow in any order of events ends or visibly waits, and no join goes on twice", () => {
  fc.assert(
    fc.property(anyBlock, fc.nat(), (block, seed) => {
      const { run } = play(block, seed, ROUGH);
      assert(run.end !== undefined || run.isWaitingVisibly, "neither ended nor waiting");
      if (run.end !== undefined) assert.deepEqual(run.open, [], "work goes on after the end");
      const joinsOf = new Map<string, number>();
      for (const { sources } of run.joins) {
        for (const source of sources) joinsOf.set(source, (joinsOf.get(source) ?? 0) + 1);
      }
      for (const [source, count] of joinsOf) {
        assert.equal(count, 1, `${source} was joined ${count} times`);
      }
      for (const container of run.containers.values()) {
        const joined = run.joins.filter(({ sources }) => sources.includes(container.id)).length;
        assert(joined <= 1);
        if (!container.isOpen) {
          assert(container.items.every(({ state }) => state !== "pending" && state !== "live"));
        }
      }
    }),
    { numRuns: SCHEDULES },
  );
});

test("without failures a run completes, every fork is joined once, and the order of events changes nothing", () => {
  fc.assert(
    fc.property(anyBlock.map(needingAll), fc.nat(), fc.nat(), (block, one, other) => {
      const first = play(block, one, STEADY);
      const second = play(block, other, STEADY);
      const workOf = ({ run }: typeof first) =>
        [...run.visits.values()].map((visit) => addressOf(run, visit)).toSorted();
      for (const { run, graph, forks } of [first, second]) {
        if (run.isWaitingVisibly) continue;
        assert.deepEqual(run.end, { state: "completed" });
        for (const [fork, join] of forks) {
          const forked = [...run.visits.values()].filter(({ step }) => step === fork).length;
          const joined = [...run.visits.values()].filter(({ step }) => step === join).length;
          assert.equal(joined, forked, `${fork} → ${join}`);
        }
        for (const { sources } of run.joins) {
          const places = sources.map((id) => run.visits.get(id)?.step ?? "");
          const join = run.joins.find((each) => each.sources === sources);
          const drawn = places.map((step) => graph.placeAt(join?.step ?? "", step));
          assert.deepEqual(
            drawn,
            drawn.toSorted((a, b) => a - b),
          );
        }
      }
      assert.deepEqual(workOf(second), workOf(first));
    }),
    { numRuns: SCHEDULES / 2 },
  );
});

test("looking again changes nothing", () => {
  fc.assert(
    fc.property(anyBlock, fc.nat(), (block, seed) => {
      const { run } = play(block, seed, ROUGH);
      if (run.end !== undefined) return;
      const before = run.plans.length;
      run.look();
      const { routed, visits, containers, started, ended, closed, holds, dropped } =
        run.plans[before] ?? assert.fail();
      for (const list of [routed, visits, containers, started, ended, closed, holds, dropped]) {
        assert.deepEqual(list, []);
      }
    }),
    { numRuns: SCHEDULES / 8 },
  );
});
