/**
 * A disk that refuses to take more, at one place after the other: the process may write files only up to a size, and
 * beyond it every write fails. What it accepted is there, nothing is torn, and with room again it goes on.
 * `POINTS=60` tries more places.
 */

import assert from "node:assert/strict";
import path from "node:path";
import { describe, test } from "node:test";
import { engineTables } from "../../src/kernel/store/engine-migration.ts";
import { auditEngine, rowsOf } from "../scratch/engine-audit.ts";
import type { WorkerOrders } from "../scratch/engine-worker.ts";
import { newTold, startWorker, type Told } from "../scratch/engine-workers.ts";
import { scratchSqlite } from "../scratch/scratch-store.ts";

const POINTS = Number(process.env["POINTS"] ?? 6);
const FLOWS = 12;
const STEPS = 4;

describe("a disk that is full", { skip: process.platform === "win32" }, () => {
  test(`at ${POINTS} sizes of its files: nothing accepted is lost, nothing is torn, and it goes on with room again`, async (t) => {
    let refusals = 0;
    for (let point = 0; point < POINTS; point += 1) {
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
        concurrency: 8,
        leaseMs: 5000,
        latencyMs: [0, 2],
      };
      const kilobytes = 150 + Math.round((point * 1400) / POINTS);

      const ending = await runLimited(orders, told, kilobytes);
      refusals += told.away.length + (ending === 0 ? 0 : 1);
      const heir = startWorker(orders, told);
      assert.equal(await heir.over, 0, `with room again, after a limit of ${kilobytes} kB`);

      const store = scratch.reopen();
      const runs = await rowsOf<{ id: string; state: string }>(store, "select id, state from run");
      const known = new Set(runs.map(({ id }) => id));
      assert.equal(runs.length, FLOWS);
      assert.deepEqual([...new Set(runs.map(({ state }) => state))], ["completed"]);
      assert.deepEqual(
        [...told.accepted].filter((id) => !known.has(id)),
        [],
        "accepted and lost",
      );
      const effects = await rowsOf<{ key: string }>(store, "select key from effect");
      const keys = new Set(effects.map(({ key }) => key));
      assert.equal(effects.length, FLOWS * STEPS);
      assert.deepEqual(
        [...told.kept].filter((key) => !keys.has(key)),
        [],
        "kept and lost",
      );
      assert.deepEqual(told.troubles, [], "every trouble has its name");
      const [check] = await rowsOf<{ integrity_check: string }>(store, "pragma integrity_check");
      assert.equal(check?.integrity_check, "ok");
      await auditEngine(store);
      await store.close();
      await scratch.remove().catch(() => undefined);
    }
    assert.ok(refusals > 0, "the disk really refused");
    t.diagnostic(`${POINTS} sizes, ${refusals} refusals, 0 lost, 0 torn`);
  });
});

/** The signal for a file grown too large is ignored, so that the write itself fails, as on a full disk. */
async function runLimited(
  orders: WorkerOrders,
  told: Told,
  kilobytes: number,
): Promise<number | string> {
  // The shell counts in blocks of 512 bytes.
  const worker = startWorker(orders, told, `trap '' XFSZ; ulimit -f ${kilobytes * 2}`);
  const giveUp = setTimeout(() => worker.child.kill("SIGKILL"), 4000);
  const ending = await worker.over;
  clearTimeout(giveUp);
  return ending;
}
