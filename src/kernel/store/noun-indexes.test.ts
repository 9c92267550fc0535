import assert from "node:assert/strict";
import { test } from "node:test";
import { scratchSqlite } from "../../../tests/scratch/scratch-store.ts";
import { runSql } from "./database-work.ts";
import { engineTables } from "./engine-migration.ts";
import { nounTables } from "./noun-migration.ts";
import { sqlText } from "./sql-text.ts";

const READS = [
  {
    what: "the newest tasks of a class",
    index: "task_newest_of_class",
    sql: "select * from task where project_id = ? and is_inactive = 0 and status = 'pending' and has_blocker = 1 and has_open_loop = 0 and is_pressing = 0 order by created_at desc, id desc limit 5",
  },
  {
    what: "the task that was completed last",
    index: "task_last_completed",
    sql: "select * from task where project_id = ? and is_inactive = 0 and status = 'completed' order by finished_at desc, id desc limit 1",
  },
  {
    what: "the open tasks of an assignee",
    index: "task_by_assignee",
    sql: "select * from task where assignee_id = ? and status = 'pending' order by created_at desc, id desc limit 5",
  },
  {
    what: "the tasks of a run",
    index: "task_by_run",
    sql: "select * from task where run_id = ? order by created_at desc, id desc limit 5",
  },
  {
    what: "the newest conversations of a project",
    index: "conversation_newest_of_project",
    sql: "select c.* from conversation_project l join conversation c on c.id = l.conversation_id where l.project_id = ? order by l.started_at desc, l.conversation_id desc limit 5",
  },
  {
    what: "the newest labelled highlights of a project",
    index: "project_thought_newest",
    sql: "select h.* from project_thought t join highlight h on h.id = t.thought_id where t.project_id = ? and t.kind = 'highlight' and t.is_labelled = 1 order by t.created_at desc, t.thought_id desc limit 5",
  },
];

test("the hot reads of packets walk an index and sort nothing", async () => {
  const { store, remove } = await scratchSqlite([engineTables, nounTables]);

  for (const { what, index, sql } of READS) {
    const plan = await store.read(() =>
      runSql<{ detail: string }>(sqlText(`explain query plan ${sql}`), ["p"]),
    );
    const steps = plan.map(({ detail }) => detail).join("; ");
    assert.match(steps, new RegExp(`INDEX ${index}\\b`), what);
    assert.doesNotMatch(steps, /TEMP B-TREE|SCAN/, what);
  }
  await remove();
});
