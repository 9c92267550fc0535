/**
 * A worker to be killed: runs the trial method on a store given on the command line until nothing is left to do,
 * then ends by itself. `node kill-worker.ts sqlite FILE` or `node kill-worker.ts postgres URL SCHEMA`.
 */

import { openPgBossQueue } from "../../src/adapters/pg-boss-queue/pg-boss-queue.ts";
import { systemClock } from "../../src/kernel/base/clock.ts";
import { createIdSource } from "../../src/kernel/base/ids.ts";
import { createRehearsalModel } from "../../src/kernel/model/rehearsal-model.ts";
import { startEngine } from "../../src/kernel/run/engine.ts";
import { takeOverAll } from "../../src/kernel/run/engine-work.ts";
import { localQueue } from "../../src/kernel/run/local-queue.ts";
import { runSql } from "../../src/kernel/store/database-work.ts";
import { openPostgres } from "../../src/kernel/store/postgres-store.ts";
import { sqlText } from "../../src/kernel/store/sql-text.ts";
import { openSqlite } from "../../src/kernel/store/sqlite-store.ts";
import { trialHandlers } from "./trial-method.ts";

const [dialect, place = "", schema = ""] = process.argv.slice(2);
const latencyMs = Number(process.env["LATENCY_MS"] ?? 2);
const leaseMs = Number(process.env["LEASE_MS"] ?? 1500);

const store =
  dialect === "sqlite"
    ? openSqlite({ path: place })
    : openPostgres({ connectionString: place, schema });
const queue =
  dialect === "sqlite"
    ? localQueue
    : await openPgBossQueue({
        connectionString: place,
        schema: `${schema}_q`,
        onTrouble: () => undefined,
      });
const ids = createIdSource(systemClock);
const tools = { queue, handlers: trialHandlers, nextId: () => ids.next(), costOf: () => 0 };
const provider = createRehearsalModel(systemClock, { latencyMs });

// Embedded, the lock proves that whoever held a lease is gone; here the parent sees to it that there is one of us.
if (dialect === "sqlite") await store.write(() => takeOverAll(tools, systemClock.now()));
const engine = startEngine({
  ...tools,
  store,
  clock: systemClock,
  models: {
    find: async () => ({ name: "trial", provider, costOf: () => 0 }),
    list: async () => [],
    defaultModel: async () => "rehearsal/trial",
    costOf: () => 0,
  },
  worker: `worker-${process.pid}`,
  concurrency: 64,
  leaseMs,
  pollMs: 50,
  random: Math.random,
  onTrouble: (error) => process.stderr.write(`${String(error)}\n`),
});

const OPEN = sqlText(
  "select count(*) as n from run where state not in ('completed','failed','cancelled')",
);
for (;;) {
  const [row] = await store.read(() => runSql<{ n: number }>(OPEN, []));
  if (row?.n === 0) break;
  await systemClock.sleep(100);
}
await engine.stop();
process.exit(0);
