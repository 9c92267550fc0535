import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, test } from "node:test";
import { type Migration, migrate } from "./migrate.ts";
import { openSqlite } from "./sqlite-store.ts";

const folder = mkdtempSync(path.join(tmpdir(), "throughline-migrate-"));
after(() => rmSync(folder, { recursive: true, force: true }));

function tableOf(column: string): Migration {
  return { name: "001-notes", statements: () => [`create table note (${column} text)`] };
}

test("a workspace made by another state of the program is left alone, with the way to bring it over", async (t) => {
  const store = openSqlite({ path: path.join(folder, "notes.db") });
  t.after(() => store.close());
  await migrate(store, [tableOf("title")], 0);

  await assert.rejects(migrate(store, [tableOf("name")], 0), {
    code: "store_migration_changed",
    kind: "conflict",
    hint: /`export` it with that one, then `init --from`/,
  });
  await assert.rejects(migrate(store, [], 0), { code: "store_newer_than_program" });
  assert.deepEqual(await migrate(store, [tableOf("title")], 0), []);
});
