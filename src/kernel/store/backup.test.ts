import assert from "node:assert/strict";
import {
  copyFileSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, describe, test } from "node:test";
import {
  scratchPostgres,
  scratchSqlite,
  scratchStore,
} from "../../../tests/scratch/scratch-store.ts";
import { createIdSource } from "../base/ids.ts";
import { backupStore, verifyBackup } from "./backup.ts";
import { manifestPath } from "./backup-manifest.ts";
import { digestContent } from "./content-digest.ts";
import { query, runSql } from "./database-work.ts";
import { appendEvents, readEvents } from "./events.ts";
import { ALL_TABLES, furnish, listAllEvents } from "./furnished-store.suite.ts";
import { loadDump } from "./load-dump.ts";
import { db } from "./query-builder.ts";
import { restoreSqlite } from "./restore.ts";
import { restorePostgres } from "./restore-postgres.ts";
import { countPending } from "./search-index.ts";
import { withSnapshot } from "./snapshot.ts";
import { sqlText } from "./sql-text.ts";
import { openSqlite } from "./sqlite-store.ts";
import type { Store } from "./store.ts";
import { insertTask } from "./tasks.ts";

const act = { actor: "test", now: 1000 };
const folder = mkdtempSync(path.join(tmpdir(), "throughline-backup-"));
after(() => rmSync(folder, { recursive: true, force: true }));
const place = (name: string) => path.join(folder, name);
const contentOf = (store: Store) => withSnapshot(store, digestContent);
const restoring = (backup: string) => ({ backup, migrations: ALL_TABLES, now: 2000 });

async function furnished(dialect: "sqlite" | "postgres", size = 5) {
  const scratch = await scratchStore(dialect, ALL_TABLES);
  const ids = createIdSource({ now: () => 1_700_000_000_000 });
  await scratch.store.write(() => furnish(ids, size, act));
  return { ...scratch, ids };
}

describe("backup of a SQLite workspace", () => {
  test("a copy made while others write holds one moment, restores, and keeps the old file aside", async () => {
    const { store, remove, ids } = await furnished("sqlite", 20);
    const before = await contentOf(store);
    const writer = { isOn: true };
    const writing = (async () => {
      while (writer.isOn) {
        await store.write(() => insertTask({ id: ids.next(), title: "later" }, act));
        await new Promise((resolve) => setImmediate(resolve));
      }
    })();

    const backup = place("copy.db");
    const manifest = await backupStore(store, { path: backup, now: 1 });
    writer.isOn = false;
    await writing;

    assert.deepEqual(await verifyBackup(backup), manifest);
    assert.ok((manifest.content.tables["task"]?.rows ?? 0) >= (before.tables["task"]?.rows ?? 0));
    assert.equal(manifest.content.tables["message"]?.digest, before.tables["message"]?.digest);
    const target = place("restored.db");
    const inPlace = openSqlite({ path: target });
    await inPlace.write(() => runSql(sqlText("create table old (id integer)"), []));
    await assert.rejects(restoreSqlite(target, restoring(backup)), { code: "restore_in_use" });
    await inPlace.close();
    const { keptAside } = await restoreSqlite(target, restoring(backup));
    assert.ok(keptAside !== undefined && existsSync(keptAside));
    const restored = openSqlite({ path: target });
    assert.deepEqual(await contentOf(restored), manifest.content);
    await restored.write(() => insertTask({ id: ids.next(), title: "goes on" }, act));
    await restored.close();
    await remove();
  });

  test("a backup is refused when its manifest is missing, its bytes changed or it was cut off", async () => {
    const { store, remove } = await furnished("sqlite", 1);
    const backup = place("good.db");
    await backupStore(store, { path: backup, now: 1 });
    await assert.rejects(backupStore(store, { path: backup, now: 1 }), { code: "backup_exists" });

    const bad = place("bad.db");
    copyFileSync(backup, bad);
    await assert.rejects(restoreSqlite(place("x.db"), restoring(bad)), {
      code: "backup_manifest_missing",
    });
    copyFileSync(manifestPath(backup), manifestPath(bad));
    const bytes = readFileSync(bad);
    bytes[5000] = (bytes[5000] ?? 0) ^ 1;
    writeFileSync(bad, bytes);
    await assert.rejects(restoreSqlite(place("x.db"), restoring(bad)), { code: "backup_damaged" });
    copyFileSync(backup, bad);
    truncateSync(bad, 8192);
    await assert.rejects(restoreSqlite(place("x.db"), restoring(bad)), { code: "backup_damaged" });
    assert.ok(!existsSync(place("x.db")));
    await remove();
  });
});

describe("the portable form", () => {
  test("SQLite to PostgreSQL and back again: every row, id and hash is the same", async () => {
    const first = await furnished("sqlite");
    const second = await scratchPostgres([]);
    const content = await contentOf(first.store);

    await backupStore(first.store, { path: place("one.jsonl"), now: 1, form: "dump" });
    await restorePostgres(second.store, restoring(place("one.jsonl")));
    assert.deepEqual(await contentOf(second.store), content);
    await backupStore(second.store, { path: place("two.jsonl"), now: 1 });
    await verifyBackup(place("two.jsonl"));
    const target = place("back.db");
    await restoreSqlite(target, restoring(place("two.jsonl")));

    const back = openSqlite({ path: target });
    assert.deepEqual(await contentOf(back), content);
    const eventsOf = (store: Store) =>
      store.read(() =>
        query(db.selectFrom("event").select(["id", "stream", "seq", "hash"]).orderBy("id")),
      );
    const own = (rows: readonly object[]) => rows.map((row) => ({ ...row }));
    assert.deepEqual(own(await eventsOf(back)), own(await eventsOf(first.store)));
    await back.close();
    await first.remove();
    await second.remove();
  });

  test("a restored PostgreSQL goes on: new numbers, new events seen in order, references enforced", async () => {
    const first = await furnished("sqlite", 2);
    const second = await scratchPostgres([]);
    await backupStore(first.store, { path: place("on.jsonl"), now: 1, form: "dump" });
    await restorePostgres(second.store, restoring(place("on.jsonl")));
    const total = (await listAllEvents(first.store)).length;

    await second.store.write(() => insertTask({ id: "new", title: "new" }, act));
    await second.store.write(() =>
      appendEvents([{ stream: "s", type: "a.b", projectId: null, actor: "x", data: {} }], 5),
    );

    const events = await listAllEvents(second.store);
    assert.equal(events.length, total + 2);
    assert.deepEqual(
      events.slice(-2).map(({ type }) => type),
      ["task.created", "a.b"],
    );
    await assert.rejects(
      second.store.write(() =>
        runSql(sqlText("update task set project_id = 'nowhere' where id = 'new'"), []),
      ),
      /foreign key/,
    );
    assert.ok((await second.store.read(() => countPending())) > 0, "search is built again");
    await assert.rejects(restorePostgres(second.store, restoring(place("on.jsonl"))), {
      code: "restore_target_filled",
    });
    await first.remove();
    await second.remove();
  });

  test("events that PostgreSQL committed out of their numbers' order leave in commit order", async () => {
    const { store, reopen, remove } = await scratchPostgres(ALL_TABLES);
    const second = reopen();
    const event = (stream: string) => ({
      stream,
      type: "a.b",
      projectId: null,
      actor: "x",
      data: {},
    });
    await Promise.all(
      Array.from({ length: 60 }, (_, i) =>
        (i % 2 ? store : second).write(() =>
          appendEvents([event(`s${i % 9}`), event(`t${i % 5}`)], i),
        ),
      ),
    );
    const wanted = await listAllEvents(store);

    await backupStore(store, { path: place("order.jsonl"), now: 1 });
    const target = await scratchSqlite([]);
    await target.store.close();
    const file = path.join(target.folder, "restored.db");
    await restoreSqlite(file, restoring(place("order.jsonl")));

    const restored = openSqlite({ path: file });
    const found = await restored.read(() => readEvents("sqlite", { limit: 1000 }));
    assert.deepEqual(
      found.map(({ hash }) => hash),
      wanted.map(({ hash }) => hash),
    );
    await restored.close();
    await second.close();
    await remove();
  });

  test("a dump that was cut off or changed is refused, and leaves PostgreSQL empty", async () => {
    const first = await furnished("sqlite", 1);
    const second = await scratchPostgres([]);
    await backupStore(first.store, { path: place("cut.jsonl"), now: 1, form: "dump" });
    const lines = readFileSync(place("cut.jsonl"), "utf8").split("\n");
    const load = (some: readonly string[]) =>
      loadDump(
        second.store,
        (async function* () {
          yield* some;
        })(),
        { migrations: ALL_TABLES, now: 1 },
      );

    await assert.rejects(load(lines.slice(0, -2)), { code: "dump_damaged" });
    await assert.rejects(load([...lines.slice(0, 20), "{oops", ...lines.slice(20)]), {
      code: "dump_damaged",
    });
    await assert.rejects(load(["{}"]), { code: "dump_unknown" });
    await assert.rejects(load([lines[0]!.replace("002-nouns", "002-other")]), {
      code: "store_newer_than_program",
    });
    const changed = lines.map((line) => line.replace("Talk 0", "Talk 1"));
    await assert.rejects(load(changed), { code: "restore_differs" });
    const rows = await second.store.read(() => query(db.selectFrom("task").select("id")));
    assert.deepEqual(rows, []);
    await first.remove();
    await second.remove();
  });
});
