/**
 * PostgreSQL that stops as in a power cut, again and again, and connections cut just after COMMIT. `FLOWS=5000` and
 * `CUTS=1000` give the full figures.
 */

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { openPgBossQueue } from "../../src/adapters/pg-boss-queue/pg-boss-queue.ts";
import { systemClock } from "../../src/kernel/base/clock.ts";
import { createIdSource } from "../../src/kernel/base/ids.ts";
import { createRehearsalModel } from "../../src/kernel/model/rehearsal-model.ts";
import { type Engine, startEngine } from "../../src/kernel/run/engine.ts";
import { startRun } from "../../src/kernel/run/start-run.ts";
import { engineTables } from "../../src/kernel/store/engine-migration.ts";
import { migrate } from "../../src/kernel/store/migrate.ts";
import { openPostgres, type PostgresStore } from "../../src/kernel/store/postgres-store.ts";
import { isStoreAway } from "../../src/kernel/store/store-errors.ts";
import { auditEngine, rowsOf } from "../scratch/engine-audit.ts";
import { chainRun, trialHandlers } from "../scratch/trial-method.ts";
import { startCommitCutter } from "./commit-cutter.ts";
import { type OwnPostgres, startOwnPostgres } from "./own-postgres.ts";

const FLOWS = Number(process.env["FLOWS"] ?? 150);
const CUTS = Number(process.env["CUTS"] ?? 40);
const STEPS = 4;

describe("PostgreSQL in trouble", () => {
  let server: OwnPostgres;
  before(async () => {
    server = await startOwnPostgres();
  });
  after(() => server.remove());

  test(`${FLOWS} flows while it stops as in a power cut every few seconds: all end, every effect once`, async (t) => {
    const place = await openPlace("restarts", server.url);
    const engines = [await place.start(), await place.start()];
    const starting = place.begin(FLOWS);
    let restarts = 0;
    do {
      await sleep(FLOWS > 1000 ? 4000 : 700);
      await server.restart();
      restarts += 1;
    } while ((await place.countEnded()) < FLOWS);
    const accepted = await starting;
    await place.end(engines);

    await place.assertWhole(accepted);
    t.diagnostic(
      `${accepted.length} flows of ${STEPS} turns, ${restarts} restarts, 0 lost, 0 doubled`,
    );
    await place.remove();
  });

  test(`connections cut ${CUTS} times just after COMMIT: what was done is not done again`, async (t) => {
    const cutter = await startCommitCutter(server.port);
    const place = await openPlace("cuts", cutter.url);
    const engines = [await place.start()];
    cutter.oneIn = 5;
    const accepted: string[] = [];
    while (cutter.cuts < CUTS) {
      accepted.push(...(await place.begin(10)));
      await place.until(
        () => place.countEnded(),
        (ended) => ended >= accepted.length - 20,
      );
    }
    cutter.oneIn = 0;
    await place.until(
      () => place.countOpen(),
      (open) => open === 0,
    );
    await place.end(engines);

    await place.assertWhole(accepted);
    t.diagnostic(`${cutter.cuts} cuts at COMMIT, ${accepted.length} flows, 0 lost, 0 doubled`);
    await place.remove();
    await cutter.close();
  });
});

async function openPlace(name: string, url: string) {
  const schema = `proof_${name}`;
  const store: PostgresStore = openPostgres({ connectionString: url, schema });
  await migrate(store, [engineTables], 0);
  const queue = await openPgBossQueue({
    connectionString: url,
    schema: `${schema}_q`,
    onTrouble: () => undefined,
  });
  const ids = createIdSource(systemClock);
  const tools = { queue, handlers: trialHandlers, nextId: () => ids.next(), costOf: () => 0 };
  const provider = createRehearsalModel(systemClock, { latencyMs: 20 });
  const unforeseen: unknown[] = [];
  let workers = 0;

  const place = {
    start: async (): Promise<Engine> =>
      startEngine({
        ...tools,
        store,
        clock: systemClock,
        models: {
          find: async () => ({ name: "trial", provider, costOf: () => 0 }),
          list: async () => [],
          defaultModel: async () => "rehearsal/trial",
          costOf: () => 0,
        },
        worker: `worker-${++workers}`,
        concurrency: 20,
        leaseMs: 3000,
        pollMs: 50,
        random: Math.random,
        onTrouble: (error) => {
          if (!isStoreAway(error)) unforeseen.push(error);
        },
      }),
    /** Asks until it is told that the run was accepted; an answer that was lost leaves a run nobody was told of. */
    async begin(count: number): Promise<readonly string[]> {
      const accepted: string[] = [];
      while (accepted.length < count) {
        try {
          const begun = { projectId: null, startedBy: "proof" };
          const run = { ...chainRun(STEPS), title: `${name} ${accepted.length}` };
          accepted.push(await store.write(() => startRun(tools, run, begun, systemClock.now())));
        } catch (error) {
          if (!isStoreAway(error)) throw error;
          await sleep(50);
        }
      }
      return accepted;
    },
    countEnded: () => place.count("select count(*) as n from run where state = 'completed'"),
    countOpen: () =>
      place.count(
        "select count(*) as n from run where state not in ('completed','failed','cancelled')",
      ),
    /** A database that is away is asked again. */
    async count(text: string): Promise<number> {
      for (;;) {
        try {
          const [row] = await rowsOf<{ n: number }>(store, text);
          return row?.n ?? 0;
        } catch (error) {
          if (!isStoreAway(error)) throw error;
          await sleep(50);
        }
      }
    },
    async until(look: () => Promise<number>, isEnough: (value: number) => boolean): Promise<void> {
      while (!isEnough(await look())) await sleep(50);
    },
    async end(engines: readonly Engine[]): Promise<void> {
      await place.until(place.countOpen, (open) => open === 0);
      for (const engine of engines) await engine.stop();
    },
    async assertWhole(accepted: readonly string[]): Promise<void> {
      assert.deepEqual(unforeseen, []);
      const runs = await rowsOf<{ id: string; state: string }>(store, "select id, state from run");
      assert.deepEqual([...new Set(runs.map(({ state }) => state))], ["completed"]);
      const known = new Set(runs.map(({ id }) => id));
      assert.deepEqual(
        accepted.filter((id) => !known.has(id)),
        [],
        "accepted and lost",
      );
      const effects = await rowsOf<{ key: string }>(store, "select key from effect");
      const expected = runs.flatMap(({ id }) =>
        Array.from({ length: STEPS }, (_, index) => `${id}:t${index}`),
      );
      assert.deepEqual(effects.map(({ key }) => key).toSorted(), expected.toSorted());
      await auditEngine(store);
    },
    async remove(): Promise<void> {
      await queue.close();
      await store.close();
    },
  };
  return place;
}
