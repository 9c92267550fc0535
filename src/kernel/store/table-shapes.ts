/** What tables there are, also those of methods this folder knows nothing of, and how to walk through them. */

import { type DatabaseWork, runSql } from "./database-work.ts";
import type { Snapshot } from "./snapshot.ts";
import { sqlText } from "./sql-text.ts";

export interface TableShape {
  readonly name: string;
  readonly columns: readonly string[];
  /** The primary key, in order. */
  readonly key: readonly string[];
}

export type Row = Readonly<Record<string, string | number | null>>;

/** By name; without the search index, which is made again from the rest. */
export async function listTableShapes(snapshot: Snapshot): Promise<readonly TableShape[]> {
  return shapesOf(await snapshot.rows<ColumnRow>(LIST_COLUMNS));
}

/** The same within a transaction. */
export function* readTableShapes(): DatabaseWork<readonly TableShape[]> {
  return shapesOf(yield* runSql<ColumnRow>(LIST_COLUMNS, []));
}

interface ColumnRow {
  readonly table_name: string;
  readonly column_name: string;
  readonly key_position: number;
}

function shapesOf(columns: readonly ColumnRow[]): readonly TableShape[] {
  const tables = Map.groupBy(columns, ({ table_name }) => table_name);
  return [...tables]
    .map(([name, found]) => ({
      name,
      columns: found.map(({ column_name }) => column_name).toSorted(),
      key: found
        .filter(({ key_position }) => key_position > 0)
        .toSorted((a, b) => a.key_position - b.key_position)
        .map(({ column_name }) => column_name),
    }))
    .filter(({ name }) => !name.startsWith("search_"))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

const PAGE = 200;

/** All rows in the order of their key, a page at a time. */
export async function* walkTable(
  snapshot: Snapshot,
  { name, columns, key }: TableShape,
): AsyncGenerator<Row> {
  const list = columns.map(quoted).join(", ");
  const order = key.map(quoted).join(", ");
  const marks = key.map(() => "?").join(", ");
  const from = `select ${list} from ${quoted(name)}`;
  const first = sqlText(`${from} order by ${order} limit ${PAGE}`);
  const next = sqlText(`${from} where (${order}) > (${marks}) order by ${order} limit ${PAGE}`);
  let last: Row | undefined;
  for (;;) {
    const page: readonly Row[] =
      last === undefined
        ? await snapshot.rows<Row>(first)
        : await snapshot.rows<Row>(next, keyCells(last, key));
    yield* page;
    last = page.at(-1);
    if (page.length < PAGE || last === undefined) return;
  }
}

export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

function keyCells(row: Row, key: readonly string[]): readonly unknown[] {
  return key.map((column) => row[column]);
}

const LIST_COLUMNS = {
  sqlite: `select t.name as table_name, c.name as column_name, c.pk as key_position
    from pragma_table_list t join pragma_table_xinfo(t.name) c
    where t.schema = 'main' and t.type = 'table' and t.name not like 'sqlite\\_%' escape '\\'`,
  postgres: `select c.table_name, c.column_name, coalesce(k.position, 0) as key_position
    from information_schema.columns c
    join information_schema.tables t on t.table_schema = c.table_schema and t.table_name = c.table_name
    left join (
      select r.relname as table_name, a.attname as column_name,
        array_position(i.indkey::int2[], a.attnum) + 1 as position
      from pg_index i
      join pg_class r on r.oid = i.indrelid and r.relnamespace = current_schema()::regnamespace
      join pg_attribute a on a.attrelid = r.oid and a.attnum = any (i.indkey)
      where i.indisprimary
    ) k on k.table_name = c.table_name and k.column_name = c.column_name
    where c.table_schema = current_schema() and t.table_type = 'BASE TABLE'`,
};
