/**
 * The whole engine with its methods in simulated worlds. `SEEDS=1000` plays more of them, `SEED=…` one again.
 */

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { STORE_FAULTS } from "./faulty-store.ts";
import { playWorlds } from "./play-worlds.ts";
import { play } from "./simulation.ts";

const one = process.env["SEED"];
const seeds =
  one === undefined
    ? Array.from({ length: Number(process.env["SEEDS"] ?? 12) }, (_, index) => `world ${index}`)
    : [one];

const SOMETIMES = [
  ...STORE_FAULTS,
  "messages not delivered",
  "processes killed at rest",
  "processes frozen",
  "clock set",
  "people answered",
  "people interfered",
] as const;

describe("simulated worlds", () => {
  test(`${seeds.length} of them: every run ends, nothing accepted is lost, every count and chain is right`, async (t) => {
    const happened = new Map<string, number>();
    const states: Record<string, number> = {};
    let steps = 0;
    let simulatedMs = 0;
    await playWorlds(seeds, (played) => {
      steps += played.steps;
      simulatedMs += played.simulatedMs;
      for (const [what, times] of played.happened)
        happened.set(what, (happened.get(what) ?? 0) + times);
      for (const [state, times] of Object.entries(played.states))
        states[state] = (states[state] ?? 0) + times;
    });
    t.diagnostic(
      `${steps} steps, ${Math.round(simulatedMs / 60_000)} simulated minutes, runs: ${Object.entries(
        states,
      )
        .map(([state, times]) => `${times} ${state}`)
        .join(", ")}`,
    );
    for (const [what, times] of happened) t.diagnostic(`${times} × ${what}`);
    if (one === undefined) {
      for (const what of SOMETIMES)
        assert.ok((happened.get(what) ?? 0) > 0, `it happened: ${what}`);
      assert.ok((states["completed"] ?? 0) > seeds.length, "most of the work is done all the same");
    }
  });

  test("the same seed goes the same way, to the last byte", async () => {
    const seed = one ?? "world 1";
    assert.equal((await play(seed)).hash, (await play(seed)).hash);
  });
});
