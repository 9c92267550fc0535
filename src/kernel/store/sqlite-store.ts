/**
 * The embedded store: one SQLite file, opened twice, once to write and once to read.
 *
 * Durability is the point: WAL with synchronous=FULL, every write transaction IMMEDIATE (a deferred
 * one that turns into a writer fails with a busy error no timeout cures). Work runs synchronously,
 * so a transaction is never left open across an await.
 */

import {
  DatabaseSync,
  type SQLInputValue,
  type SQLOutputValue,
  type StatementSync,
} from "node:sqlite";
import { createQueryId, type RootOperationNode, SqliteQueryCompiler } from "kysely";
import { type Clock, systemClock } from "../base/clock.ts";
import { ProductError } from "../base/errors.ts";
import {
  type DatabaseWork,
  executeSql,
  type RowsStatement,
  type Statement,
  type StatementResult,
} from "./database-work.ts";
import { writeAppended } from "./events.ts";
import { checkInPlace } from "./file-in-place.ts";
import { growLog } from "./grow-log.ts";
import { sqlText } from "./sql-text.ts";
import type { Store } from "./store.ts";
import { isBusy, toStoreError } from "./store-errors.ts";

export interface SqliteOptions {
  readonly path: string;
  readonly clock?: Clock;
  /** How long a write keeps trying while another process holds the write lock. */
  readonly busyMs?: number;
}

export interface SqliteStore extends Store {
  readonly dialect: "sqlite";
  /** Runs work in one transaction right now. Throws a busy error after a short wait. */
  writeNow<Result>(work: () => DatabaseWork<Result>): Result;
  readNow<Result>(work: () => DatabaseWork<Result>): Result;
  /** For processes that write all day: takes some milliseconds and 37 megabytes, and makes commits faster. */
  prepareForManyWrites(): void;
}

export function openSqlite({
  path,
  clock = systemClock,
  busyMs = 10_000,
}: SqliteOptions): SqliteStore {
  const writer = guarded(path, () => openConnection(path, "write"));
  const reader = guarded(path, () => openConnection(path, "read"));
  const assertInPlace = checkInPlace(path);

  const writeNow = <Result>(work: () => DatabaseWork<Result>): Result => {
    // A file that was removed or replaced goes on taking writes that nobody will ever read again.
    assertInPlace();
    return guarded(path, () => transact(writer, "begin immediate", work));
  };
  const readNow = <Result>(work: () => DatabaseWork<Result>): Result =>
    guarded(path, () => transact(reader, "begin", work));

  const waiting: Unit[] = [];
  let isArmed = false;
  const arm = (schedule: (flush: () => void) => void) => {
    if (isArmed) return;
    isArmed = true;
    schedule(() => {
      isArmed = false;
      flush();
    });
  };
  /** Everything asked for since the last commit shares the next one. */
  const flush = (): void => {
    const units = waiting.splice(0, UNITS_AT_ONCE);
    try {
      writeNow(() => runUnits(units));
    } catch (error) {
      const isLocked = error instanceof ProductError && error.code === "store_busy";
      const patient = isLocked ? units.filter(({ deadline }) => clock.elapsed() < deadline) : [];
      for (const unit of units) {
        if (patient.includes(unit)) unit.outcome = undefined;
        else unit.outcome = { error };
      }
      waiting.unshift(...patient);
      if (patient.length > 0) arm((go) => void clock.sleep(BUSY_WAIT_MS).then(go));
    }
    for (const unit of units) unit.settle();
    if (waiting.length > 0) arm(setImmediate);
  };
  const write = <Result>(work: () => DatabaseWork<Result>): Promise<Result> =>
    new Promise((resolve, reject) => {
      const unit: Unit = {
        work,
        deadline: clock.elapsed() + busyMs,
        outcome: undefined,
        settle: () => {
          if (!unit.outcome) return;
          if ("error" in unit.outcome) reject(unit.outcome.error);
          else resolve(unit.outcome.value as Result);
        },
      };
      waiting.push(unit);
      arm(setImmediate);
    });

  return {
    dialect: "sqlite",
    location: path,
    writeNow,
    readNow,
    write,
    read: async (work) => readNow(work),
    prepareForManyWrites: () =>
      guarded(path, () => {
        writer.database.exec("begin immediate");
        try {
          growLog(path, LOG_BYTES);
        } finally {
          writer.database.exec("rollback");
        }
      }),
    close: async () => {
      reader.database.close();
      writer.database.close();
    },
  };
}

/** One caller's work in a shared transaction. */
interface Unit {
  readonly work: () => DatabaseWork<unknown>;
  readonly deadline: number;
  outcome: { readonly value: unknown } | { readonly error: unknown } | undefined;
  /** Tells the caller, unless the work is to be tried again. Only after the commit. */
  settle(): void;
}

const UNITS_AT_ONCE = 200;
const BUSY_WAIT_MS = 20;

/** A unit that fails is undone by itself; the others stay. */
function* runUnits(units: readonly Unit[]): DatabaseWork<void> {
  const isShared = units.length > 1;
  for (const unit of units) {
    if (isShared) yield* executeSql(SAVEPOINT, []);
    try {
      unit.outcome = { value: yield* unit.work() };
      if (isShared) yield* executeSql(RELEASE, []);
    } catch (error) {
      if (!isShared) throw error;
      unit.outcome = { error };
      yield* executeSql(UNDO, []);
      yield* executeSql(RELEASE, []);
    }
  }
}

interface Connection {
  readonly database: DatabaseSync;
  readonly statements: Map<string, Prepared>;
  readonly compiler: SqliteQueryCompiler;
}

interface Prepared {
  readonly statement: StatementSync;
  /** Asked once: every asking costs as much as a small statement. None where it gives no rows. */
  readonly columns: readonly string[];
  /** A row without values, to be copied and filled in. */
  readonly blank: Row;
}

type Row = Record<string, SQLOutputValue>;

/** Blocks the thread at most this long for the write lock; longer waits happen without blocking. */
const BLOCKING_BUSY_MS = 100;
const STATEMENT_CACHE = 500;
/** The log is copied into the file when it has this many pages, and then begins anew: every page once, however often it changed. */
const LOG_PAGES = 8000;
/** Some more than that: the commit that passes the mark may be a large one. */
const LOG_BYTES = (LOG_PAGES + 1000) * 4120;
const SAVEPOINT = sqlText("savepoint unit");
const UNDO = sqlText("rollback to unit");
const RELEASE = sqlText("release unit");

function openConnection(path: string, mode: "read" | "write"): Connection {
  const database = new DatabaseSync(path, {
    timeout: BLOCKING_BUSY_MS,
    readOnly: mode === "read",
    enableForeignKeyConstraints: true,
    enableDoubleQuotedStringLiterals: false,
  });
  if (mode === "write") {
    keepTrying(() => database.exec("pragma journal_mode = wal"));
    database.exec(`pragma wal_autocheckpoint = ${LOG_PAGES}`);
  }
  database.exec(
    "pragma synchronous = full; pragma fullfsync = on; pragma checkpoint_fullfsync = on; pragma trusted_schema = off; pragma cell_size_check = on; pragma cache_size = -16000; pragma temp_store = memory",
  );
  assertDurable(database, path, mode);
  return { database, statements: new Map(), compiler: new SqliteQueryCompiler() };
}

/** Switching a new file to WAL takes the exclusive lock and ignores the busy timeout. */
function keepTrying(action: () => void): void {
  for (let tries = 0; ; tries += 1) {
    try {
      return action();
    } catch (error) {
      if (!isBusy(error) || tries > 50) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);
    }
  }
}

function assertDurable(database: DatabaseSync, path: string, mode: "read" | "write"): void {
  const { synchronous } = database.prepare("pragma synchronous").get() as { synchronous: number };
  const { journal_mode: journal } = database.prepare("pragma journal_mode").get() as {
    journal_mode: string;
  };
  if (synchronous !== 2 || (mode === "write" && journal !== "wal")) {
    throw new ProductError(
      "store_not_durable",
      `The file ${path} cannot be opened for durable writing (journal ${journal}, synchronous ${synchronous}).`,
      { kind: "unavailable", hint: "Keep the workspace on a local disk, not on a network share." },
    );
  }
}

function transact<Result>(
  connection: Connection,
  begin: string,
  work: () => DatabaseWork<Result>,
): Result {
  prepared(connection, begin).statement.run();
  try {
    const result = runWork(connection, work());
    prepared(connection, "commit").statement.run();
    return result;
  } catch (error) {
    // A full disk or an I/O error may have rolled back already.
    if (connection.database.isTransaction) connection.database.exec("rollback");
    throw error;
  }
}

function runWork<Result>(connection: Connection, work: DatabaseWork<Result>): Result {
  let step = work.next();
  while (!step.done) {
    let result: StatementResult;
    try {
      result = perform(connection, step.value);
    } catch (error) {
      // A full disk ends the transaction itself: whatever ran on would be written outside of any.
      if (!connection.database.isTransaction) throw error;
      // Otherwise one caller's work may fail inside a transaction that others share.
      step = work.throw(error);
      continue;
    }
    step = work.next(result);
  }
  return step.value;
}

function perform(connection: Connection, statement: Statement): StatementResult {
  switch (statement.kind) {
    case "sql":
      return run(connection, statement.sql.sqlite, statement.parameters);
    case "rows":
      return runForEach(connection, statement);
    case "built": {
      const node = statement.query.toOperationNode() as RootOperationNode;
      const compiled = connection.compiler.compileQuery(node, createQueryId());
      return run(connection, compiled.sql, compiled.parameters);
    }
    case "together": {
      const rows = statement.statements.map((each) => perform(connection, each));
      return { rows, changes: 0 };
    }
    case "append":
      runWork(connection, writeAppended(statement.events));
      return { rows: NO_ROWS, changes: 0 };
    case "outside":
      throw new ProductError("store_outside_work", "This work needs PostgreSQL.", {
        kind: "internal",
      });
  }
}

function run(connection: Connection, sql: string, parameters: readonly unknown[]): StatementResult {
  const known = prepared(connection, sql);
  const { statement, columns } = known;
  if (columns.length > 0) {
    const rows = allRows(known, parameters as SQLInputValue[]);
    return { rows, changes: rows.length };
  }
  const { changes } = statement.run(...(parameters as SQLInputValue[]));
  return { rows: NO_ROWS, changes: Number(changes) };
}

const NO_ROWS: readonly unknown[] = [];

function runForEach(connection: Connection, { sql, rows }: RowsStatement): StatementResult {
  const known = prepared(connection, sql.sqlite);
  const { statement, columns } = known;
  const found: unknown[] = [];
  const values: SQLInputValue[] = [];
  for (const row of rows) {
    const cells = row as Readonly<Record<string, SQLInputValue>>;
    for (let place = 0; place < sql.columns.length; place += 1)
      values[place] = cells[sql.columns[place] ?? ""] ?? null;
    if (columns.length > 0) found.push(...allRows(known, values));
    else if (statement.run(...values).changes !== 0 && sql.givesOwnRows) found.push(row);
  }
  return { rows: found, changes: rows.length };
}

/**
 * Node makes of every row a dictionary that looks like no other, and whatever reads it is slow for that. Copies of one
 * blank row are all of one shape.
 */
function allRows(
  { statement, columns, blank }: Prepared,
  values: readonly SQLInputValue[],
): readonly Row[] {
  const rows = statement.all(...values) as unknown as readonly SQLOutputValue[][];
  return rows.map((cells) => {
    const row = { ...blank };
    for (let place = 0; place < columns.length; place += 1)
      row[columns[place] ?? ""] = cells[place] ?? null;
    return row;
  });
}

/** What is parsed has a shape from the start; keys that are added one by one end in a dictionary, if they are many. */
function blankRow(columns: readonly string[]): Row {
  return JSON.parse(`{${columns.map((name) => `${JSON.stringify(name)}:null`).join()}}`) as Row;
}

function prepared({ database, statements }: Connection, sql: string): Prepared {
  const known = statements.get(sql);
  if (known) return known;
  if (statements.size >= STATEMENT_CACHE) statements.clear();
  const statement = database.prepare(sql);
  const columns = statement.columns().map(({ name }) => name);
  if (columns.length > 0) statement.setReturnArrays(true);
  const fresh = { statement, columns, blank: blankRow(columns) };
  statements.set(sql, fresh);
  return fresh;
}

function guarded<Result>(path: string, action: () => Result): Result {
  try {
    return action();
  } catch (error) {
    throw toStoreError(error, path);
  }
}
