/**
 * What stands in a cell since redacted passages were taken out of it. The row keeps the hash of what it once said, so
 * `doctor` needs the hash of what is there now to tell a purged text from a damaged one.
 */

import { hashText } from "../base/hash.ts";
import { type DatabaseWork, executeSql } from "./database-work.ts";
import type { Migration } from "./migrate.ts";
import type { Snapshot } from "./snapshot.ts";
import { sqlText } from "./sql-text.ts";
import type { Row, TableShape } from "./table-shapes.ts";

export const MASKED_CELLS = "masked_cell";

export const maskedCells: Migration = {
  name: "004-masked-cells",
  statements: ({ clustered }) => [
    `create table ${MASKED_CELLS} (
      table_name text not null,
      row_key text not null,
      column_name text not null,
      hash text not null,
      primary key (table_name, row_key, column_name)
    ${clustered}`,
  ],
};

export function* noteMaskedCell(
  shape: TableShape,
  row: Row,
  column: string,
  masked: string,
): DatabaseWork<void> {
  yield* executeSql(NOTE, [shape.name, keyOf(shape, row), column, hashText(masked)]);
}

/** The hash of what the cell holds since it was masked last; nothing where it never was. */
export async function maskedHash(
  snapshot: Snapshot,
  shape: TableShape,
  row: Row,
  column: string,
): Promise<string | undefined> {
  const parameters = [shape.name, keyOf(shape, row), column];
  const [found] = await snapshot.rows<{ hash: string }>(FIND, parameters);
  return found?.hash;
}

function keyOf({ key }: TableShape, row: Row): string {
  return JSON.stringify(key.map((column) => row[column]));
}

const NOTE = sqlText(
  `insert into ${MASKED_CELLS} (table_name, row_key, column_name, hash) values (?, ?, ?, ?)
   on conflict (table_name, row_key, column_name) do update set hash = excluded.hash`,
);
const FIND = sqlText(
  `select hash from ${MASKED_CELLS} where table_name = ? and row_key = ? and column_name = ?`,
);
