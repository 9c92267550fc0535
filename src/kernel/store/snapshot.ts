/** Reading a whole store as it is at one moment, at the pace of whoever takes the rows. */

import { DatabaseSync, type SQLInputValue } from "node:sqlite";
import { performOutside, type SqlText, type TransactionSql } from "./database-work.ts";
import type { Dialect, Store } from "./store.ts";
import { toStoreError } from "./store-errors.ts";

export interface Snapshot {
  readonly dialect: Dialect;
  rows<Row>(sql: SqlText, parameters?: readonly unknown[]): Promise<readonly Row[]>;
}

/** Everything read inside belongs to the same moment. Writers go on meanwhile. */
export function withSnapshot<Result>(
  store: Store,
  read: (snapshot: Snapshot) => Promise<Result>,
): Promise<Result> {
  if (store.dialect === "sqlite") return withSqliteSnapshot(store.location, read);
  return store.read(() => performOutside((transaction) => read(snapshotIn(transaction))));
}

/** What a PostgreSQL transaction sees, its own changes included. */
export function snapshotIn(transaction: TransactionSql): Snapshot {
  return {
    dialect: "postgres",
    rows: async <Row>(sql: SqlText, parameters: readonly unknown[] = []) => {
      const { rows } = await transaction.executeSql(sql.postgres, [...parameters]);
      return rows as readonly Row[];
    },
  };
}

/** Also for files that no store has open, such as backups. */
export async function withSqliteSnapshot<Result>(
  path: string,
  read: (snapshot: Snapshot) => Promise<Result>,
): Promise<Result> {
  let database: DatabaseSync | undefined;
  try {
    const open = new DatabaseSync(path, { readOnly: true, timeout: 5000 });
    database = open;
    open.exec("pragma trusted_schema = off; pragma cell_size_check = on; begin");
    return await read({
      dialect: "sqlite",
      rows: async <Row>(sql: SqlText, parameters: readonly unknown[] = []) =>
        open.prepare(sql.sqlite).all(...(parameters as SQLInputValue[])) as Row[],
    });
  } catch (error) {
    throw toStoreError(error, path);
  } finally {
    database?.close();
  }
}
