import assert from "node:assert/strict";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, test } from "node:test";
import { scratchSqlite, scratchStore } from "../../../tests/scratch/scratch-store.ts";
import { systemClock } from "../base/clock.ts";
import { hashText } from "../base/hash.ts";
import { createIdSource } from "../base/ids.ts";
import { canonicalJson } from "../base/json.ts";
import { rowHash } from "./audited-rows.ts";
import { AUDITED_TABLES } from "./audited-tables.ts";
import { differingTables, digestContent } from "./content-digest.ts";
import { executeSql, queryFirst } from "./database-work.ts";
import { examineSqliteFile, examineStore } from "./doctor-store.ts";
import type { Finding } from "./finding.ts";
import { ALL_TABLES, furnish } from "./furnished-store.suite.ts";
import { db } from "./query-builder.ts";
import { rebuildDerived } from "./rebuild-derived.ts";
import { refreshSearch } from "./search-index.ts";
import { type Snapshot, withSqliteSnapshot } from "./snapshot.ts";
import { sqlText } from "./sql-text.ts";
import type { Store } from "./store.ts";
import { listTableShapes, walkTable } from "./table-shapes.ts";
import { TASKS } from "./tasks.ts";

const act = { actor: "test", now: 1000 };

async function furnished(dialect: "sqlite" | "postgres", size = 4) {
  const scratch = await scratchStore(dialect, ALL_TABLES);
  const ids = createIdSource({ now: () => 1_700_000_000_000 }, () => Buffer.alloc(8, 7));
  await scratch.store.write(() => furnish(ids, size, act));
  await refreshSearch(scratch.store, { clock: systemClock, budgetMs: 10_000 });
  return scratch;
}

async function examine(store: Store): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  await examineStore(store, {
    migrations: ALL_TABLES,
    report: (finding) => findings.push(finding),
  });
  return findings;
}

/** What somebody might do to the database behind the program's back, and what doctor must say. */
const MEDDLING: readonly { readonly sql: string; readonly codes: readonly string[] }[] = [
  { sql: "update task set title = 'other' where title = 'Parent 1'", codes: ["row_changed"] },
  { sql: `update "user" set role = 'admin' where role = 'viewer'`, codes: ["row_changed"] },
  { sql: "delete from team", codes: ["row_missing"] },
  {
    sql: "update event set data = '{}' where seq = 2 and stream <> 'workspace'",
    codes: ["event_data_changed"],
  },
  {
    sql: "update event set actor = 'nobody' where seq = 1 and stream = 'workspace'",
    codes: ["event_changed"],
  },
  {
    sql: "update event set previous_hash = hash where seq = 2 and stream = 'workspace'",
    codes: ["event_changed", "event_unlinked"],
  },
  { sql: "delete from event where seq = 3 and stream = 'workspace'", codes: ["event_gap"] },
  {
    sql: "delete from event where type = 'redaction.created' and stream in (select id from project) and seq = (select max(seq) from event e where e.stream = event.stream)",
    codes: ["row_untold"],
  },
  { sql: "update text set body = body || '.'", codes: ["exchange_changed", "text_changed"] },
  { sql: "delete from text", codes: ["exchange_changed"] },
  {
    sql: "update exchange set messages = replace(messages, 'number 2', 'number 3')",
    codes: ["exchange_changed"],
  },
  {
    sql: "update answer set reply = 'no' where reply like 'Reply number 2%'",
    codes: ["answer_changed"],
  },
  {
    sql: "update artifact set body = 'no' where identity = 'd2'",
    codes: ["artifact_changed"],
  },
  { sql: "update run set open_jobs = 1 where title = 'Run 1'", codes: ["run_counter_wrong"] },
  { sql: "update run set project_id = 'gone' where title = 'Run 1'", codes: ["orphan"] },
  {
    sql: "delete from message where position = 1 and content like 'It is 2%'",
    codes: ["message_count_wrong"],
  },
  {
    sql: "delete from project_thought where kind = 'highlight'",
    codes: ["project_thought_missing"],
  },
  {
    sql: "update project_thought set thought_id = thought_id || 'x' where kind = 'decision'",
    codes: ["project_thought_extra", "project_thought_missing"],
  },
  {
    sql: "update search_entry set item_id = item_id || 'x' where kind = 'task'",
    codes: ["search_entry_extra", "search_entry_missing"],
  },
];

for (const dialect of ["sqlite", "postgres"] as const) {
  describe(`doctor on ${dialect}`, () => {
    test("a healthy store has nothing wrong with it", async () => {
      const { store, remove } = await furnished(dialect);

      assert.deepEqual(await examine(store), []);
      await remove();
    });

    test("every kind of meddling is found and named", async () => {
      const { store, remove } = await furnished(dialect);

      for (const { sql, codes } of MEDDLING) {
        const changed = await store.write(() => executeSql(sqlText(sql), []));
        assert.ok(changed > 0, sql);
        await refreshSearch(store, { clock: systemClock, budgetMs: 10_000 });
        const found = new Set((await examine(store)).map(({ code }) => code));
        for (const code of codes) assert.ok(found.has(code), `${sql}: ${[...found].join(", ")}`);
      }
      await remove();
    });

    test("a row whose hash was made to fit is still not the one the log tells of", async () => {
      const { store, remove } = await furnished(dialect);
      const row = await store.read(() => queryFirst(db.selectFrom("task").selectAll().limit(1)));
      const forged = { ...row!, title: "forged" };
      const hash = rowHash(TASKS, forged);
      await store.write(() =>
        executeSql(sqlText("update task set title = 'forged', row_hash = ? where id = ?"), [
          hash,
          forged.id,
        ]),
      );

      const findings = (await examine(store)).filter(({ severity }) => severity === "damage");

      assert.deepEqual(
        findings.map(({ code, place }) => [code, place]),
        [["row_untold", `task ${forged.id}`]],
      );
      await remove();
    });

    test("what is derived can be made again", async () => {
      const { store, remove } = await furnished(dialect);
      await store.write(() => executeSql(sqlText("delete from project_thought"), []));
      await store.write(() => executeSql(sqlText("delete from search_entry"), []));
      assert.ok((await examine(store)).length > 0);

      await store.write(rebuildDerived);
      await refreshSearch(store, { clock: systemClock, budgetMs: 10_000 });

      assert.deepEqual(await examine(store), []);
      await remove();
    });
  });
}

/** Everything a hash stands for: all of thinking and people, the log, texts, prompts, replies, artifacts. */
async function coveredContent(snapshot: Snapshot): Promise<string> {
  const columns = new Map<string, (name: string) => boolean>([
    ["event", (name) => name !== "id" && name !== "transaction_id"],
    ["text", () => true],
    ["exchange", (name) => name === "messages" || name === "prompt_hash"],
    ["answer", (name) => name === "reply" || name === "reply_hash"],
    ["artifact", (name) => name === "body" || name === "hash" || name === "bytes"],
    ...AUDITED_TABLES.map(
      ({ table, untold }) => [table, (name: string) => !untold.includes(name)] as const,
    ),
  ]);
  const rows: string[] = [];
  for (const shape of await listTableShapes(snapshot)) {
    const isCovered = columns.get(shape.name);
    if (isCovered === undefined) continue;
    for await (const row of walkTable(snapshot, shape)) {
      const kept = Object.entries(row).filter(([name]) => isCovered(name));
      rows.push(`${shape.name} ${canonicalJson(Object.fromEntries(kept))}`);
    }
  }
  return hashText(rows.toSorted().join("\n"));
}

test("every flipped byte in a database file is detected or has changed nothing that a hash covers", async (t) => {
  const { store, folder } = await scratchSqlite(ALL_TABLES);
  const ids = createIdSource({ now: () => 1_700_000_000_000 });
  await store.write(() => furnish(ids, 8, act));
  await refreshSearch(store, { clock: systemClock, budgetMs: 10_000 });
  await store.close();
  const file = path.join(folder, "workspace.db");
  const original = readFileSync(file);
  const content = await withSqliteSnapshot(file, coveredContent);
  const whole = await withSqliteSnapshot(file, digestContent);
  const random = seededRandom(42);
  const flips = Number(process.env["PROVE_FLIPS"] ?? 200);
  let detected = 0;
  let uncovered = 0;

  for (let i = 0; i < flips; i += 1) {
    const bytes = Buffer.from(original);
    const place = Math.floor(random() * bytes.length);
    const mask = 1 << Math.floor(random() * 8);
    bytes[place] = (bytes[place] ?? 0) ^ mask;
    const flipped = path.join(folder, "flipped.db");
    writeFileSync(flipped, bytes);

    const { damage, drift } = await examineSqliteFile(flipped, {
      migrations: ALL_TABLES,
      report: () => undefined,
    });

    if (damage + drift > 0) detected += 1;
    else {
      const now = await withSqliteSnapshot(flipped, coveredContent);
      assert.equal(now, content, `byte ${place} ^ ${mask} was not noticed`);
      const rest = await withSqliteSnapshot(flipped, digestContent);
      if (differingTables(whole, rest).length > 0) uncovered += 1;
    }
  }

  t.diagnostic(
    `${detected} of ${flips} flips detected, ${uncovered} changed what no hash covers, the rest fell on unused space`,
  );
  assert.ok(detected > flips / 5);
  rmSync(folder, { recursive: true, force: true });
});

function seededRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
