/** A dialectic of three slots whose worker is killed in the middle of synthesis: the same documents, word for word. */

import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { systemClock } from "../../src/kernel/base/clock.ts";
import { createIdSource } from "../../src/kernel/base/ids.ts";
import { createHandlerRegistry } from "../../src/kernel/run/handler.ts";
import { localQueue } from "../../src/kernel/run/local-queue.ts";
import { engineTables } from "../../src/kernel/store/engine-migration.ts";
import { nounTables } from "../../src/kernel/store/noun-migration.ts";
import { searchTables } from "../../src/kernel/store/search-migration.ts";
import type { Store } from "../../src/kernel/store/store.ts";
import { identityKey } from "../../src/methods/dialectic/planning/identity.ts";
import { pinDomain } from "../../src/methods/dialectic/recipe/pinned-domain.ts";
import { beginSession } from "../../src/methods/dialectic/running/begin-session.ts";
import { dialecticEffects } from "../../src/methods/dialectic/running/dialectic-effects.ts";
import { dialecticHandlers } from "../../src/methods/dialectic/running/dialectic-handlers.ts";
import { dialecticTables } from "../../src/methods/dialectic/running/dialectic-migration.ts";
import { type ArtifactTable } from "../../src/methods/dialectic/running/dialectic-tables.ts";
import { auditEngine, rowsOf } from "../scratch/engine-audit.ts";
import { builtInLibrary } from "../scratch/scratch-kernel.ts";
import { scratchSqlite } from "../scratch/scratch-store.ts";

/** `KILLS=20` gives the full figure. */
const KILLS = Number(process.env["KILLS"] ?? 2);
const FIRST = 80;
const SYNTHESIS = 135;

test(`kill -9 at ${KILLS} moments of synthesis with 3 slots leaves the documents of an undisturbed run`, async (t) => {
  const calm = await play(t, 0);
  const killed = await play(t, KILLS);

  assert.equal(calm.documents.size, 237);
  assert.deepEqual(killed.documents, calm.documents);
  assert.ok(killed.lost > 0, "calls were under way when the worker died");
  t.diagnostic(`${KILLS} kills, ${killed.lost} calls lost`);
});

interface Played {
  /** Hash by identity. */
  readonly documents: ReadonlyMap<string, string>;
  readonly lost: number;
}

async function play(t: { after(work: () => Promise<void>): void }, kills: number): Promise<Played> {
  const tables = [engineTables, nounTables, searchTables, dialecticTables];
  const { store, folder, remove } = await scratchSqlite(tables);
  t.after(remove);
  await begin(store);
  const file = path.join(folder, "workspace.db");
  for (let kill = 0; kill < kills; kill += 1) {
    const worker = work(file);
    const wanted = FIRST + Math.round(((kill + 1) * SYNTHESIS) / (kills + 1));
    await until(store, wanted);
    worker.kill("SIGKILL");
    await once(worker, "exit");
  }
  const last = work(file);
  const [code] = (await once(last, "exit")) as [number];
  assert.equal(code, 0);
  await auditEngine(store);
  const rows = await rowsOf<ArtifactTable>(
    store,
    "select * from dialectic_artifact where kind <> 'seed' order by id",
  );
  assert.ok(rows.every(({ state, version }) => state === "complete" && version === 1));
  const [lost] = await rowsOf<{ n: number }>(
    store,
    "select count(*) as n from answer where outcome = 'lost'",
  );
  return {
    documents: new Map(
      rows
        .map((row) => [identityKey(row), row.hash] as const)
        .toSorted(([a], [b]) => (a < b ? -1 : 1)),
    ),
    lost: Number(lost?.n),
  };
}

async function begin(store: Store): Promise<void> {
  const ids = createIdSource(systemClock);
  const nextId = () => ids.next();
  const handlers = createHandlerRegistry(dialecticHandlers(nextId), dialecticEffects);
  const recipe = pinDomain(builtInLibrary(), "software");
  await store.write(() =>
    beginSession(
      { queue: localQueue, handlers, nextId, costOf: () => 0 },
      {
        title: "A bakery",
        request: "A web shop for a bakery.",
        recipe,
        slots: ["rehearsal/a", "rehearsal/a", "rehearsal/b"],
        overlays: {},
        isAuto: true,
      },
      { projectId: null, startedBy: "admin" },
      systemClock.now(),
    ),
  );
}

function work(file: string): ChildProcess {
  const script = path.join(import.meta.dirname, "..", "scratch", "dialectic-worker.ts");
  return spawn(process.execPath, [script, "sqlite", file], {
    stdio: ["ignore", "ignore", "inherit"],
  });
}

async function until(store: Store, artifacts: number): Promise<void> {
  for (;;) {
    const [row] = await rowsOf<{ n: number }>(
      store,
      "select count(*) as n from dialectic_artifact where kind <> 'seed'",
    );
    if (Number(row?.n) >= artifacts) return;
    await sleep(5);
  }
}
