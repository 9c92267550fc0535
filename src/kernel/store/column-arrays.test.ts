import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { type ScratchStore, scratchStore } from "../../../tests/scratch/scratch-store.ts";
import { runRows, runSql } from "./database-work.ts";
import type { Migration } from "./migrate.ts";
import { insertText, sqlForRows, sqlText } from "./sql-text.ts";

const COLUMNS = { id: "text", word: "text", whole: "int", share: "real" } as const;
const things: Migration = {
  name: "things",
  statements: ({ int, real, strict }) => [
    `create table thing (id text not null primary key, word text, whole ${int}, share ${real} ${strict}`,
  ],
};
const INSERT = insertText("thing", COLUMNS);
const FIND = sqlForRows(
  { id: "text" },
  "select t.* from thing t where t.id in (select id from {rows})",
  {
    sqlite: "select * from thing where id = x.id",
  },
);
const ALL = sqlText("select * from thing order by id");

const ODD = [
  { id: "a", word: "", whole: 0, share: 0 },
  { id: "b", word: null, whole: null, share: null },
  { id: "c", word: 'NULL {"x",\\} \u2028 naïve 東京 🜁', whole: -1, share: -0.1 },
  { id: "d", word: "NULL", whole: Number.MAX_SAFE_INTEGER, share: Number.MAX_VALUE },
  { id: "e", word: "{}", whole: Number.MIN_SAFE_INTEGER, share: Number.MIN_VALUE },
  { id: "f", word: "x".repeat(100_000), whole: 2 ** 32, share: 2 ** 53 },
  { id: "g", word: " ", whole: -(2 ** 32), share: 1e-300 },
  { id: "h", word: "é", whole: 2 ** 31, share: 1 / 3 },
];

for (const dialect of ["sqlite", "postgres"] as const)
  describe(`sets of rows on ${dialect}`, () => {
    let scratch: ScratchStore;
    before(async () => {
      scratch = await scratchStore(dialect, [things]);
      await scratch.store.write(() => runRows(INSERT, ODD));
    });
    after(() => scratch.remove());

    test("come back as they went in, whatever is in their cells", async () => {
      const rows = await scratch.store.read(() => runSql<object>(ALL, []));
      assert.deepEqual(
        rows.map((row) => ({ ...row })),
        ODD,
      );
    });

    test("are found by many keys, by one and by none", async () => {
      const found = async (ids: readonly string[]) => {
        const rows = ids.map((id) => ({ id }));
        const all = await scratch.store.read(() => runRows<{ id: string }>(FIND, rows));
        return all.map(({ id }) => id).toSorted();
      };
      assert.deepEqual(await found(["a", "c", "nowhere"]), ["a", "c"]);
      assert.deepEqual(await found(["h"]), ["h"]);
      assert.deepEqual(await found([]), []);
    });

    test("hold no broken number: nothing of them is written", async () => {
      const broken = [
        { id: "y", word: "y", whole: 1, share: 1 },
        { id: "z", word: "z", whole: 0.5, share: 1 },
      ];
      await assert.rejects(scratch.store.write(() => runRows(INSERT, broken)));
      const rows = await scratch.store.read(() => runSql<{ id: string }>(ALL, []));
      assert.ok(rows.every(({ id }) => id !== "y" && id !== "z"));
    });
  });
