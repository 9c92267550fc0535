/**
 * What things cost in a store that has grown: the same work and the same reads with more and more finished runs.
 *
 *   node bench/growth.ts [--storage sqlite|postgres] [--levels 1000,10000,100000]
 *
 * Everything happens in this process; the runs are whole turns of `ask`, so filling the store takes a minute or two.
 */

import { parseArgs } from "node:util";
import {
  ASK,
  type BenchWorkspace,
  STORAGES,
  type Storage,
  type Who,
  withWorkspace,
} from "./bench-workspace.ts";
import { percentiles } from "./percentiles.ts";
import { findSubject, loadSubject } from "./roster.ts";
import { makeScratchDirectory, removeScratchDirectory } from "./scratch.ts";
import { stopwatch } from "./stopwatch.ts";
import { range } from "./subject.ts";

const { values } = parseArgs({
  options: {
    storage: { type: "string", default: STORAGES.join(",") },
    levels: { type: "string", default: "1000,10000,100000" },
  },
});
const levels = values.levels.split(",").map(Number);

const WHO: readonly Who[] = ["admin", "member"];

/** Median milliseconds by name, in the order they are taken. */
type Costs = ReadonlyMap<string, number>;

for (const storage of STORAGES.filter((each) => values.storage.includes(each))) {
  await withWorkspace(storage, 200, async (workspace) => {
    const taken: Costs[] = [];
    let finished = 0;
    for (const level of levels) {
      for (const who of WHO) await workspace.start(who, (level - finished) / 2, ASK);
      await settle(workspace);
      const costs = await measure(workspace);
      finished = level + costs.runs;
      taken.push(costs.medians);
    }
    print(storage, taken);
  });
}
await printFans();
process.exit(0);

async function settle({ engine }: BenchWorkspace): Promise<void> {
  engine.wake();
  await engine.whenIdle();
}

async function measure(
  workspace: BenchWorkspace,
): Promise<{ readonly medians: Costs; readonly runs: number }> {
  const { start, call } = workspace;
  const medians = new Map<string, number>();
  const take = async (name: string, times: number, action: () => Promise<unknown>, divisor = 1) => {
    const costs: number[] = [];
    for (const _ of range(times)) {
      const before = performance.now();
      await action();
      costs.push((performance.now() - before) / divisor);
    }
    medians.set(name, percentiles(costs).p50);
  };
  await take(
    "turn, 100 at once",
    15,
    async () => {
      await start("member", 100, ASK);
      await settle(workspace);
    },
    100,
  );
  await take("turn, one after the other", 60, async () => {
    await start("member", 1, ASK);
    await settle(workspace);
  });
  const list = await call("member", "run.list", { limit: 1 });
  const { items } = list as { items: readonly { id: string }[] };
  const runId = items[0]?.id;
  const reads: readonly (readonly [string, object])[] = [
    ["run.list", { limit: 20 }],
    ["run.list", { limit: 20, state: ["held", "waiting"] }],
    ["run.list", { limit: 20, state: ["completed"] }],
    ["run.list", { limit: 20, order: "oldest" }],
    ["run.show", { runId }],
    ["run.events", { runId }],
    ["exchange.list", { runId }],
    ["inbox.list", {}],
    ["event.list", { limit: 20 }],
    ["workspace.show", {}],
  ];
  for (const [name, input] of reads) {
    const options = Object.entries(input).filter(([key]) => key !== "limit" && key !== "runId");
    for (const who of WHO) {
      const what = [who, name, ...options.map(String)].join(" ");
      await take(what, 25, () => call(who, name, input));
    }
  }
  return { medians, runs: 15 * 100 + 60 };
}

function print(storage: Storage, taken: readonly Costs[]): void {
  const [first, last] = [taken[0], taken.at(-1)];
  console.log(`\n${storage}, median ms with ${levels.join(" / ")} finished runs`);
  for (const [name, before] of first ?? []) {
    const after = last?.get(name) ?? 0;
    const costs = taken.map((costsThere) => costsThere.get(name)?.toFixed(2)).join(" / ");
    console.log(`${name.padEnd(36)} ${costs}   ${(after / before).toFixed(2)}×`);
  }
}

/** What an item of a fan costs when there are many more of them. */
async function printFans(): Promise<void> {
  const subject = await loadSubject(findSubject("throughline-sqlite"));
  if (subject.storage !== "sqlite") return;
  console.log("\nfan on SQLite, ms per item");
  for (const children of [100, 100, 1000, 10_000]) {
    const directory = makeScratchDirectory("fan");
    const shape = { kind: "fan", name: "fan", children } as const;
    const { seconds } = await subject.run(shape, { directory, time: stopwatch });
    removeScratchDirectory(directory);
    console.log(`${String(children).padEnd(36)} ${((seconds * 1000) / children).toFixed(3)}`);
  }
}
