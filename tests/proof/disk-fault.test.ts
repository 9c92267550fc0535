/**
 * A disk that refuses one write, sync or change of length after the other, with no room or with an error: every
 * operation that writes, and an engine at work. Nothing half-written is kept, every failure has its name, and what was
 * going on goes on by itself. `OPERATIONS_EVERY=1` asks for every operation, `POINTS_EVERY=1` tries every write of the engine's.
 */

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import path from "node:path";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { engineTables } from "../../src/kernel/store/engine-migration.ts";
import {
  buildDiskFault,
  DISK_ERRORS,
  type DiskError,
  type DiskFault,
  missingDiskFault,
} from "../scratch/disk-fault.ts";
import type { DiskTrials } from "../scratch/disk-fault-worker.ts";
import { auditEngine, rowsOf } from "../scratch/engine-audit.ts";
import type { WorkerOrders } from "../scratch/engine-worker.ts";
import { newTold, startWorker } from "../scratch/engine-workers.ts";
import { scratchSqlite } from "../scratch/scratch-store.ts";

const OPERATIONS_EVERY = process.env["OPERATIONS_EVERY"] ?? "24";
const POINTS_EVERY = Number(process.env["POINTS_EVERY"] ?? 53);
const FLOWS = 3;
const STEPS = 4;
const STICKY_MS = 150;

describe("a disk that refuses", { skip: missingDiskFault() ?? false }, () => {
  let disk: DiskFault;
  before(() => {
    disk = buildDiskFault();
  });
  after(() => disk?.remove());

  test("any write of an operation: refused by name, and nothing of it is there", async (t) => {
    const worker = path.join(import.meta.dirname, "../scratch/disk-fault-worker.ts");
    const { stdout } = await promisify(execFile)(process.execPath, [worker, OPERATIONS_EVERY], {
      env: { ...process.env, ...disk.environment("/throughline-") },
      maxBuffer: 1e8,
    });
    const { operations, trials, refusals, codes, broken } = JSON.parse(stdout) as DiskTrials;

    assert.deepEqual(broken, []);
    assert.ok(operations > 0 && refusals > operations, `${refusals} refusals`);
    const told = Object.entries(codes)
      .map(([code, times]) => `${times} × ${code}`)
      .join(", ");
    t.diagnostic(
      `${operations} operations, ${trials} trials, ${refusals} writes refused (${told}), 0 half-written`,
    );
  });

  for (const error of Object.keys(DISK_ERRORS) as DiskError[]) {
    for (const isSticky of [false, true]) {
      test(`any write of an engine at work, ${error} ${isSticky ? "for a while" : "once"}: it goes on by itself`, async (t) => {
        let points = 0;
        let restarts = 0;
        for (let nth = 1; ; nth += POINTS_EVERY) {
          const { reached, starts } = await workOn(disk, nth, error, isSticky);
          if (!reached) break;
          points += 1;
          restarts += starts - 1;
        }
        assert.ok(points > 0);
        t.diagnostic(
          `${error} ${isSticky ? "sticky" : "once"}: ${points} points, ${restarts} of them while the store was being opened (said, ended, and begun anew), 0 lost, 0 torn`,
        );
      });
    }
  }
});

async function workOn(
  { control, environment }: DiskFault,
  nth: number,
  error: DiskError,
  isSticky: boolean,
): Promise<{ readonly reached: boolean; readonly starts: number }> {
  const scratch = await scratchSqlite([engineTables]);
  const file = path.join(scratch.folder, "workspace.db");
  await scratch.store.close();
  const told = newTold();
  const orders: WorkerOrders = {
    place: { dialect: "sqlite", path: file },
    queue: "local",
    isAlone: true,
    runs: Array.from({ length: FLOWS }, (_, index) => `chain ${STEPS} no ${index}`),
    startsRuns: true,
    concurrency: 4,
    leaseMs: 5000,
    latencyMs: [0, 1],
  };
  control.refuse(nth, error, isSticky ? undefined : 1);
  let starts = 0;
  let ending: number | string = 1;
  while (ending !== 0) {
    starts += 1;
    assert.ok(starts < 20, `write ${nth}: it cannot be started`);
    const worker = startWorker(orders, told, undefined, environment(scratch.folder));
    const life = { isOver: false };
    const healing = isSticky ? healLater(control, life) : Promise.resolve();
    ending = await worker.over;
    life.isOver = true;
    await healing;
    assert.ok(ending === 0 || ending === 75, `write ${nth}: ended with ${ending}`);
  }
  const reached = control.failed() > 0;
  control.heal();

  const store = scratch.reopen();
  const runs = await rowsOf<{ id: string; state: string }>(store, "select id, state from run");
  const known = new Set(runs.map(({ id }) => id));
  const effects = await rowsOf<{ key: string }>(store, "select key from effect");
  const keys = new Set(effects.map(({ key }) => key));
  const [check] = await rowsOf<{ integrity_check: string }>(store, "pragma integrity_check");
  assert.deepEqual(
    {
      ended: runs.filter(({ state }) => state === "completed").length,
      effects: effects.length,
      lost: [...told.accepted].filter((id) => !known.has(id)),
      unkept: [...told.kept].filter((key) => !keys.has(key)),
      unnamed: told.troubles,
      integrity: check?.integrity_check,
    },
    { ended: FLOWS, effects: FLOWS * STEPS, lost: [], unkept: [], unnamed: [], integrity: "ok" },
    `write ${nth}, ${error}`,
  );
  await auditEngine(store);
  await store.close();
  await scratch.remove().catch(() => undefined);
  return { reached, starts };
}

/** Room comes back a moment after the disk began to refuse. */
async function healLater(
  control: DiskFault["control"],
  life: { readonly isOver: boolean },
): Promise<void> {
  while (control.failed() === 0 && !life.isOver) await sleep(20);
  await sleep(STICKY_MS);
  control.heal();
}
