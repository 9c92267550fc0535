/**
 * How long people wait for the server while its engine has more to do than it can.
 *
 *   node bench/http-under-load.ts [seconds]
 *
 * Twice, each with a fresh server: with a backlog of questions in the store, so that the engine is never idle; and
 * with 16 clients that start runs as fast as they are let, so that the server is saturated, too. Beside it, at a
 * steady pace, somebody reads and somebody writes; their waits are what counts. `own` is how late this process
 * itself was: where it comes near the waits, the machine was too busy to tell.
 */

import { monitorEventLoopDelay } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import { openWorkspace } from "../src/app/open-workspace.ts";
import { startRun } from "../src/kernel/run/start-run.ts";
import { type Server, scratchFolder } from "../tests/scratch/program.ts";
import { percentiles } from "./percentiles.ts";
import { range } from "./subject.ts";

const SECONDS = Number(process.argv[2] ?? 10);
const BACKLOG = 4000 * (SECONDS + 3);
/** A fresh process compiles its code while it answers. */
const WARM_UP_MS = 2000;
const CLIENTS = 16;
const READS_PER_SECOND = 100;
const WRITES_PER_SECOND = 10;

for (const load of ["backlog", "clients"] as const) {
  const home = scratchFolder({ THROUGHLINE_CONCURRENCY: "1000", THROUGHLINE_RATE_LIMIT: "0" });
  await home.run(["init"]);
  if (load === "backlog") await fillQueue(`${home.folder}/.throughline`);
  const server = await home.serve();
  const read = () => call(server, "run/list", { limit: 10 });
  await steadily(READS_PER_SECOND, performance.now() + WARM_UP_MS, read);
  const until = performance.now() + SECONDS * 1000;
  const own = monitorEventLoopDelay({ resolution: 1 });
  own.enable();
  const [reads, writes, started] = await Promise.all([
    steadily(READS_PER_SECOND, until, read),
    steadily(WRITES_PER_SECOND, until, () => call(server, "task/add", { title: "Look at it" })),
    load === "clients" ? startRuns(server, until) : 0,
  ]);
  const { running } = await countRuns(server);
  console.log(
    JSON.stringify({
      load,
      reads: percentiles(reads),
      writes: percentiles(writes),
      ownP99: (own.percentile(99) / 1e6).toFixed(1),
      ...(load === "clients"
        ? { startedPerSecond: Math.round(started / SECONDS) }
        : { engineWasBusyToTheEnd: running > 0 }),
    }),
  );
  await home.remove();
}

/** Questions as `ask start` would store them, without the server. */
async function fillQueue(folder: string): Promise<void> {
  const workspace = await openWorkspace(folder);
  const { store, engine, clock } = workspace.kernel;
  const input = { request: "What is next?", context: "", model: "rehearsal/rehearsal" };
  const plan = {
    method: "ask",
    title: "What is next?",
    input,
    jobs: [{ key: "answer", handler: "ask.answer", step: "answer", input }],
  };
  const owner = { projectId: null, startedBy: "bench" };
  for (let done = 0; done < BACKLOG; done += 500) {
    await store.write(function* () {
      for (const _ of range(500)) yield* startRun(engine, plan, owner, clock.now());
    });
  }
  await workspace.close();
}

/** Whether or not the one before has been answered: who waits in line is part of the measure. */
async function steadily(
  perSecond: number,
  until: number,
  action: () => Promise<unknown>,
): Promise<readonly number[]> {
  const waits: number[] = [];
  const underWay: Promise<void>[] = [];
  while (performance.now() < until) {
    const before = performance.now();
    underWay.push(action().then(() => void waits.push(performance.now() - before)));
    await sleep(1000 / perSecond);
  }
  await Promise.all(underWay);
  return waits;
}

async function startRuns(server: Server, until: number): Promise<number> {
  let started = 0;
  const clients = range(CLIENTS).map(async () => {
    while (performance.now() < until) {
      await call(server, "ask/start", { request: `Question ${started}: what is next?` });
      started += 1;
    }
  });
  await Promise.all(clients);
  return started;
}

async function countRuns(server: Server): Promise<{ readonly running: number }> {
  const { items } = (await call(server, "run/list", {
    state: ["running", "queued"],
    limit: 1,
  })) as {
    items: readonly unknown[];
  };
  return { running: items.length };
}

async function call({ url, token }: Server, path: string, input: object): Promise<unknown> {
  const response = await fetch(`${url}/api/v1/${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify(input),
  });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return response.json();
}
