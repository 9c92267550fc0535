/**
 * SQL written once for both databases, for the hot paths where building a query each time would cost.
 *
 * `?` is a parameter. `{rows}` stands for a set of rows, aliased `x`, so one statement reads, inserts or updates any
 * number of rows: on PostgreSQL that is one round trip instead of many. SQLite has no round trips, and taking a set
 * apart costs it more than the work itself: what is hot is written with `sqlForRows`, which it runs row by row and
 * PostgreSQL gets as an array for each column.
 */

import type { ColumnKind, RowsText, SqlText } from "./database-work.ts";

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

/**
 * One statement for many rows that finds each by `x.column`: `update t set a = x.a from {rows} where t.id = x.id`.
 * `own` names columns of the rows, to tell which of them took effect. Where SQLite has to be asked in other words for
 * one row, they are given too.
 */
export function sqlForRows(
  columns: Readonly<Record<string, ColumnKind>>,
  text: string,
  { own = "", sqlite = text.replace(/ from \{rows\}\s+where /, " where ") } = {},
): RowsText {
  const names = Object.keys(columns);
  return {
    columns: names,
    kinds: Object.values(columns),
    sqlite: sqlite.replaceAll(/\bx\.(\w+)/g, (_, name) => `?${names.indexOf(name) + 1}`),
    postgres: returning(text, own).replace("{rows}", columnArrays(columns)),
    givesOwnRows: own !== "",
  };
}

/** An insert of any number of rows, with an optional tail such as `on conflict …`; `own` as above. */
export function insertText(
  table: string,
  columns: Readonly<Record<string, ColumnKind>>,
  tail = "",
  own = "",
): RowsText {
  const names = Object.keys(columns);
  const list = names.join(", ");
  const places = names.map(() => "?").join(", ");
  return {
    columns: names,
    kinds: Object.values(columns),
    sqlite: `insert into ${table} (${list}) values (${places}) ${tail}`,
    postgres: returning(
      `insert into ${table} (${list}) select ${list} from ${columnArrays(columns)} ${tail}`,
      own,
    ),
    givesOwnRows: own !== "",
  };
}

/**
 * One array for each column; taking them apart costs PostgreSQL half of what JSON does. Statements that only look things
 * up keep how many they are to themselves: a plan for just so many seems cheaper each time, and is made anew each time.
 */
function columnArrays(columns: Readonly<Record<string, ColumnKind>>): string {
  const names = Object.keys(columns);
  const arrays = names.map((name, place) => {
    const array = `$${place + 1}::${POSTGRES_KIND[columns[name] ?? "text"]}[]`;
    return names.length === 1 ? `(select ${array})` : array;
  });
  return `unnest(${arrays.join(", ")}) as x(${names.join(", ")})`;
}

function returning(text: string, own: string): string {
  return own === "" ? text : `${text} returning ${own}`;
}

const POSTGRES_KIND = { text: "text", int: "bigint", real: "double precision" } as const;
