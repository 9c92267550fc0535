/**
 * A worker to be killed: runs workflows on a store given on the command line until every run has ended, then ends by
 * itself. `node workflow-worker.ts sqlite FILE` or `node workflow-worker.ts postgres URL SCHEMA`.
 */

import { openPgBossQueue } from "../../src/adapters/pg-boss-queue/pg-boss-queue.ts";
import { systemClock } from "../../src/kernel/base/clock.ts";
import { createIdSource } from "../../src/kernel/base/ids.ts";
import type { ModelProvider } from "../../src/kernel/model/model-provider.ts";
import { createRehearsalModel } from "../../src/kernel/model/rehearsal-model.ts";
import { startEngine } from "../../src/kernel/run/engine.ts";
import { takeOverAll } from "../../src/kernel/run/engine-work.ts";
import { createHandlerRegistry } from "../../src/kernel/run/handler.ts";
import { localQueue } from "../../src/kernel/run/local-queue.ts";
import { runSql } from "../../src/kernel/store/database-work.ts";
import { openPostgres } from "../../src/kernel/store/postgres-store.ts";
import { sqlText } from "../../src/kernel/store/sql-text.ts";
import { openSqlite } from "../../src/kernel/store/sqlite-store.ts";
import { pipelineEnding } from "../../src/methods/pipeline/running/end-tasks.ts";
import {
  pipelineEffects,
  pipelineHandlers,
} from "../../src/methods/pipeline/running/pipeline-handlers.ts";
import { builtInLibrary } from "./scratch-kernel.ts";

const [dialect, place = "", schema = ""] = process.argv.slice(2);
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
const nextId = () => ids.next();
const handlers = createHandlerRegistry(
  pipelineHandlers(builtInLibrary(), nextId),
  pipelineEffects,
  [pipelineEnding],
);
const tools = { queue, handlers, nextId, costOf: () => 0 };

/** Calls take different times, so that what is under way when the worker dies is different every time. */
const provider: ModelProvider = {
  call: (request, options) =>
    createRehearsalModel(systemClock, { latencyMs: Math.round(Math.random() * 12) }).call(
      request,
      options,
    ),
};

// Embedded, the lock proves that whoever held a lease is gone; here the parent sees to it that there is one of us.
if (dialect === "sqlite") await store.write(() => takeOverAll(tools, systemClock.now()));
const engine = startEngine({
  ...tools,
  store,
  clock: systemClock,
  models: {
    find: async () => ({ name: "rehearsal/rehearsal", provider, costOf: () => 0 }),
    list: async () => [],
    defaultModel: async () => "rehearsal/rehearsal",
    costOf: () => 0,
  },
  worker: `worker-${process.pid}`,
  concurrency: 16,
  leaseMs: 1200,
  pollMs: 40,
  random: Math.random,
  onTrouble: (error) => process.stderr.write(`${String(error)}\n`),
});
process.stdout.write("ready\n");

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
