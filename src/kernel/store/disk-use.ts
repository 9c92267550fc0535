/** How much room each table takes, its indexes included. */

import type { Snapshot } from "./snapshot.ts";
import { withSnapshot } from "./snapshot.ts";
import type { Store } from "./store.ts";

export interface TableUse {
  readonly table: string;
  readonly bytes: number;
}

export interface DiskUse {
  /** Largest first. */
  readonly tables: readonly TableUse[];
  readonly bytes: number;
  /** Inside the file but unused; SQLite fills it before it grows. */
  readonly freeBytes: number;
}

export function diskUse(store: Store): Promise<DiskUse> {
  return withSnapshot(store, measure);
}

async function measure(snapshot: Snapshot): Promise<DiskUse> {
  const rows = await snapshot.rows<TableUse>(LIST_USE);
  const [free] = await snapshot.rows<{ bytes: number }>(FREE);
  const sums = new Map<string, number>();
  for (const { table, bytes } of rows) {
    const name = table.startsWith("search_document") ? "search_document" : table;
    sums.set(name, (sums.get(name) ?? 0) + bytes);
  }
  const tables = [...sums]
    .map(([table, bytes]) => ({ table, bytes }))
    .toSorted((a, b) => b.bytes - a.bytes || (a.table < b.table ? -1 : 1));
  const freeBytes = free?.bytes ?? 0;
  return { tables, bytes: tables.reduce((sum, { bytes }) => sum + bytes, freeBytes), freeBytes };
}

const LIST_USE = {
  sqlite: `select coalesce(s.tbl_name, d.name) as "table", sum(d.pgsize) as bytes
    from dbstat d left join sqlite_schema s on s.name = d.name
    where d.aggregate = true group by 1`,
  postgres: `select c.relname as "table", pg_total_relation_size(c.oid) as bytes from pg_class c
    where c.relnamespace = current_schema()::regnamespace and c.relkind = 'r'`,
};
const FREE = {
  sqlite:
    "select (select freelist_count from pragma_freelist_count) * (select page_size from pragma_page_size) as bytes",
  postgres: "select 0 as bytes",
};
