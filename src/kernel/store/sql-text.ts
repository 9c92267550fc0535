/**
 * SQL written once for both databases, for the hot paths where building a query each time would cost.
 *
 * `?` is a parameter. `{rows}` stands for a set of rows given as one JSON parameter, aliased `x`, so one
 * statement inserts or updates any number of rows: on PostgreSQL that is one round trip instead of many.
 */

import type { SqlText } from "./database-work.ts";

export type ColumnKind = "text" | "int" | "real";

export function sqlText(text: string): SqlText {
  let parameter = 0;
  return { sqlite: text, postgres: text.replaceAll("?", () => `$${++parameter}`) };
}

/** The first parameter is the JSON text of an array of objects with exactly these columns. */
export function sqlOverRows(columns: Readonly<Record<string, ColumnKind>>, text: string): SqlText {
  const names = Object.keys(columns);
  const sqliteRows = `(select ${names.map((name) => `value->>'$.${name}' as ${name}`).join(", ")} from json_each(?)) as x`;
  const postgresRows = `json_to_recordset(?::json) as x(${names.map((name) => `${name} ${POSTGRES_KIND[columns[name] ?? "text"]}`).join(", ")})`;
  return {
    sqlite: text.replace("{rows}", sqliteRows),
    postgres: sqlText(text.replace("{rows}", postgresRows)).postgres,
  };
}

/** `insert into table (columns) select columns from {rows}` with an optional tail such as `on conflict … returning …`. */
export function insertRows(
  table: string,
  columns: Readonly<Record<string, ColumnKind>>,
  tail = "",
): SqlText {
  const names = Object.keys(columns).join(", ");
  // `where true` keeps SQLite from reading `on conflict` as a join condition.
  return sqlOverRows(
    columns,
    `insert into ${table} (${names}) select ${names} from {rows} where true ${tail}`,
  );
}

const POSTGRES_KIND = { text: "text", int: "bigint", real: "double precision" } as const;
