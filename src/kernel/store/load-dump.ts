/** Fills an empty store from the portable form, and checks that it then holds the same. */

import { DatabaseSync } from "node:sqlite";
import { ProductError } from "../base/errors.ts";
import { type ContentDigest, differingTables, digestContent } from "./content-digest.ts";
import { performOutside, runSql } from "./database-work.ts";
import {
  checkHeader,
  type DumpCell,
  type DumpEnd,
  type DumpHeader,
  type DumpLine,
  type DumpTable,
  readDumpLine,
} from "./dump-format.ts";
import { type Migration, migrate } from "./migrate.ts";
import { type Snapshot, snapshotIn, withSnapshot, withSqliteSnapshot } from "./snapshot.ts";
import { sqlText } from "./sql-text.ts";
import type { Store } from "./store.ts";
import { listTableShapes, quoted } from "./table-shapes.ts";

export interface LoadOptions {
  readonly migrations: readonly Migration[];
  readonly now: number;
}

export async function loadDump(
  store: Store,
  lines: AsyncIterable<string>,
  { migrations, now }: LoadOptions,
): Promise<ContentDigest> {
  const reader = readLines(lines);
  const header = checkHeader((await reader.next()).value);
  const known = migrationsOf(header, migrations);
  await migrate(store, known, now);
  await refuseFilled(store);
  const content =
    store.dialect === "sqlite"
      ? await fillSqlite(store.location, reader)
      : await fillPostgres(store, reader);
  await migrate(store, migrations, now);
  return content;
}

async function* readLines(lines: AsyncIterable<string>): AsyncGenerator<DumpLine, undefined> {
  let number = 0;
  for await (const line of lines) {
    number += 1;
    if (line !== "") yield readDumpLine(line, number);
  }
}

/** The target is brought to where the dump was made, filled, and only then brought up to date. */
function migrationsOf(header: DumpHeader, migrations: readonly Migration[]): readonly Migration[] {
  const isKnown = header.migrations.every((name, i) => migrations[i]?.name === name);
  if (isKnown) return migrations.slice(0, header.migrations.length);
  throw new ProductError(
    "store_newer_than_program",
    `This backup was made by another version of the program (its migrations are ${header.migrations.join(", ")}).`,
    { kind: "conflict", hint: "Restore it with the version that made it." },
  );
}

async function refuseFilled(store: Store): Promise<void> {
  const shapes = await withSnapshot(store, listTableShapes);
  for (const { name } of shapes) {
    if (name === "migration") continue;
    const rows = await store.read(() =>
      runSql(sqlText(`select 1 from ${quoted(name)} limit 1`), []),
    );
    if (rows.length === 0) continue;
    throw new ProductError("restore_target_filled", "There is already a workspace in this place.", {
      kind: "conflict",
      hint: "Restore into an empty file or schema.",
      details: { table: name },
    });
  }
}

interface Batch extends DumpTable {
  readonly rows: readonly (readonly DumpCell[])[];
}

const BATCH_ROWS = 500;
const BATCH_CELLS = 6000;

/** Rows of one table together, as many as one statement takes; the dump's last line at the end. */
async function* batches(reader: AsyncIterable<DumpLine>): AsyncGenerator<Batch, DumpEnd> {
  let table: DumpTable | undefined;
  let rows: (readonly DumpCell[])[] = [];
  let end: DumpEnd | undefined;
  for await (const line of reader) {
    if (isRow(line)) {
      rows.push(line);
      const isFull = rows.length >= BATCH_ROWS || rows.length * line.length >= BATCH_CELLS;
      if (!isFull || table === undefined) continue;
    }
    if (table !== undefined && rows.length > 0) yield { ...table, rows };
    rows = [];
    if (isRow(line)) continue;
    if ("table" in line) table = line;
    if ("end" in line) end = line;
  }
  if (end !== undefined) return end;
  throw new ProductError("dump_damaged", "The backup ends before its end.", {
    kind: "check_failed",
    hint: "Use another backup; this one was cut off.",
  });
}

function isRow(line: DumpLine): line is readonly DumpCell[] {
  return Array.isArray(line);
}

/** Rows come table by table, not in the order in which they refer to each other: references are checked at the end. */
async function fillSqlite(path: string, reader: AsyncIterable<DumpLine>): Promise<ContentDigest> {
  const end = await insertIntoSqlite(path, reader);
  return withSqliteSnapshot(path, (snapshot) => checkContent(snapshot, end));
}

async function insertIntoSqlite(path: string, reader: AsyncIterable<DumpLine>): Promise<DumpEnd> {
  const database = new DatabaseSync(path, { enableForeignKeyConstraints: false, timeout: 5000 });
  try {
    const source = batches(reader);
    for (;;) {
      const { value, done } = await source.next();
      if (done) {
        refuseBrokenReferences(database);
        return value;
      }
      const statement = database.prepare(insertOf(value, 1, "sqlite"));
      database.exec("begin immediate");
      for (const row of value.rows) statement.run(...row);
      database.exec("commit");
    }
  } finally {
    database.close();
  }
}

function refuseBrokenReferences(database: DatabaseSync): void {
  const broken = database.prepare("pragma foreign_key_check").all() as { table: string }[];
  if (broken.length === 0) return;
  throw new ProductError(
    "dump_damaged",
    `${broken.length} rows of the backup refer to rows that are not in it (in ${broken[0]?.table}).`,
    { kind: "check_failed", hint: "Use another backup." },
  );
}

/** One transaction: either all of it is there or nothing. Foreign keys are put back, and so checked, at its end. */
function fillPostgres(store: Store, reader: AsyncIterable<DumpLine>): Promise<ContentDigest> {
  return store.write(() =>
    performOutside(async (transaction) => {
      const run = async (text: string, values: readonly unknown[] = []) =>
        (await transaction.executeSql(text, [...values])).rows as Record<string, string>[];
      const references = await run(LIST_REFERENCES);
      for (const { table, name } of references) {
        await run(`alter table ${table} drop constraint ${name}`);
      }
      const source = batches(reader);
      for (;;) {
        const { value, done } = await source.next();
        if (done) {
          for (const { table, name, definition } of references) {
            await run(`alter table ${table} add constraint ${name} ${definition}`);
          }
          for (const { statement } of await run(LIST_NUMBERINGS)) await run(statement ?? "");
          return checkContent(snapshotIn(transaction), value);
        }
        await run(insertOf(value, value.rows.length, "postgres"), value.rows.flat());
      }
    }),
  );
}

function insertOf({ table, columns }: DumpTable, count: number, dialect: Store["dialect"]): string {
  const row = `(${columns.map(() => "?").join(", ")})`;
  const values = Array.from({ length: count }, () => row).join(", ");
  const overriding = dialect === "postgres" ? "overriding system value " : "";
  const text = `insert into ${quoted(table)} (${columns.map(quoted).join(", ")}) ${overriding}values ${values}`;
  return sqlText(text)[dialect];
}

async function checkContent(
  snapshot: Snapshot,
  { content: wanted }: DumpEnd,
): Promise<ContentDigest> {
  const found = await digestContent(snapshot);
  const tables = differingTables(wanted, found);
  const areHeadsEqual =
    wanted.eventHeads.streams === found.eventHeads.streams &&
    wanted.eventHeads.digest === found.eventHeads.digest;
  if (tables.length === 0 && areHeadsEqual) return found;
  throw new ProductError(
    "restore_differs",
    `What was restored is not what was backed up (${tables.join(", ") || "event log"}).`,
    {
      kind: "check_failed",
      hint: "Use another backup; this one was changed.",
      details: { tables },
    },
  );
}

const LIST_REFERENCES = `select conrelid::regclass::text as "table", quote_ident(conname) as name,
    pg_get_constraintdef(oid) as definition
  from pg_constraint where contype = 'f' and connamespace = current_schema()::regnamespace`;

/** Columns numbered by the database go on after the highest number restored. */
const LIST_NUMBERINGS = `select format('select setval(pg_get_serial_sequence(%L, %L), greatest(coalesce(max(%I), 0), 1), max(%I) is not null) from %I',
    quote_ident(table_name), column_name, column_name, column_name, table_name) as statement
  from information_schema.columns where table_schema = current_schema() and is_identity = 'YES'`;
