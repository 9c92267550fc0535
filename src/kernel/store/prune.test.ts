import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { scratchStore } from "../../../tests/scratch/scratch-store.ts";
import { createIdSource } from "../base/ids.ts";
import { executeSql, query, runSql } from "./database-work.ts";
import { diskUse } from "./disk-use.ts";
import { examineStore } from "./doctor-store.ts";
import type { Finding } from "./finding.ts";
import { ALL_TABLES, furnish, listAllEvents } from "./furnished-store.suite.ts";
import { pruneOlderThan } from "./prune.ts";
import { db } from "./query-builder.ts";
import { sqlText } from "./sql-text.ts";
import type { Store } from "./store.ts";
import { insertTask } from "./tasks.ts";

const act = { actor: "test", now: 1000 };

async function damageIn(store: Store): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  await examineStore(store, {
    migrations: ALL_TABLES,
    report: (finding) => findings.push(finding),
  });
  return findings;
}

for (const dialect of ["sqlite", "postgres"] as const) {
  describe(`pruning on ${dialect}`, () => {
    test("old words become hashes, the newer stay, and every chain still verifies", async () => {
      const { store, remove } = await scratchStore(dialect, ALL_TABLES);
      const ids = createIdSource({ now: () => 1_700_000_000_000 });
      await store.write(() => furnish(ids, 3, act));
      const young = { actor: "test", now: 5000 };
      await store.write(() => insertTask({ id: ids.next(), title: "young" }, young));
      await store.write(() =>
        executeSql(sqlText("update run set finished_at = 6000 where title = 'Run 2'"), []),
      );
      await store.write(() =>
        executeSql(sqlText("update artifact set state = 'superseded' where identity = 'd1'"), []),
      );
      const before = await listAllEvents(store);

      const pruned = await pruneOlderThan(store, { before: 2000 }, { actor: "ann", now: 7000 });

      const oldEvents = before.filter(({ at }) => at < 2000).length;
      assert.partialDeepStrictEqual(pruned, {
        events: oldEvents,
        prompts: 2,
        replies: 2,
        jobs: 2,
        effects: 2,
        deltas: 2,
        artifacts: 1,
        sharedTexts: 0,
      });
      assert.ok(pruned.bytes > 1000);
      assert.deepEqual(await damageIn(store), []);
      const after = await listAllEvents(store);
      assert.deepEqual(
        after.slice(0, -1).map(({ hash }) => hash),
        before.map(({ hash }) => hash),
      );
      assert.deepEqual(
        after.filter(({ data }) => data !== undefined).map(({ type }) => type),
        ["task.created", "store.pruned"],
      );
      const answers = await store.read(() =>
        query(db.selectFrom("answer").select(["reply", "reply_hash"])),
      );
      assert.equal(answers.filter(({ reply }) => reply === null).length, 2);
      const effects = await store.read(() => query(db.selectFrom("effect").select("data")));
      assert.equal(effects.filter(({ data }) => data === "null").length, 2);
      assert.ok(answers.every(({ reply_hash }) => reply_hash.length === 64));
      const logins = await store.read(() => runSql(sqlText("select key from idempotency"), []));
      assert.equal(logins.length, 0);
      await remove();
    });

    test("a second pruning finds nothing left, and shared texts go with the last prompt that used them", async () => {
      const { store, remove } = await scratchStore(dialect, ALL_TABLES);
      await store.write(() => furnish(createIdSource({ now: () => 1_700_000_000_000 }), 2, act));

      const first = await pruneOlderThan(store, { before: 2000, artifacts: "all" }, act);
      const second = await pruneOlderThan(store, { before: 900, artifacts: "all" }, act);

      assert.equal(first.sharedTexts, 1);
      assert.equal(first.artifacts, 2);
      assert.deepEqual(second, {
        events: 0,
        prompts: 0,
        replies: 0,
        jobs: 0,
        effects: 0,
        deltas: 0,
        artifacts: 0,
        methodTexts: 0,
        sharedTexts: 0,
        bytes: 0,
      });
      assert.deepEqual(await damageIn(store), []);
      await remove();
    });

    test("disk use names every table and adds up", async () => {
      const { store, remove } = await scratchStore(dialect, ALL_TABLES);
      await store.write(() => furnish(createIdSource({ now: () => 1_700_000_000_000 }), 20, act));

      const use = await diskUse(store);

      const names = new Set(use.tables.map(({ table }) => table));
      for (const table of [
        "task",
        "message",
        "event",
        "exchange",
        "answer",
        "artifact",
        "search_document",
      ]) {
        assert.ok(names.has(table), table);
      }
      assert.equal(
        use.bytes,
        use.tables.reduce((sum, { bytes }) => sum + bytes, use.freeBytes),
      );
      assert.ok(use.tables[0]!.bytes >= use.tables[1]!.bytes);
      await remove();
    });
  });
}
