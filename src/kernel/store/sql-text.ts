/**
 * SQL written once for both databases, for the hot paths where building a query each time would cost.
 *
 * `?` is a parameter. `{rows}` stands for a set of rows given as one JSON parameter, aliased `x`, so one
 * statement inserts or updates any number of rows: on PostgreSQL that is one round trip instead of many.
 */

import type { InsertText, SqlText } from "./database-work.ts";

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

/** An insert of any number of rows, with an optional tail such as `on conflict … returning …`. */
export function insertText(
  table: string,
  columns: Readonly<Record<string, ColumnKind>>,
  tail = "",
): InsertText {
  const names = Object.keys(columns);
  const list = names.join(", ");
  const set = sqlOverRows(
    columns,
    `insert into ${table} (${list}) select ${list} from {rows} ${tail}`,
  );
  const places = names.map(() => "?").join(", ");
  return {
    columns: names,
    sqlite: `insert into ${table} (${list}) values (${places}) ${tail}`,
    postgres: set.postgres,
  };
}

const POSTGRES_KIND = { text: "text", int: "bigint", real: "double precision" } as const;
