import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { rowsOf } from "../../../tests/scratch/engine-audit.ts";
import { scratchStore } from "../../../tests/scratch/scratch-store.ts";
import type { Act } from "./audited-rows.ts";
import { query } from "./database-work.ts";
import { examineStore } from "./doctor-store.ts";
import { ALL_TABLES } from "./furnished-store.suite.ts";
import type { TaskTable } from "./noun-tables.ts";
import { db } from "./query-builder.ts";
import { insertTasks, reviseTasks, type TaskRevision, updateTask } from "./tasks.ts";

const act: Act = { actor: "engine", now: 1000 };
const later: Act = { actor: "ann", now: 2000 };

for (const dialect of ["sqlite", "postgres"] as const) {
  describe(`many tasks changed at once, on ${dialect}`, async () => {
    const { store, reopen, remove } = await scratchStore(dialect, ALL_TABLES);
    const revise = (revisions: readonly TaskRevision[]) =>
      store.write(() => reviseTasks(revisions, later.now));
    const addTasks = (...ids: readonly string[]) =>
      store.write(() =>
        insertTasks(
          ids.map((id) => ({ id, title: id })),
          act,
        ),
      );
    const rowOf = async (id: string): Promise<TaskTable> => {
      const [row] = await store.read(() =>
        query(db.selectFrom("task").selectAll().where("id", "=", id)),
      );
      return row ?? assert.fail(`there is no task ${id}`);
    };
    const move = (id: string, ...patches: ReturnType<TaskRevision["steps"]>): TaskRevision => ({
      id,
      act: later,
      steps: () => patches,
    });

    test("end as if each had been changed by itself, cell by cell and event by event", async () => {
      const patches = [
        { status: "in_progress" },
        { status: "completed", output: { a: [1, "é"] }, confidence: 0.25, tags: ["x"] },
      ] as const;
      await addTasks("one", "many1", "many2");
      for (const patch of patches) await store.write(() => updateTask("one", patch, later));
      await revise([
        move("many1", ...patches),
        move("many2", patches[0]),
        move("many2", patches[1]),
      ]);

      const { id: _id, title: _title, row_hash: _hash, ...one } = await rowOf("one");
      for (const id of ["many1", "many2"]) {
        const { id: _own, title: _name, row_hash: _sum, ...row } = await rowOf(id);
        assert.deepEqual({ ...row }, { ...one });
      }
      const told = async (id: string) =>
        (
          await rowsOf<{ type: string; actor: string; data: string }>(
            store,
            "select type, actor, data from event where type like 'task.%' order by id",
          )
        )
          .map(({ type, actor, data }) => ({
            type,
            actor,
            ...(JSON.parse(data) as { id: string }),
          }))
          .filter((event) => event.id === id)
          .map(({ type, actor }) => `${type} by ${actor}`);
      assert.deepEqual(await told("many1"), await told("one"));
      assert.deepEqual(await told("many2"), await told("one"));
    });

    test("see what the revision before has made of the same task", async () => {
      await addTasks("twice");
      const seen: string[] = [];
      await revise([
        move("twice", { status: "in_progress" }),
        {
          id: "twice",
          act: later,
          steps: ({ status }) => {
            seen.push(status);
            return [{ summary: `was ${status}` }];
          },
        },
      ]);
      assert.deepEqual(seen, ["in_progress"]);
      assert.equal((await rowOf("twice")).summary, "was in_progress");
    });

    test("are refused altogether where one of them may not become what it should", async () => {
      await addTasks("fine", "wrong");
      await assert.rejects(
        revise([move("fine", { status: "in_progress" }), move("wrong", { status: "completed" })]),
        { code: "task_transition" },
      );
      assert.equal((await rowOf("fine")).status, "pending");
    });

    test("are written only where something changes, and one that is not there is left out", async () => {
      await addTasks("same");
      const before = await rowOf("same");
      await revise([move("same", { title: "same" }), move("nobody", { status: "in_progress" })]);
      assert.deepEqual(await rowOf("same"), before);
    });

    test("lose nothing when two change the same ones in different order", async () => {
      await addTasks("p", "q");
      const other = reopen();
      const note = (id: string, word: string): TaskRevision => ({
        id,
        act: later,
        steps: ({ description }) => [{ description: `${description ?? ""}${word}` }],
      });
      await Promise.all(
        Array.from({ length: 10 }, (_, index) => {
          const pair = [note("p", "."), note("q", ".")];
          const revisions = index % 2 === 0 ? pair : pair.toReversed();
          const one = index < 5 ? store : other;
          return one.write(() => reviseTasks(revisions, later.now));
        }),
      );
      await other.close();
      for (const id of ["p", "q"]) assert.equal((await rowOf(id)).description, "..........");
    });

    test("leave nothing that the doctor would find", async (t) => {
      t.after(remove);
      const findings: unknown[] = [];
      await examineStore(store, { report: (finding) => findings.push(finding) });
      assert.deepEqual(findings, []);
    });
  });
}
