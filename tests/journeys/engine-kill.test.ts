import assert from "node:assert/strict";
import path from "node:path";
import { describe, type TestContext, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { openPgBossQueue } from "../../src/adapters/pg-boss-queue/pg-boss-queue.ts";
import { ProductError } from "../../src/kernel/base/errors.ts";
import { executeSql } from "../../src/kernel/store/database-work.ts";
import { engineTables } from "../../src/kernel/store/engine-migration.ts";
import { sqlText } from "../../src/kernel/store/sql-text.ts";
import { openSqlite } from "../../src/kernel/store/sqlite-store.ts";
import type { Store } from "../../src/kernel/store/store.ts";
import { auditEngine, rowsOf } from "../scratch/engine-audit.ts";
import type { WorkerOrders } from "../scratch/engine-worker.ts";
import { newTold, startWorker, type Told, type WorkerProcess } from "../scratch/engine-workers.ts";
import { scratchPostgres, scratchSqlite } from "../scratch/scratch-store.ts";

/** `KILLS=200` gives the full figure. */
const KILLS = Number(process.env["KILLS"] ?? 10);

/** 2,000 turns: a fan of 500 with its join, and 36 chains of 10 to 100. */
function load(round: number): readonly string[] {
  const chains = [
    [10, 10],
    [20, 10],
    [50, 8],
    [100, 8],
  ] as const;
  return [
    `fan 500 of round ${round}`,
    ...chains.flatMap(([length, count]) =>
      Array.from({ length: count }, (_, index) => `chain ${length} no ${index} of round ${round}`),
    ),
  ];
}

describe("workers that are killed", () => {
  test(`one process on a SQLite file, killed ${KILLS} times: nothing is lost, nothing happens twice`, async (t) => {
    const { store, orders } = await onSqlite(t);

    const killing = await killUntilDone(store, [{ ...orders, isAlone: true, concurrency: 12 }]);

    await assertWhole(t, store, killing);
  });

  test(`two processes on one SQLite file, killed ${Math.ceil(KILLS / 3)} times: no errors, no doubles`, async (t) => {
    const { store, orders } = await onSqlite(t);
    const short = { ...orders, leaseMs: 700, concurrency: 8 };

    const killing = await killUntilDone(store, [short, short], Math.ceil(KILLS / 3));

    await assertWhole(t, store, killing);
  });

  test(`two processes on PostgreSQL with pg-boss, killed ${KILLS} times: nothing is lost, nothing happens twice`, async (t) => {
    const { store, orders } = await onPostgres(t);
    const short = { ...orders, leaseMs: 900, concurrency: 12 };

    const killing = await killUntilDone(store, [short, short]);

    await assertWhole(t, store, killing);
  });
});

describe("workers that are stopped past their lease", () => {
  for (const dialect of ["sqlite", "postgres"] as const) {
    test(`on ${dialect}: whoever took over has finished, and the one that wakes up changes nothing`, async (t) => {
      const { store, orders } = dialect === "sqlite" ? await onSqlite(t) : await onPostgres(t);
      const told = newTold();
      const runs = Array.from({ length: 20 }, (_, index) => `chain 1 no ${index}`);
      const slow = {
        ...orders,
        runs,
        leaseMs: 600,
        concurrency: 20,
        latencyMs: [2000, 2000],
      } as const;

      const frozen = startWorker({ ...slow, startsRuns: true }, told);
      await until("all its calls are under way", () => told.calls >= 20);
      await freezeBetweenWrites(frozen, store);
      const heir = startWorker({ ...slow, latencyMs: [0, 5] }, told);
      await heir.over;
      const finished = await countOf(store, "select count(*) as n from effect");
      frozen.child.kill("SIGCONT");
      const ending = await frozen.over;

      assert.equal(ending, 0);
      assert.equal(finished, 20, "the heir did not wait for it");
      const done = await countOf(store, "select count(*) as n from effect");
      assert.equal(done, 20);
      const takenOver = await countOf(
        store,
        "select count(*) as n from event where type = 'job.taken_over'",
      );
      assert.equal(takenOver, 20);
      await assertWhole(t, store, { told, kills: 0, rounds: [runs] });
    });

    test(`on ${dialect}: stopped and continued at any moment, two workers do everything once`, async (t) => {
      const { store, orders } = dialect === "sqlite" ? await onSqlite(t) : await onPostgres(t);
      const told = newTold();
      const runs = load(1).filter((title) => !/ (?:50|100) /.test(title));
      const short = { ...orders, runs, leaseMs: 300, concurrency: 8, latencyMs: [0, 25] } as const;

      const workers = [startWorker({ ...short, startsRuns: true }, told), startWorker(short, told)];
      await Promise.all(workers.map(({ ready }) => ready));
      for (let stops = 0; stops < 10 && !(await isAllDone(store, [runs])); stops += 1) {
        const { child } = workers[stops % 2]!;
        await sleep(20 + Math.random() * 120);
        child.kill("SIGSTOP");
        await sleep(450);
        child.kill("SIGCONT");
      }
      const continuedAt = performance.now();
      for (const { over } of workers) assert.equal(await over, 0);

      const seconds = (performance.now() - continuedAt) / 1000;
      assert.ok(seconds < 120, `once both were awake it took ${seconds} s`);
      const lost = await countOf(store, "select count(*) as n from answer where outcome = 'lost'");
      assert.ok(lost > 0, "some were really taken over");
      await assertWhole(t, store, { told, kills: 0, rounds: [runs] });
    });
  }
});

/**
 * Whoever is frozen in the middle of a write keeps the lock of a SQLite file until it goes on, and nobody could take
 * over before: there it is let go on for a moment. PostgreSQL closes such a connection by itself.
 */
async function freezeBetweenWrites({ child }: WorkerProcess, store: Store): Promise<void> {
  child.kill("SIGSTOP");
  if (store.dialect !== "sqlite") return;
  const impatient = openSqlite({ path: store.location, busyMs: 200 });
  try {
    while (!(await canWrite(impatient))) {
      child.kill("SIGCONT");
      await sleep(5);
      child.kill("SIGSTOP");
    }
  } finally {
    await impatient.close();
  }
}

async function canWrite(store: Store): Promise<boolean> {
  try {
    await store.write(() => executeSql(sqlText("delete from run where false"), []));
    return true;
  } catch (error) {
    if (error instanceof ProductError && error.code === "store_busy") return false;
    throw error;
  }
}

interface Place {
  readonly store: Store;
  readonly orders: WorkerOrders;
}

async function onSqlite(t: TestContext): Promise<Place> {
  const { store, folder, remove } = await scratchSqlite([engineTables]);
  t.after(remove);
  const place = { dialect: "sqlite", path: path.join(folder, "workspace.db") } as const;
  return { store, orders: { ...PLAIN, place, queue: "local" } };
}

async function onPostgres(t: TestContext): Promise<Place> {
  const { store, url, remove } = await scratchPostgres([engineTables]);
  const queueSchema = `${store.schema}_q`;
  // Made once here, so that two workers do not both make it while one of them is killed.
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
  const place = { dialect: "postgres", url, schema: store.schema } as const;
  return { store, orders: { ...PLAIN, place, queue: "pg-boss" } };
}

const PLAIN = {
  isAlone: false,
  runs: [],
  startsRuns: false,
  concurrency: 12,
  leaseMs: 5000,
  latencyMs: [0, 4],
} as const;

interface Killing {
  readonly told: Told;
  readonly kills: number;
  /** What was to be done: more is added when it is all done before enough were killed. */
  readonly rounds: readonly (readonly string[])[];
}

/** The first of the workers starts the runs; any of them may be killed at any moment. */
async function killUntilDone(
  store: Store,
  crew: readonly WorkerOrders[],
  kills = KILLS,
): Promise<Killing> {
  const told = newTold();
  const rounds = [load(1)];
  const start = (position: number): WorkerProcess => {
    const orders = crew[position] ?? PLAIN_ORDERS;
    return startWorker({ ...orders, runs: rounds.flat(), startsRuns: position === 0 }, told);
  };
  const workers = crew.map((_, position) => start(position));
  for (let killed = 0; killed < kills; killed += 1) {
    const position = killed % workers.length;
    const victim = workers[position]!;
    // Now and then before it is up, mostly while it works.
    if (Math.random() < 0.85) await victim.ready;
    await sleep(Math.random() * 110);
    victim.child.kill("SIGKILL");
    assertNotFailed(await victim.over);
    if (await isAllDone(store, rounds)) rounds.push(load(rounds.length + 1));
    workers[position] = start(position);
  }
  // One that ended by itself before the last round was added does not know of it.
  while (!(await isAllDone(store, rounds))) {
    for (const { over } of workers) assertNotFailed(await over);
    if (!(await isAllDone(store, rounds))) workers.forEach((_, at) => (workers[at] = start(at)));
  }
  await Promise.all(workers.map(({ over }) => over));
  return { told, kills, rounds };
}

function assertNotFailed(ending: number | string): void {
  assert.ok(ending === 0 || ending === "SIGKILL", `a worker ended with ${ending}`);
}

const PLAIN_ORDERS: WorkerOrders = {
  ...PLAIN,
  place: { dialect: "sqlite", path: "" },
  queue: "local",
};

async function isAllDone(store: Store, rounds: Killing["rounds"]): Promise<boolean> {
  const done = await countOf(store, "select count(*) as n from run where state = 'completed'");
  return done === rounds.flat().length;
}

/** Nothing lost, nothing twice, joined once, everything ended, every chain and count as it must be. */
async function assertWhole(t: TestContext, store: Store, killing: Killing): Promise<void> {
  const { told, kills, rounds } = killing;
  const runs = await rowsOf<{ id: string; title: string; state: string }>(
    store,
    "select id, title, state from run order by id",
  );
  assert.deepEqual(
    runs.map(({ title }) => title).toSorted(),
    rounds.flat().toSorted(),
    "every run was started once",
  );
  assert.deepEqual([...new Set(runs.map(({ state }) => state))], ["completed"]);
  const effects = (await rowsOf<{ key: string }>(store, "select key from effect")).map(
    ({ key }) => key,
  );
  assert.deepEqual(effects.toSorted(), runs.flatMap(expectedEffects).toSorted());
  const ids = new Set(runs.map(({ id }) => id));
  assert.deepEqual(
    [...told.accepted].filter((id) => !ids.has(id)),
    [],
    "accepted and lost",
  );
  const keys = new Set(effects);
  assert.deepEqual(
    [...told.kept].filter((key) => !keys.has(key)),
    [],
    "told as kept and lost",
  );
  assert.deepEqual(told.troubles, []);
  if (kills > 0) assert.deepEqual(told.away, []);
  if (store.dialect === "sqlite") {
    const [check] = await rowsOf<{ integrity_check: string }>(store, "pragma integrity_check");
    assert.equal(check?.integrity_check, "ok");
  }
  const { events } = await auditEngine(store);
  const lost = await countOf(store, "select count(*) as n from answer where outcome = 'lost'");
  const turns = await countOf(store, "select count(*) as n from answer");
  assert.ok(told.calls <= turns, `${told.calls} calls were made, ${turns} are on record`);
  t.diagnostic(
    `${kills} kills, ${effects.length} effects once each, ${told.kept.size} told as kept, ${events} events, ${told.calls} calls made, ${turns} on record, ${lost} of them lost`,
  );
}

function expectedEffects({ id, title }: { id: string; title: string }): readonly string[] {
  const [shape, size = "0"] = title.split(" ");
  const keys = Array.from({ length: Number(size) }, (_, index) =>
    shape === "fan" ? `${id}:item${index}` : `${id}:t${index}`,
  );
  return shape === "fan" ? [...keys, `${id}:join`] : keys;
}

async function countOf(store: Store, text: string): Promise<number> {
  const [row] = await rowsOf<{ n: number }>(store, text);
  return row?.n ?? 0;
}

async function until(what: string, isSo: () => boolean): Promise<void> {
  for (let tries = 0; tries < 2000; tries += 1) {
    if (isSo()) return;
    await sleep(10);
  }
  assert.fail(`It did not happen that ${what}.`);
}
