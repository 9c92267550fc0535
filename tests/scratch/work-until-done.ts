/**
 * What workers to be killed have in common: the engine at work on a store until every run has ended, then the end of the
 * process. The store is named on the command line: `sqlite FILE` or `postgres URL SCHEMA`.
 */

import { openPgBossQueue } from "../../src/adapters/pg-boss-queue/pg-boss-queue.ts";
import { systemClock } from "../../src/kernel/base/clock.ts";
import { createIdSource } from "../../src/kernel/base/ids.ts";
import type { ModelProvider } from "../../src/kernel/model/model-provider.ts";
import { createRehearsalModel } from "../../src/kernel/model/rehearsal-model.ts";
import { startEngine } from "../../src/kernel/run/engine.ts";
import { takeOverAll } from "../../src/kernel/run/engine-work.ts";
import type { HandlerRegistry } from "../../src/kernel/run/handler.ts";
import { localQueue } from "../../src/kernel/run/local-queue.ts";
import { runSql } from "../../src/kernel/store/database-work.ts";
import { openPostgres } from "../../src/kernel/store/postgres-store.ts";
import { sqlText } from "../../src/kernel/store/sql-text.ts";
import { openSqlite } from "../../src/kernel/store/sqlite-store.ts";

export interface DoomedWork {
  readonly handlers: (nextId: () => string) => HandlerRegistry;
  readonly provider: ModelProvider;
  readonly concurrency: number;
  readonly leaseMs: number;
}

const OPEN = sqlText(
  "select count(*) as n from run where state not in ('completed','failed','cancelled')",
);

export async function workUntilDone(work: DoomedWork): Promise<never> {
  const { provider, concurrency, leaseMs } = work;
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
          onTrouble: complain,
        });
  const ids = createIdSource(systemClock);
  const nextId = () => ids.next();
  const tools = { queue, handlers: work.handlers(nextId), nextId, costOf: () => 0 };

  // Embedded, the lock proves that whoever held a lease is gone; here the parent sees to it that there is one of us.
  if (dialect === "sqlite") await store.write(() => takeOverAll(tools, systemClock.now()));
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
    concurrency,
    leaseMs,
    pollMs: 40,
    random: Math.random,
    onTrouble: complain,
  });
  process.stdout.write("ready\n");
  while ((await store.read(() => runSql<{ n: number }>(OPEN, [])))[0]?.n !== 0) {
    await systemClock.sleep(50);
  }
  await engine.stop();
  process.exit(0);
}

/** Calls take different times, so that what is under way when the worker dies is different every time. */
export function unsteadyRehearsal(leastMs: number, mostMs: number): ModelProvider {
  return {
    call(request, options) {
      const latencyMs = Math.round(leastMs + Math.random() * (mostMs - leastMs));
      return createRehearsalModel(systemClock, { latencyMs }).call(request, options);
    },
  };
}

function complain(error: unknown): void {
  process.stderr.write(`${String(error)}\n`);
}
