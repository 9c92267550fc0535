/**
 * A worker to be killed: runs dialectics on a store given on the command line until every run has ended, then ends by
 * itself. `node dialectic-worker.ts FILE`.
 */

import { systemClock } from "../../src/kernel/base/clock.ts";
import { createIdSource } from "../../src/kernel/base/ids.ts";
import type { ModelProvider } from "../../src/kernel/model/model-provider.ts";
import { createRehearsalModel } from "../../src/kernel/model/rehearsal-model.ts";
import { startEngine } from "../../src/kernel/run/engine.ts";
import { takeOverAll } from "../../src/kernel/run/engine-work.ts";
import { createHandlerRegistry } from "../../src/kernel/run/handler.ts";
import { localQueue } from "../../src/kernel/run/local-queue.ts";
import { runSql } from "../../src/kernel/store/database-work.ts";
import { sqlText } from "../../src/kernel/store/sql-text.ts";
import { openSqlite } from "../../src/kernel/store/sqlite-store.ts";
import { dialecticEffects } from "../../src/methods/dialectic/running/dialectic-effects.ts";
import { dialecticHandlers } from "../../src/methods/dialectic/running/dialectic-handlers.ts";

const store = openSqlite({ path: process.argv[2] ?? "" });
const ids = createIdSource(systemClock);
const nextId = () => ids.next();
const handlers = createHandlerRegistry(dialecticHandlers(nextId), dialecticEffects);
const tools = { queue: localQueue, handlers, nextId, costOf: () => 0 };

/** A model that says the same whichever attempt it is, so that runs can be compared word for word. */
const provider: ModelProvider = {
  call: (request, options) =>
    createRehearsalModel(systemClock, { latencyMs: Math.round(Math.random() * 12) }).call(
      { ...request, labels: { ...request.labels, attempt: 1 } },
      options,
    ),
};

// The parent sees to it that there is one of us.
await store.write(() => takeOverAll(tools, systemClock.now()));
const engine = startEngine({
  ...tools,
  store,
  clock: systemClock,
  models: {
    find: async (name) => ({ name, provider, costOf: () => 0 }),
    list: async () => [],
    defaultModel: async () => "rehearsal/rehearsal",
    costOf: () => 0,
  },
  worker: `worker-${process.pid}`,
  concurrency: 16,
  pollMs: 40,
  random: Math.random,
  onTrouble: (error) => process.stderr.write(`${String(error)}\n`),
});

const OPEN = sqlText(
  "select count(*) as n from run where state not in ('completed','failed','cancelled')",
);
for (;;) {
  const [row] = await store.read(() => runSql<{ n: number }>(OPEN, []));
  if (row?.n === 0) break;
  await systemClock.sleep(50);
}
await engine.stop();
process.exit(0);
