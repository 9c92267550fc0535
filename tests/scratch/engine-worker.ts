/**
 * A worker process to be killed, stopped and started again. Its orders are JSON on the command line. What it tells on
 * its standard output is true when it is told: a run that was accepted, an effect that was kept, a call that was made.
 */

import { writeSync } from "node:fs";
import { openPgBossQueue } from "../../src/adapters/pg-boss-queue/pg-boss-queue.ts";
import { systemClock } from "../../src/kernel/base/clock.ts";
import { createIdSource } from "../../src/kernel/base/ids.ts";
import type { ModelProvider } from "../../src/kernel/model/model-provider.ts";
import { createRehearsalModel } from "../../src/kernel/model/rehearsal-model.ts";
import type { NewRun } from "../../src/kernel/run/decision.ts";
import { startEngine } from "../../src/kernel/run/engine.ts";
import { takeOverAll } from "../../src/kernel/run/engine-work.ts";
import { localQueue } from "../../src/kernel/run/local-queue.ts";
import { startRun } from "../../src/kernel/run/start-run.ts";
import { steadyTimeOf } from "../../src/kernel/run/steady-time.ts";
import { runSql } from "../../src/kernel/store/database-work.ts";
import { openPostgres } from "../../src/kernel/store/postgres-store.ts";
import { sharedClock } from "../../src/kernel/store/shared-clock.ts";
import { sqlText } from "../../src/kernel/store/sql-text.ts";
import { openSqlite } from "../../src/kernel/store/sqlite-store.ts";
import { isStoreAway } from "../../src/kernel/store/store-errors.ts";
import { chainRun, fanRun, pausingRun, trialHandlers } from "./trial-method.ts";

export interface WorkerOrders {
  readonly place:
    | { readonly dialect: "sqlite"; readonly path: string }
    | { readonly dialect: "postgres"; readonly url: string; readonly schema: string };
  /** With pg-boss its tables are in the schema named after the store's with `_q` behind it. */
  readonly queue: "local" | "pg-boss";
  /** Nobody else works here: whoever holds a lease is dead. */
  readonly isAlone: boolean;
  /** What is to be done before it may end: `chain 10 …`, `fan 500 …` or `pauses 4 …`; the whole name is the run's title. */
  readonly runs: readonly string[];
  /** It starts those of the runs that are not there yet. */
  readonly startsRuns: boolean;
  readonly concurrency: number;
  readonly leaseMs: number;
  /** Calls take between the one and the other, all of it in one wait. */
  readonly latencyMs: readonly [least: number, most: number];
}

/** A database that is away from the first moment on: said, and ended with. */
process.on("uncaughtException", (error) => {
  tell(isStoreAway(error) ? "away" : "trouble", String(error));
  process.exit(75);
});

const orders = JSON.parse(process.argv[2] ?? "") as WorkerOrders;
const { place } = orders;
const store =
  place.dialect === "sqlite"
    ? openSqlite({ path: place.path })
    : openPostgres({ connectionString: place.url, schema: place.schema });
const queue =
  orders.queue === "pg-boss" && place.dialect === "postgres"
    ? await openPgBossQueue({
        connectionString: place.url,
        schema: `${place.schema}_q`,
        onTrouble: (error) => tell("trouble", String(error)),
      })
    : localQueue;
const clock = await sharedClock(store, systemClock);
const ids = createIdSource(clock);
/** Those before us have told what they kept. */
let keptUpTo = (await look<{ id: number }>("select max(id) as id from effect", []))[0]?.id ?? 0;
const tools = { queue, handlers: trialHandlers, nextId: () => ids.next(), costOf: () => 0 };

if (orders.isAlone) await store.write(() => takeOverAll(tools, clock.now()));
const engine = startEngine({
  ...tools,
  store,
  clock: await steadyTimeOf(store, clock, orders.leaseMs),
  models: {
    find: async () => ({ name: "trial", provider: unsteadyModel(), costOf: () => 0 }),
    list: async () => [],
    defaultModel: async () => "rehearsal/trial",
    costOf: () => 0,
  },
  worker: `worker-${process.pid}`,
  concurrency: orders.concurrency,
  leaseMs: orders.leaseMs,
  pollMs: 20,
  random: Math.random,
  onCommit: () => void tellKept(),
  onTrouble: (error) => tell(isStoreAway(error) ? "away" : "trouble", String(error)),
});
tell("ready");
if (orders.startsRuns) await startMissing();
while ((await countResting()) < orders.runs.length) await systemClock.sleep(25);
await engine.stop();
tell("done");
process.exit(0);

function tell(what: string, about = ""): void {
  writeSync(1, `${what} ${about}\n`);
}

/** Whoever is refused for want of a store looks what there is, and asks again. */
async function startMissing(): Promise<void> {
  for (;;) {
    try {
      const missing = await findMissing();
      if (missing.length === 0) return;
      for (const title of missing) await startOne(title);
    } catch (error) {
      if (!isStoreAway(error)) throw error;
      tell("away", String(error));
      await systemClock.sleep(25);
    }
  }
}

async function findMissing(): Promise<readonly string[]> {
  const rows = await store.read(() =>
    runSql<{ title: string }>(sqlText("select title from run"), []),
  );
  const started = new Set(rows.map(({ title }) => title));
  return orders.runs.filter((title) => !started.has(title));
}

async function startOne(title: string): Promise<void> {
  const run: NewRun = { ...planOf(title), title };
  const id = await store.write(() =>
    startRun(tools, run, { projectId: null, startedBy: "test" }, clock.now()),
  );
  tell("accepted", id);
  engine.wake();
}

function planOf(title: string): NewRun {
  const [shape, size = "1"] = title.split(" ");
  if (shape === "pauses") return pausingRun(Number(size));
  return shape === "fan" ? fanRun(Number(size)) : chainRun(Number(size));
}

/** Read after the commit, by another connection: what is told here must never be missing again. */
async function tellKept(): Promise<void> {
  const rows = await look<{ id: number; key: string }>(
    "select id, key from effect where id > ? order by id",
    [keptUpTo],
  );
  keptUpTo = rows.at(-1)?.id ?? keptUpTo;
  if (rows.length > 0) writeSync(1, rows.map(({ key }) => `kept ${key}\n`).join(""));
}

async function countResting(): Promise<number> {
  const [row] = await look<{ n: number }>(
    "select count(*) as n from run where state in ('completed','failed','cancelled','held')",
    [],
  );
  return row?.n ?? 0;
}

/** Whoever was frozen in the middle of a look finds its connection closed when it wakes up, and looks again. */
async function look<Row>(text: string, parameters: readonly unknown[]): Promise<readonly Row[]> {
  for (;;) {
    try {
      return await store.read(() => runSql<Row>(sqlText(text), parameters));
    } catch (error) {
      if (!isStoreAway(error)) throw error;
      tell("away", String(error));
      await systemClock.sleep(25);
    }
  }
}

function unsteadyModel(): ModelProvider {
  const model = createRehearsalModel(systemClock);
  const [least, most] = orders.latencyMs;
  return {
    async *call(request, { signal }) {
      tell("called", request.labels.run);
      await systemClock.sleep(least + Math.random() * (most - least), signal);
      yield* model.call(request, { signal });
    },
  };
}
