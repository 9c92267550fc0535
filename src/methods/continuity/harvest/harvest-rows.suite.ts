/** What the store holds, to be compared before and after: all that is said, without the bookkeeping of who wrote when. */

import { runSql } from "../../../kernel/store/database-work.ts";
import { sqlText } from "../../../kernel/store/sql-text.ts";
import type { Store } from "../../../kernel/store/store.ts";

type Row = Readonly<Record<string, unknown>>;

const TABLES = {
  task: "id",
  decision: "id",
  highlight: "id",
  project_thought: "project_id, kind, thought_id",
  packet: "id",
};

const BOOKKEEPING = ["version", "updated_at", "row_hash"];

export async function dumpThinking(
  store: Store,
): Promise<Readonly<Record<string, readonly Row[]>>> {
  const dump: Record<string, readonly Row[]> = {};
  for (const [table, order] of Object.entries(TABLES)) {
    const rows = await store.read(() =>
      runSql<Row>(sqlText(`select * from ${table} order by ${order}`), []),
    );
    dump[table] = rows.map((row) =>
      Object.fromEntries(Object.entries(row).filter(([column]) => !BOOKKEEPING.includes(column))),
    );
  }
  return dump;
}

/** Every row of every table of thinking and of harvests, to the last cell. */
export async function dumpAll(store: Store): Promise<string> {
  const tables = [...Object.keys(TABLES), "harvest", "harvest_candidate", "event"];
  const dump: string[] = [];
  for (const table of tables) {
    const rows = await store.read(() => runSql<Row>(sqlText(`select * from ${table}`), []));
    dump.push(
      table,
      ...rows
        .map((row) => JSON.stringify(Object.entries(row).toSorted(([a], [b]) => (a < b ? -1 : 1))))
        .toSorted(),
    );
  }
  return dump.join("\n");
}
