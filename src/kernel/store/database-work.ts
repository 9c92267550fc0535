/**
 * A piece of database work, written once for both databases.
 *
 * It is a generator that yields statements and is handed their rows. SQLite runs it synchronously
 * inside a transaction, so many pieces share one fsync; PostgreSQL awaits each statement.
 * Work may be run again after a conflict: it must touch nothing but the database and its own locals.
 */

import type { Compilable, OperationNodeSource } from "kysely";
import type { DatedEvent } from "./events.ts";

export type DatabaseWork<Result> = Generator<Statement, Result, StatementResult>;

export type Statement =
  | SqlStatement
  | RowsStatement
  | BuiltStatement
  | OutsideStatement
  | TogetherStatement
  | AppendStatement;

/** Statements of which none needs another's result: PostgreSQL gets them in one go. The rows are their results. */
export interface TogetherStatement {
  readonly kind: "together";
  readonly statements: readonly (SqlStatement | RowsStatement)[];
}

/**
 * Adds to the event log. PostgreSQL does so at the end of the transaction, whenever it was asked for: streams are shared
 * by all, and whoever locked one and then waited for anything else would wait in a circle. Nobody reads back what it adds.
 */
export interface AppendStatement {
  readonly kind: "append";
  readonly events: readonly DatedEvent[];
}

/** SQL text for each database with its parameters; built once, run often. */
export interface SqlStatement {
  readonly kind: "sql";
  readonly sql: SqlText;
  readonly parameters: readonly unknown[];
  /** The work does not look at the result, so PostgreSQL need not be waited for; a failure still undoes everything. */
  readonly isBlind?: boolean;
}

/** The same for many rows. SQLite runs a prepared statement for each; PostgreSQL takes them as one set. */
export interface RowsStatement {
  readonly kind: "rows";
  readonly sql: RowsText;
  readonly rows: readonly object[];
  readonly isBlind?: boolean;
}

export type ColumnKind = "text" | "int" | "real";

export interface RowsText {
  readonly columns: readonly string[];
  /** Of what kind each column is; left out where PostgreSQL takes all rows as one JSON parameter. */
  readonly kinds?: readonly ColumnKind[];
  /** One row, a parameter for each column. */
  readonly sqlite: string;
  /** All rows: an array for each column, or one JSON parameter. */
  readonly postgres: string;
  /** Gives back columns that are in the rows anyway: SQLite need only say which rows took effect. */
  readonly givesOwnRows: boolean;
}

/** A Kysely query, compiled for the database it meets. */
export interface BuiltStatement {
  readonly kind: "built";
  readonly query: OperationNodeSource;
}

type Built<Row> = Compilable<Row> & OperationNodeSource;

/** Something a library does inside our PostgreSQL transaction (pg-boss). SQLite refuses it. */
export interface OutsideStatement {
  readonly kind: "outside";
  readonly perform: (transaction: TransactionSql) => Promise<unknown>;
  /** Sends a single statement whose result nobody looks at: it is waited for at the commit. */
  readonly isBlind?: boolean;
}

export interface TransactionSql {
  executeSql(text: string, values?: unknown[]): Promise<{ rows: Record<string, unknown>[] }>;
}

export interface SqlText {
  readonly sqlite: string;
  readonly postgres: string;
}

export interface StatementResult {
  readonly rows: readonly unknown[];
  readonly changes: number;
}

/** Runs a Kysely query for its rows. */
export function* query<Row>(built: Built<Row>): DatabaseWork<readonly Row[]> {
  const { rows } = yield { kind: "built", query: built };
  return rows as readonly Row[];
}

/** Runs a Kysely query that gives one row or none. */
export function* queryFirst<Row>(built: Built<Row>): DatabaseWork<Row | undefined> {
  const rows = yield* query(built);
  return rows[0];
}

/** Runs a Kysely insert, update or delete; gives the number of rows it changed. */
export function* execute(built: OperationNodeSource): DatabaseWork<number> {
  const { changes } = yield { kind: "built", query: built };
  return changes;
}

export function* runSql<Row>(
  sql: SqlText,
  parameters: readonly unknown[],
): DatabaseWork<readonly Row[]> {
  const { rows } = yield { kind: "sql", sql, parameters };
  return rows as readonly Row[];
}

export function* executeSql(sql: SqlText, parameters: readonly unknown[]): DatabaseWork<number> {
  const { changes } = yield { kind: "sql", sql, parameters };
  return changes;
}

/** For writes whose effect nobody looks at before the commit: on PostgreSQL they share round trips. */
export function* writeSql(sql: SqlText, parameters: readonly unknown[]): DatabaseWork<void> {
  yield { kind: "sql", sql, parameters, isBlind: true };
}

export function* writeRows(sql: RowsText, rows: readonly object[]): DatabaseWork<void> {
  if (rows.length > 0) yield { kind: "rows", sql, rows, isBlind: true };
}

/** For statements that give rows back; in which order is not said. */
export function* runRows<Row>(
  sql: RowsText,
  rows: readonly object[],
): DatabaseWork<readonly Row[]> {
  if (rows.length === 0) return [];
  const { rows: returned } = yield { kind: "rows", sql, rows };
  return returned as readonly Row[];
}

/** The rows of one of the results of `together`, which come in the order of its statements. */
export function rowsOf<Row>(results: readonly StatementResult[], position: number): readonly Row[] {
  return (results[position]?.rows ?? []) as readonly Row[];
}

export function* together(
  statements: readonly (SqlStatement | RowsStatement)[],
): DatabaseWork<readonly StatementResult[]> {
  const { rows } = yield { kind: "together", statements };
  return rows as readonly StatementResult[];
}

/** For libraries that send exactly one statement here and whose answer nobody needs before the commit. */
export function* sendOutside(
  perform: (transaction: TransactionSql) => Promise<unknown>,
): DatabaseWork<void> {
  yield { kind: "outside", perform, isBlind: true };
}

export function* performOutside<Result>(
  perform: (transaction: TransactionSql) => Promise<Result>,
): DatabaseWork<Result> {
  const { rows } = yield { kind: "outside", perform };
  return rows[0] as Result;
}
