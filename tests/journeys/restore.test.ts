/** `restore` as people type it: refused where it must be, and killed at every step that changes something. */

import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { describe, type TestContext, test } from "node:test";
import { executeSql, query, runSql } from "../../src/kernel/store/database-work.ts";
import { openPostgres } from "../../src/kernel/store/postgres-store.ts";
import { db } from "../../src/kernel/store/query-builder.ts";
import { sqlText } from "../../src/kernel/store/sql-text.ts";
import { openSqlite } from "../../src/kernel/store/sqlite-store.ts";
import type { Store } from "../../src/kernel/store/store.ts";
import { insertTask } from "../../src/kernel/store/tasks.ts";
import { findPostgres } from "../scratch/postgres-server.ts";
import { type ScratchFolder, scratchFolder } from "../scratch/program.ts";

const KILL_AT_STEP = path.join(import.meta.dirname, "../scratch/kill-at-step.ts");
const KILLED = { NODE_OPTIONS: `--import=${KILL_AT_STEP}` };
const SINCE = "since the backup";
const act = { actor: "test", now: 1000 };

describe("restoring an embedded workspace", () => {
  test("goes back to the backup, keeps what was there aside, and says so in the log", async (t) => {
    const { home, file } = await withBackup(t);
    await home.run(["task", "add", SINCE]);

    const restored = await home.run(["restore", "one.db", "--yes", "--json"]);

    assert.equal(restored.code, 0, restored.stderr);
    const { data } = JSON.parse(restored.stdout) as { data: { keptAside: string; rows: number } };
    assert.match(data.keptAside, /workspace\.db\.before-restore-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d$/);
    assert.ok(data.rows > 0);
    assert.ok(!(await titles(file)).includes(SINCE));
    assert.ok((await titles(data.keptAside)).includes(SINCE));
    const log = await home.run(["event", "list", "--types", "backup.restored", "--json"]);
    assert.match(log.stdout, /"name":"one\.db"/);
    assert.equal((await home.run(["doctor", "--json"])).code, 0);
  });

  test("is refused without a yes, without such a backup, for a damaged one, and while it is served", async (t) => {
    const { home, file } = await withBackup(t);
    await home.run(["task", "add", SINCE]);
    const codeOf = async (args: readonly string[]) => {
      const { code, stderr } = await home.run(["restore", ...args, "--json"]);
      return [code, (JSON.parse(stderr) as { error: { code: string } }).error.code];
    };

    assert.deepEqual(await codeOf(["one.db"]), [2, "confirmation_required"]);
    assert.deepEqual(await codeOf(["two.db", "--yes"]), [3, "backup_not_found"]);
    const bad = path.join(home.folder, "bad.db");
    copyFileSync(backupOf(home, "one.db"), bad);
    assert.deepEqual(await codeOf(["bad.db", "--yes"]), [3, "backup_manifest_missing"]);
    copyFileSync(`${backupOf(home, "one.db")}.manifest.json`, `${bad}.manifest.json`);
    truncateSync(bad, 8192);
    assert.deepEqual(await codeOf(["bad.db", "--yes"]), [9, "backup_damaged"]);
    const server = await home.serve(["serve"]);
    assert.deepEqual(await codeOf(["one.db", "--yes"]), [4, "workspace_in_use"]);
    await server.stop();
    const reader = openSqlite({ path: file });
    assert.deepEqual(await codeOf(["one.db", "--yes"]), [4, "restore_in_use"]);
    await reader.close();

    assert.ok((await titles(file)).includes(SINCE));
    assert.deepEqual(asides(home), []);
  });

  test("a damaged workspace is set aside as it is, with its log", async (t) => {
    const { home, file } = await withBackup(t);
    writeFileSync(file, "this is no database any more".repeat(400));
    const read = await home.run(["task", "list"]);
    const which = await home.run(["restore"]);
    writeFileSync(`${file}-wal`, "nor is this its log");

    assert.equal(read.code, 1);
    assert.match(read.stderr, /\(store_damaged\)[^]*`restore` lists the backups/);
    assert.equal(which.code, 2);
    assert.match(which.stderr, /There are, newest first: one\.db\./);

    const restored = await home.run(["restore", "one.db", "--yes"]);

    assert.equal(restored.code, 0, restored.stderr);
    assert.equal((await home.run(["task", "list"])).code, 0);
    const [aside = "", ...beside] = asides(home);
    assert.ok(beside.includes(`${aside}-wal`));
  });

  test("killed before any step that changes a file, the workspace is the old or the restored one, whole", async (t) => {
    const { home, file } = await withBackup(t);
    // As a server that was killed leaves it: the newest change is only in the write-ahead log.
    const template = path.join(home.folder, "template");
    mkdirSync(template);
    const writing = openSqlite({ path: file });
    await writing.write(() => insertTask({ id: "since", title: SINCE }, act));
    for (const suffix of ["", "-wal"]) {
      copyFileSync(file + suffix, path.join(template, `workspace.db${suffix}`));
    }
    await writing.close();

    const found = { old: 0, restored: 0, aside: 0 };
    for (let step = 1; ; step += 1) {
      rmSync(file, { force: true });
      for (const aside of asides(home)) rmSync(path.join(home.folder, ".throughline", aside));
      cpSync(template, path.dirname(file), { recursive: true });
      const outcome = await home.run(["restore", "one.db", "--yes"], "", {
        ...KILLED,
        KILL_AT_FILE_STEP: String(step),
      });
      const isOld = (await titles(file)).includes(SINCE);
      found[isOld ? "old" : "restored"] += 1;
      if (!isOld) {
        const [aside = ""] = asides(home);
        assert.ok((await titles(path.join(path.dirname(file), aside))).includes(SINCE));
      } else if (asides(home).length > 0) {
        found.aside += 1;
        const again = await home.run(["restore", "one.db", "--yes"]);
        assert.equal(again.code, 0, again.stderr);
        assert.equal(asides(home).length, 1, "the name that the killed one left is gone");
        assert.ok(!(await titles(file)).includes(SINCE));
      }
      if (outcome.code === 0) break;
      assert.doesNotMatch(outcome.stderr, /error/, "killed, not refused");
    }

    t.diagnostic(
      `killed while restoring: ${found.old} times the old one stood, ${found.restored} times the restored one, ${found.aside} times the old one lay aside and the next try ended it`,
    );
    assert.ok(found.old >= 4 && found.restored >= 2 && found.aside >= 1, JSON.stringify(found));
  });
});

describe("restoring a PostgreSQL workspace", () => {
  test("fills an empty schema, replaces a filled one only when told, and survives kills at any point of the switch", async (t) => {
    const database = await findPostgres();
    const schema = `r_${randomBytes(6).toString("hex")}`;
    const home = scratchFolder({ THROUGHLINE_DATABASE_URL: database });
    const store = openPostgres({ connectionString: database, schema });
    t.after(async () => {
      await dropSchemas(store, schema);
      await store.close();
      await home.remove();
    });
    mkdirSync(path.join(home.folder, ".throughline"), { mode: 0o700 });
    writeFileSync(
      path.join(home.folder, ".throughline", "config.json"),
      JSON.stringify({ schema }),
    );
    await home.run(["init", "--sample"]);
    const made = await home.run(["backup", "--name", "one.jsonl"]);
    assert.equal(made.code, 0, made.stderr);
    await store.write(() => insertTask({ id: "since", title: SINCE }, act));
    const restore = (more: readonly string[] = [], environment = {}) =>
      home.run(["restore", "one.jsonl", "--yes", ...more, "--json"], "", environment);

    const refused = await restore();
    assert.deepEqual([refused.code, /restore_target_filled/.test(refused.stderr)], [4, true]);

    for (const sql of [
      "^insert into",
      `rename to ${schema}_before`,
      `rename to ${schema}$>^commit`,
    ]) {
      const killed = await restore(["--replace"], { ...KILLED, KILL_AT_SQL: sql });
      assert.notEqual(killed.code, 0, `${sql} was met`);
      assert.ok((await titlesIn(store)).includes(SINCE), `after a kill at ${sql}`);
    }

    await store.write(() => executeSql(sqlText(`create table ${schema}.foreign_one (id int)`), []));
    assert.match((await restore(["--replace"])).stderr, /restore_schema_shared/);
    await store.write(() => executeSql(sqlText(`drop table ${schema}.foreign_one`), []));

    const replaced = await restore(["--replace"]);
    assert.equal(replaced.code, 0, replaced.stderr);
    const { data } = JSON.parse(replaced.stdout) as { data: { keptAside: string } };
    assert.ok(!(await titlesIn(store)).includes(SINCE));
    const aside = openPostgres({ connectionString: database, schema: data.keptAside });
    assert.ok((await titlesIn(aside)).includes(SINCE));
    await aside.close();
    assert.equal((await home.run(["task", "list"])).code, 0);

    await store.write(() => executeSql(sqlText(`drop schema ${schema} cascade`), []));
    assert.equal((await restore()).code, 0);
    assert.ok((await titlesIn(store)).length > 0);
  });
});

async function withBackup(t: TestContext): Promise<{ home: ScratchFolder; file: string }> {
  const home = scratchFolder();
  t.after(() => home.remove());
  await home.run(["init", "--sample"]);
  const made = await home.run(["backup", "--name", "one.db"]);
  assert.equal(made.code, 0, made.stderr);
  return { home, file: path.join(home.folder, ".throughline", "workspace.db") };
}

function backupOf({ folder }: ScratchFolder, name: string): string {
  return path.join(folder, ".throughline", "backups", name);
}

function asides({ folder }: ScratchFolder): readonly string[] {
  return readdirSync(path.join(folder, ".throughline"))
    .filter((name) => name.includes("before-restore"))
    .toSorted();
}

async function titles(file: string): Promise<readonly string[]> {
  assert.ok(existsSync(file), file);
  const store = openSqlite({ path: file });
  try {
    const [{ integrity_check: integrity } = {}] = await store.read(() =>
      runSql<{ integrity_check: string }>(sqlText("pragma integrity_check"), []),
    );
    assert.equal(integrity, "ok");
    return await titlesIn(store);
  } finally {
    await store.close();
  }
}

async function titlesIn(store: Store): Promise<readonly string[]> {
  const rows = await store.read(() => query(db.selectFrom("task").select("title")));
  assert.ok(rows.length > 0, "the sample's tasks are there");
  return rows.map(({ title }) => title);
}

async function dropSchemas(store: Store, beginning: string): Promise<void> {
  const rows = await store.read(() =>
    runSql<{ name: string }>(
      sqlText("select nspname as name from pg_namespace where nspname like ?"),
      [`${beginning}%`],
    ),
  );
  for (const { name } of rows) {
    await store.write(() => executeSql(sqlText(`drop schema ${name} cascade`), []));
  }
}
