import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import path from "node:path";
import { describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { openPgBossQueue } from "../../src/adapters/pg-boss-queue/pg-boss-queue.ts";
import { systemClock } from "../../src/kernel/base/clock.ts";
import { createIdSource } from "../../src/kernel/base/ids.ts";
import type { EngineTools } from "../../src/kernel/run/engine-transaction.ts";
import { localQueue } from "../../src/kernel/run/local-queue.ts";
import type { Queue } from "../../src/kernel/run/queue.ts";
import { retryRun } from "../../src/kernel/run/run-control.ts";
import { startRun } from "../../src/kernel/run/start-run.ts";
import { executeSql, runSql } from "../../src/kernel/store/database-work.ts";
import { engineTables } from "../../src/kernel/store/engine-migration.ts";
import { sqlText } from "../../src/kernel/store/sql-text.ts";
import type { Store } from "../../src/kernel/store/store.ts";
import { auditEngine } from "../scratch/engine-audit.ts";
import { scratchPostgres, scratchSqlite } from "../scratch/scratch-store.ts";
import { chainRun, fanRun, trialHandlers } from "../scratch/trial-method.ts";

/** At least so many kills, and at least so many turns: whichever takes longer. `KILLS=1000 TURNS=100000` is the full figure. */
const KILLS = Number(process.env["KILLS"] ?? 8);
const TURNS = Number(process.env["TURNS"] ?? 2000);
/** A round is 2,000 turns: fifteen chains of 100 and a fan of 500 with its join. */
const ROUND: Load = { chains: 15, length: 100, fan: 500 };
const ROUND_TURNS = 2000;
/** So many are open at a time, or as many as there are to be: enough to keep a worker busy. */
const ROUNDS_AT_ONCE = 4;

describe("workers that are killed", () => {
  test(`embedded: kill -9 at ${KILLS} random instants of ${TURNS} turns loses nothing and doubles nothing`, async (t) => {
    const { store, folder, remove } = await scratchSqlite([engineTables]);
    t.after(remove);
    const start = () => work(["sqlite", path.join(folder, "workspace.db")]);

    const killing = await killUntilDone(start, store, localQueue, 1);

    await assertWhole(store, killing.loads);
    const [{ integrity_check: integrity } = {}] = await store.read(() =>
      runSql<{ integrity_check: string }>(sqlText("pragma integrity_check"), []),
    );
    assert.equal(integrity, "ok");
    t.diagnostic(await figuresOf(store, killing));
  });

  test(`two PostgreSQL workers with pg-boss: kill -9 at ${KILLS} random instants of ${TURNS} turns loses nothing and doubles nothing`, async (t) => {
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
    const start = () => work(["postgres", url, store.schema]);

    const killing = await killUntilDone(start, store, queue, 2);

    await assertWhole(store, killing.loads);
    t.diagnostic(await figuresOf(store, killing));
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

    await assertWhole(store, [{ chains: 4, length: 3, fan: 0 }]);
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

const ids = createIdSource(systemClock);

function toolsOf(queue: Queue): EngineTools {
  return { queue, handlers: trialHandlers, nextId: () => ids.next(), costOf: () => 0 };
}

async function plan(store: Store, queue: Queue, { chains, length, fan }: Load): Promise<void> {
  const runs = [
    ...Array.from({ length: chains }, () => chainRun(length)),
    ...(fan > 0 ? [fanRun(fan)] : []),
  ];
  for (const run of runs) {
    await store.write(() =>
      startRun(toolsOf(queue), run, { projectId: null, startedBy: "test" }, systemClock.now()),
    );
  }
}

function work(
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): ChildProcess {
  const script = path.join(import.meta.dirname, "..", "scratch", "kill-worker.ts");
  return spawn(process.execPath, [script, ...args], {
    stdio: ["ignore", "pipe", "inherit"],
    env: { ...process.env, ...environment },
  });
}

interface Killing {
  readonly kills: number;
  /** How often a turn had lost so many workers in a row that it waited for a person, who let it go on. */
  readonly helped: number;
  /** What was to be done, a round after the other. */
  readonly loads: readonly Load[];
}

/**
 * Kills one of the workers again and again, starts another in its place, and ends when the work is done. There is
 * always something open to be killed in: how much there is to do follows from how often they are to be killed.
 */
async function killUntilDone(
  start: () => ChildProcess,
  store: Store,
  queue: Queue,
  count: number,
): Promise<Killing> {
  const loads: Load[] = [];
  const planned = () => loads.length * ROUND_TURNS;
  const planMore = async () => {
    for (let open = await openRuns(store); ; open += ROUND.chains + 1) {
      const isShort = planned() < TURNS && open < ROUNDS_AT_ONCE * ROUND.chains;
      if (!isShort && open > 1) return;
      await plan(store, queue, ROUND);
      loads.push(ROUND);
    }
  };
  await planMore();
  const workers = Array.from({ length: count }, start);
  let kills = 0;
  let helped = 0;
  while (kills < KILLS || planned() < TURNS) {
    await planMore();
    helped += await tryHeldAgain(store, queue);
    const position = kills % workers.length;
    const victim = workers[position];
    if (!victim) break;
    // Now and then before it is up, mostly while it works.
    if (Math.random() < 0.85) await saysReady(victim);
    await sleep(Math.random() * 400);
    victim.kill("SIGKILL");
    await ended(victim);
    workers[position] = start();
    kills += 1;
  }
  const isOver = Promise.all(workers.map(ended)).then(() => true);
  while (!(await Promise.race([isOver, sleep(500).then(() => false)])))
    helped += await tryHeldAgain(store, queue);
  return { kills, helped, loads };
}

async function tryHeldAgain(store: Store, queue: Queue): Promise<number> {
  const held = await store.read(() =>
    runSql<{ id: string }>(sqlText("select id from run where state = 'held'"), []),
  );
  for (const { id } of held)
    await store.write(() => retryRun(toolsOf(queue), id, "test", systemClock.now()));
  return held.length;
}

/** A worker that has nothing to say when it is up is one that ended. */
async function saysReady(child: ChildProcess): Promise<void> {
  if (child.stdout?.readableLength === 0)
    await Promise.race([
      new Promise((resolve) => child.stdout?.once("readable", resolve)),
      ended(child),
    ]);
}

function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  return new Promise((resolve) => child.once("exit", () => resolve()));
}

async function assertWhole(store: Store, loads: readonly Load[]): Promise<void> {
  const sum = (of: (load: Load) => number) => loads.reduce((total, load) => total + of(load), 0);
  const joins = sum(({ fan }) => (fan > 0 ? 1 : 0));
  const rows = await store.read(() =>
    runSql<{ state: string; n: number }>(
      sqlText("select state, count(*) as n from run group by state"),
      [],
    ),
  );
  assert.deepEqual(
    rows.map(({ state, n }) => [state, n]),
    [["completed", sum(({ chains }) => chains) + joins]],
  );
  assert.equal(
    await count(store, "select count(*) as n from effect"),
    sum(({ chains, length, fan }) => chains * length + fan) + joins,
  );
  const joined = "select count(*) as n from job where key = 'join' and state = 'done'";
  assert.equal(await count(store, joined), joins);
  await auditEngine(store);
}

async function figuresOf(store: Store, { kills, helped, loads }: Killing): Promise<string> {
  const lost = await count(store, "select count(*) as n from answer where outcome = 'lost'");
  const calls = await count(store, "select count(*) as n from answer");
  return `${kills} kills, ${loads.length * ROUND_TURNS} turns, ${calls} calls on record, ${lost} of them lost, ${helped} times a person let a turn go on`;
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
