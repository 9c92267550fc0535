import assert from "node:assert/strict";
import { describe, test } from "node:test";
import * as fc from "fast-check";
import { scratchSqlite } from "../../../tests/scratch/scratch-store.ts";
import { engineTables } from "./engine-migration.ts";
import { nounTables } from "./noun-migration.ts";
import { TASK_STATUSES, type TaskStatus } from "./noun-tables.ts";
import { getTask } from "./task-lists.ts";
import { allowedTransitions, checkTransition } from "./task-transitions.ts";
import { insertTask, updateTask } from "./tasks.ts";

const status = fc.constantFrom(...TASK_STATUSES);

/** The specification's own words, arrow by arrow. */
const ARROWS = new Set(
  [
    "pending→in_progress pending→on_hold pending→cancelled",
    "in_progress→waiting in_progress→on_hold in_progress→completed in_progress→failed in_progress→pending in_progress→cancelled",
    "waiting→completed waiting→failed waiting→on_hold waiting→cancelled",
    "on_hold→pending on_hold→completed on_hold→failed on_hold→cancelled",
    "failed→pending",
  ].flatMap((line) => line.split(" ")),
);

describe("task transitions", () => {
  test("exactly the specified arrows are allowed, and one more by a rerun", () => {
    for (const from of TASK_STATUSES) {
      for (const to of TASK_STATUSES) {
        const plain = ARROWS.has(`${from}→${to}`);
        const byRerun = plain || (from === "completed" && to === "pending");

        assert.equal(isAllowed(from, to), plain, `${from}→${to}`);
        assert.equal(isAllowed(from, to, true), byRerun, `${from}→${to} by rerun`);
        assert.equal(allowedTransitions(from).includes(to), plain);
      }
    }
  });

  test("a refusal names both statuses and what is allowed", () => {
    assert.throws(() => checkTransition("waiting", "pending"), {
      code: "task_transition",
      kind: "conflict",
      message:
        "A task that is waiting cannot become pending; it may become completed, failed, on_hold, cancelled.",
      details: {
        from: "waiting",
        to: "pending",
        allowed: ["completed", "failed", "on_hold", "cancelled"],
      },
    });
    assert.throws(() => checkTransition("completed", "pending"), /only by a rerun/);
    assert.throws(() => checkTransition("cancelled", "pending"), /final/);
  });

  test("for any sequence of wishes, the stored task follows the table and nothing else", async () => {
    const { store, remove } = await scratchSqlite([engineTables, nounTables]);
    let made = 0;

    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(status, fc.boolean()), { maxLength: 15 }),
        async (wishes) => {
          const id = `t${(made += 1)}`;
          const act = { actor: "test", now: made };
          store.writeNow(() => insertTask({ id, title: "t" }, act));
          let current: TaskStatus = "pending";
          for (const [to, rerun] of wishes) {
            const allowed = to === current || isAllowed(current, to, rerun);
            const patch = { status: to, ...(to === "on_hold" ? { holdReason: "because" } : {}) };
            const move = () => store.writeNow(() => updateTask(id, patch, act, { rerun }));
            if (allowed) move();
            else assert.throws(move, { code: "task_transition" });
            if (allowed) current = to;
            const stored = store.readNow(() => getTask(id, "everything"));
            assert.equal(stored.status, current);
            assert.equal(stored.holdReason, current === "on_hold" ? "because" : undefined);
            const isFinished = ["completed", "failed", "cancelled"].includes(current);
            assert.equal(stored.finishedAt !== undefined, isFinished);
          }
        },
      ),
      { numRuns: 60 },
    );
    await remove();
  });
});

function isAllowed(from: TaskStatus, to: TaskStatus, rerun = false): boolean {
  try {
    checkTransition(from, to, { rerun });
    return true;
  } catch {
    return false;
  }
}
