import assert from "node:assert/strict";
import { test } from "node:test";
import type { Sample } from "./subject.ts";
import { median, ratio, summarise } from "./summary.ts";
import { ratioTable, speedTable, verdictTable } from "./tables.ts";
import { judge } from "./targets.ts";

test("the median is the middle value, or the mean of the two middle ones", () => {
  assert.equal(median([30, 10, 20]), 20);
  assert.equal(median([40, 10, 20, 30]), 25);
  assert.equal(median([7]), 7);
  assert.throws(() => median([]));
});

test("a row holds the median and the spread of each shape, fsyncs per 1,000 steps, and the highest memory", () => {
  const rows = summarise([
    sample("langgraph", { stepsPerSecond: 900, fsyncs: 10, steps: 500, rssMb: 80 }),
    sample("langgraph", { stepsPerSecond: 1300, fsyncs: 30, steps: 500, rssMb: 120 }),
    sample("langgraph", { stepsPerSecond: 1000, fsyncs: 20, steps: 500, rssMb: 100 }),
    sample("langgraph", { shape: "fan", stepsPerSecond: 400, rssMb: 90 }),
  ]);

  assert.deepEqual(rows, [
    {
      peer: "langgraph",
      storage: "sqlite",
      rssMb: 120,
      shapes: {
        chain: { stepsPerSecond: 1000, slowest: 900, fastest: 1300, fsyncsPer1000Steps: 40 },
        fan: { stepsPerSecond: 400, slowest: 400, fastest: 400 },
      },
    },
  ]);
});

test("the best PostgreSQL peer is never ourselves nor an embedded one", () => {
  const rows = summarise([
    sample("raw-sqlite", { stepsPerSecond: 9000 }),
    sample("pg-boss", { storage: "postgres", stepsPerSecond: 300 }),
    sample("dbos", { storage: "postgres", stepsPerSecond: 500 }),
    sample("throughline-postgres", { storage: "postgres", stepsPerSecond: 1000 }),
  ]);

  assert.equal(ratio(rows, "throughline-postgres", "chain", "the best PostgreSQL peer"), 2);
  assert.equal(ratio(rows, "throughline-postgres", "fan", "the best PostgreSQL peer"), undefined);
  assert.equal(ratio(rows, "throughline-postgres", "chain", "langgraph"), undefined);
});

test("targets are judged only for our own rows, and one that could not be measured says so", () => {
  const peers = [
    sample("langgraph", { stepsPerSecond: 1000 }),
    sample("raw-sqlite", { stepsPerSecond: 4000 }),
  ];
  const own = sample("throughline-sqlite", { stepsPerSecond: 1500, fsyncs: 1200 });

  const verdicts = judge(summarise([...peers, own]));

  assert.deepEqual(judge(summarise(peers)), []);
  assert.deepEqual(
    verdicts.map(({ shape, target, found, met }) => [shape, target, found, met]),
    [
      ["chain", "≥ 1.35 × langgraph", 1.5, true],
      ["chain", "≥ 0.5 × raw-sqlite (stretch)", 0.375, false],
      ["chain", "≤ 1100 fsyncs per 1,000 steps", 1200, false],
      ["100x10", "≥ 3.1 × langgraph", undefined, undefined],
      ["100x10", "≥ 5 × langgraph (stretch)", undefined, undefined],
      ["100x10", "≤ 40 fsyncs per 1,000 steps", undefined, undefined],
      ["fan", "≥ 3.1 × langgraph", undefined, undefined],
      ["fan", "≥ 5 × langgraph (stretch)", undefined, undefined],
    ],
  );
  assert.match(verdictTable(verdicts), /≥ 0\.5 × raw-sqlite \(stretch\) +\| 0\.38 +\| MISSED/);
});

test("tables show what was not measured as a dash", () => {
  const rows = summarise([sample("langgraph", { stepsPerSecond: 1234.5 })]);

  assert.match(speedTable(rows), /\| langgraph \| 1235 +\| – +\| – +\| 100 /);
  assert.match(ratioTable(rows), /\| langgraph \| 1\.00× +\| – +\| – +\| langgraph \|/);
});

function sample(peer: string, facts: Partial<Sample>): Sample {
  return {
    peer,
    storage: "sqlite",
    shape: "chain",
    steps: 1000,
    seconds: 1,
    stepsPerSecond: 1000,
    rssMb: 100,
    checks: [],
    ...facts,
  };
}
