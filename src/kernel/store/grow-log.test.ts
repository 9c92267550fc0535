import assert from "node:assert/strict";
import { copyFileSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";
import { executeSql, runSql } from "./database-work.ts";
import { sqlText } from "./sql-text.ts";
import { openSqlite, type SqliteStore } from "./sqlite-store.ts";

const CREATE = sqlText("create table note (id integer primary key, body text not null)");
const INSERT = sqlText("insert into note (body) values (?)");
const COUNT = sqlText("select count(*) as notes from note");
const CHECK = sqlText("pragma integrity_check");

function addNotes(store: SqliteStore, count: number): void {
  for (let note = 0; note < count; note += 1)
    store.writeNow(() => executeSql(INSERT, ["n".repeat(500)]));
}

function whatIsIn(file: string): unknown {
  const store = openSqlite({ path: file });
  try {
    return store.readNow(function* () {
      return [...(yield* runSql(COUNT, [])), ...(yield* runSql(CHECK, []))].map((row) => ({
        ...(row as object),
      }));
    });
  } finally {
    void store.close();
  }
}

test("a log that was made longer is read like any other after the power went", () => {
  const directory = mkdtempSync(path.join(tmpdir(), "grow-log-"));
  const file = path.join(directory, "workspace.db");
  const store = openSqlite({ path: file });
  try {
    store.writeNow(() => executeSql(CREATE, []));
    addNotes(store, 20);
    store.prepareForManyWrites();
    addNotes(store, 20);

    assert.ok(statSync(`${file}-wal`).size > 32_000_000);
    // What a crash would leave behind: the files as they are, without an orderly end.
    const crashed = path.join(directory, "crashed.db");
    copyFileSync(file, crashed);
    copyFileSync(`${file}-wal`, `${crashed}-wal`);
    assert.deepEqual(whatIsIn(crashed), [{ notes: 40 }, { integrity_check: "ok" }]);
  } finally {
    void store.close();
    rmSync(directory, { recursive: true });
  }
});

test("a log that was made longer before anything was written to it is an empty one", async () => {
  const directory = mkdtempSync(path.join(tmpdir(), "grow-log-"));
  const file = path.join(directory, "workspace.db");
  const first = openSqlite({ path: file });
  first.writeNow(() => executeSql(CREATE, []));
  await first.close();
  const store = openSqlite({ path: file });
  try {
    store.prepareForManyWrites();
    store.prepareForManyWrites();

    assert.deepEqual(whatIsIn(file), [{ notes: 0 }, { integrity_check: "ok" }]);
    addNotes(store, 3);
    assert.deepEqual(whatIsIn(file), [{ notes: 3 }, { integrity_check: "ok" }]);
  } finally {
    void store.close();
    rmSync(directory, { recursive: true });
  }
});
