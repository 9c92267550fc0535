/**
 * Looking at a long run: a workflow with 10,000 tasks is carried out and then looked at, beside one with 100.
 *
 *   node bench/long-run.ts [--storage sqlite|postgres] [--items 100,10000]
 *
 * `follow` is a reader that begins at the run's first event and wants them all; `live` is how long after a commit a
 * reader of the same run hears of it while the run is going on.
 */

import { parseArgs } from "node:util";
import { type BenchWorkspace, STORAGES, type Storage, withWorkspace } from "./bench-workspace.ts";
import { percentiles } from "./percentiles.ts";
import { range } from "./subject.ts";

const { values } = parseArgs({
  options: {
    storage: { type: "string", default: STORAGES.join(",") },
    items: { type: "string", default: "100,10000" },
  },
});
const sizes = values.items.split(",").map(Number);

const source = (items: number) => `flowchart TD
  C[[Each: Work]] --> D[Join All]
%% === WORKFLOW_CONFIG ===
%% workflow: { "name": "Long", "maxTasks": 20000 }
%% @C: { "stepType": "foreach", "itemsPath": "run.input.list", "prompt": "Do {{item}}.", "maxItems": ${items} }
%% @D: { "stepType": "join" }
%% === END_CONFIG ===
`;

const TIMES = 30;

for (const storage of STORAGES.filter((each) => values.storage.includes(each))) {
  await withWorkspace(storage, 200, async (workspace) => {
    const taken = [];
    for (const items of sizes) taken.push(await measure(workspace, items));
    print(storage, taken);
  });
}
process.exit(0);

async function measure(
  { call, engine, kernel }: BenchWorkspace,
  items: number,
): Promise<ReadonlyMap<string, string>> {
  const medians = new Map<string, string>();
  await call("admin", "workflow.create", { name: `Long ${items}`, source: source(items) });
  const list = range(items).map((index) => `item ${index}`);
  const begun = performance.now();
  const started = await call("admin", "workflow.run", {
    workflow: `Long ${items}`,
    input: { list },
  });
  const { runId } = started as { runId: string };
  engine.wake();
  const lags = await whileItRuns(kernel, runId);
  medians.set("the run, s", ((performance.now() - begun) / 1000).toFixed(1));
  medians.set("live, p50 / p99 ms", both(lags));
  const reads: readonly (readonly [string, object])[] = [
    ["run.show", { runId }],
    ["step.list", { runId }],
    ["run.events", { runId, limit: 100 }],
    ["task.list", { run: runId, closed: true, limit: 50 }],
    ["exchange.list", { runId, limit: 50 }],
  ];
  for (const [name, input] of reads) {
    const costs: number[] = [];
    for (const _ of range(TIMES)) {
      const before = performance.now();
      await call("admin", name, input);
      costs.push(performance.now() - before);
    }
    medians.set(`${name}, p50 / p99 ms`, both(costs));
  }
  const before = performance.now();
  const events = await readAll(call, runId);
  medians.set("follow from the start, ms", (performance.now() - before).toFixed(0));
  medians.set("its events", String(events));
  return medians;
}

/** Events carry the moment of their commit. */
async function whileItRuns(
  { store, clock, changes }: BenchWorkspace["kernel"],
  runId: string,
): Promise<readonly number[]> {
  const { followEvents } = await import("../src/kernel/operation/follow-events.ts");
  const ending = new AbortController();
  const lags: number[] = [];
  const pages = followEvents({
    store,
    clock,
    changes,
    signal: ending.signal,
    streams: [runId],
    after: undefined,
    select: async (events) => events,
    idleMs: 1000,
  });
  for await (const { events } of pages) {
    for (const { at, type } of events) {
      lags.push(clock.now() - at);
      if (/^run\.(?:completed|failed|held|cancelled)$/.test(type)) ending.abort();
    }
    if (ending.signal.aborted) break;
  }
  return lags;
}

async function readAll(call: BenchWorkspace["call"], runId: string): Promise<number> {
  let seen = 0;
  let cursor: string | undefined;
  do {
    const page = await call("admin", "run.events", {
      runId,
      limit: 200,
      ...(cursor === undefined ? {} : { cursor }),
    });
    const { items, nextCursor } = page as { items: readonly unknown[]; nextCursor?: string };
    seen += items.length;
    cursor = nextCursor;
  } while (cursor !== undefined);
  return seen;
}

function both(costs: readonly number[]): string {
  const { p50, p99 } = percentiles(costs);
  return `${p50.toFixed(1)} / ${p99.toFixed(1)}`;
}

function print(storage: Storage, taken: readonly ReadonlyMap<string, string>[]): void {
  console.log(`\n${storage}: runs with ${sizes.join(" and ")} tasks`);
  for (const name of taken[0]?.keys() ?? []) {
    console.log(`${name.padEnd(32)} ${taken.map((each) => each.get(name)).join("   |   ")}`);
  }
}
