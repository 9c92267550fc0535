/**
 * A worker to be killed: lets teams work on the SQLite file given on the command line until every run has ended, then
 * ends by itself.
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
import { teamEffects } from "../../src/methods/team/running/team-effects.ts";
import { teamHandlers } from "../../src/methods/team/running/team-handlers.ts";
import { builtInLibrary } from "./scratch-kernel.ts";

const store = openSqlite({ path: process.argv[2] ?? "" });
const ids = createIdSource(systemClock);
const handlers = createHandlerRegistry(teamHandlers(builtInLibrary()), teamEffects);
const tools = { queue: localQueue, handlers, nextId: () => ids.next(), costOf: () => 0 };

/** Calls take different times, so that what is under way when the worker dies is different every time. */
const provider: ModelProvider = {
  call: (request, options) =>
    createRehearsalModel(systemClock, { latencyMs: 5 + Math.round(Math.random() * 30) }).call(
      request,
      options,
    ),
};

// The parent sees to it that there is one of us: whoever held a lease is gone.
await store.write(() => takeOverAll(tools, systemClock.now()));
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
  concurrency: 8,
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
  await systemClock.sleep(50);
}
await engine.stop();
process.exit(0);
