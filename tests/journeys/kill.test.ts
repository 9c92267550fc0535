import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import path from "node:path";
import { describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { openPgBossQueue } from "../../src/adapters/pg-boss-queue/pg-boss-queue.ts";
import { systemClock } from "../../src/kernel/base/clock.ts";
import { createIdSource } from "../../src/kernel/base/ids.ts";
import { localQueue } from "../../src/kernel/run/local-queue.ts";
import type { Queue } from "../../src/kernel/run/queue.ts";
import { startRun } from "../../src/kernel/run/start-run.ts";
import { executeSql, runSql } from "../../src/kernel/store/database-work.ts";
import { engineTables } from "../../src/kernel/store/engine-migration.ts";
import { sqlText } from "../../src/kernel/store/sql-text.ts";
import type { Store } from "../../src/kernel/store/store.ts";
import { auditEngine } from "../scratch/engine-audit.ts";
import { scratchPostgres, scratchSqlite } from "../scratch/scratch-store.ts";
import { chainRun, fanRun, trialHandlers } from "../scratch/trial-method.ts";

/** 2,000 turns: fifteen chains of 100 and a fan of 500 with its join. `KILLS=200` gives the full figure. */
const KILLS = Number(process.env["KILLS"] ?? 8);
const CHAINS = 15;
const CHAIN = 100;
const FAN = 500;

describe("workers that are killed", () => {
  test(`embedded: kill -9 at ${KILLS} random instants of 2,000 turns loses nothing and doubles nothing`, async (t) => {
    const { store, folder, remove } = await scratchSqlite([engineTables]);
    t.after(remove);
    await plan(store, localQueue);

    const killed = await killUntilDone(
      () => work(["sqlite", path.join(folder, "workspace.db")]),
      store,
      1,
    );

    await assertWhole(store);
    const [{ integrity_check: integrity } = {}] = await store.read(() =>
      runSql<{ integrity_check: string }>(sqlText("pragma integrity_check"), []),
    );
    assert.equal(integrity, "ok");
    t.diagnostic(`${killed} kills`);
  });

  test(`two PostgreSQL workers with pg-boss: kill -9 at ${KILLS} random instants loses nothing and doubles nothing`, async (t) => {
    const { store, url, remove } = await scratchPostgres([engineTables]);
    const queueSchema = `${store.schema}_q`;
    const queue = await openPgBossQueue({
      connectionString: url,
      schema: queueSchema,
      onTrouble: () => undefined,
    });
    t.after(async () => {
      await queue.close();
      await store.write(() => executeSql(sqlText(`drop schema ${queueSchema} cascade`), []));
      await remove();
    });
    await plan(store, queue);
    const start = () => work(["postgres", url, store.schema]);

    const killed = await killUntilDone(start, store, 2);

    await assertWhole(store);
    t.diagnostic(`${killed} kills`);
  });

  test("a worker stopped past its lease and continued cannot write: another has finished its job", async (t) => {
    const { store, url, remove } = await scratchPostgres([engineTables]);
    const queueSchema = `${store.schema}_q`;
    const queue = await openPgBossQueue({
      connectionString: url,
      schema: queueSchema,
      onTrouble: () => undefined,
    });
    t.after(async () => {
      await queue.close();
      await store.write(() => executeSql(sqlText(`drop schema ${queueSchema} cascade`), []));
      await remove();
    });
    await plan(store, queue, { chains: 4, length: 3, fan: 0 });
    const environment = { LATENCY_MS: "1200", LEASE_MS: "1500" };
    const frozen = work(["postgres", url, store.schema], environment);
    await until(store, "select count(*) as n from job where state = 'leased'", (n) => n > 0);
    frozen.kill("SIGSTOP");

    const second = work(["postgres", url, store.schema], environment);
    await until(store, "select count(*) as n from effect", (n) => n >= 12);
    frozen.kill("SIGCONT");
    await Promise.all([ended(frozen), ended(second)]);

    await assertWhole(store, { chains: 4, length: 3, fan: 0 });
    const takenOver = await count(
      store,
      "select count(*) as n from event where type = 'job.taken_over'",
    );
    const lost = await count(store, "select count(*) as n from answer where outcome = 'lost'");
    assert.ok(takenOver > 0 && lost > 0, `taken over ${takenOver}, lost ${lost}`);
  });
});

interface Load {
  readonly chains: number;
  readonly length: number;
  readonly fan: number;
}

const FULL: Load = { chains: CHAINS, length: CHAIN, fan: FAN };

async function plan(
  store: Store,
  queue: Queue,
  { chains, length, fan }: Load = FULL,
): Promise<void> {
  const ids = createIdSource(systemClock);
  const tools = { queue, handlers: trialHandlers, nextId: () => ids.next(), costOf: () => 0 };
  const runs = [
    ...Array.from({ length: chains }, () => chainRun(length)),
    ...(fan > 0 ? [fanRun(fan)] : []),
  ];
  for (const run of runs) {
    await store.write(() =>
      startRun(tools, run, { projectId: null, startedBy: "test" }, systemClock.now()),
    );
  }
}

function work(
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): ChildProcess {
  const script = path.join(import.meta.dirname, "..", "scratch", "kill-worker.ts");
  return spawn(process.execPath, [script, ...args], {
    stdio: ["ignore", "ignore", "inherit"],
    env: { ...process.env, ...environment },
  });
}

/** Kills one of the workers again and again, starts another in its place, and ends when the work is done. */
async function killUntilDone(
  start: () => ChildProcess,
  store: Store,
  count: number,
): Promise<number> {
  const workers = Array.from({ length: count }, start);
  let killed = 0;
  while (killed < KILLS && (await openRuns(store)) > 0) {
    const position = killed % workers.length;
    // Long enough to have started, short enough that there is something left to be killed in.
    await sleep(350 + Math.random() * 250);
    const victim = workers[position];
    if (!victim) break;
    victim.kill("SIGKILL");
    await ended(victim);
    workers[position] = start();
    killed += 1;
  }
  await Promise.all(workers.map(ended));
  return killed;
}

function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  return new Promise((resolve) => child.once("exit", () => resolve()));
}

async function assertWhole(store: Store, { chains, length, fan }: Load = FULL): Promise<void> {
  const joins = fan > 0 ? 1 : 0;
  const rows = await store.read(() =>
    runSql<{ state: string; n: number }>(
      sqlText("select state, count(*) as n from run group by state"),
      [],
    ),
  );
  assert.deepEqual(
    rows.map(({ state, n }) => [state, n]),
    [["completed", chains + joins]],
  );
  assert.equal(
    await count(store, "select count(*) as n from effect"),
    chains * length + fan + joins,
  );
  const joined = "select count(*) as n from job where key = 'join' and state = 'done'";
  assert.equal(await count(store, joined), joins);
  await auditEngine(store);
}

function openRuns(store: Store): Promise<number> {
  return count(
    store,
    "select count(*) as n from run where state not in ('completed','failed','cancelled')",
  );
}

async function count(store: Store, sql: string): Promise<number> {
  const [row] = await store.read(() => runSql<{ n: number }>(sqlText(sql), []));
  return row?.n ?? 0;
}

async function until(store: Store, sql: string, isEnough: (n: number) => boolean): Promise<void> {
  for (let tries = 0; tries < 600; tries += 1) {
    if (isEnough(await count(store, sql))) return;
    await sleep(50);
  }
  assert.fail(`It never came to that: ${sql}`);
}
