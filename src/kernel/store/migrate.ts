/**
 * Brings a database to the shape this program knows. Each migration is one transaction on both
 * databases, so one that is killed half-way leaves the old shape whole.
 */

import { ProductError } from "../base/errors.ts";
import { hashJson } from "../base/hash.ts";
import type { AuditedTable } from "./audited-rows.ts";
import { type DatabaseWork, executeSql, runSql } from "./database-work.ts";
import { sqlText } from "./sql-text.ts";
import type { Dialect, Store } from "./store.ts";

/** Append-only: a released migration is never edited, its hash is checked. */
export interface Migration {
  readonly name: string;
  statements(kinds: ColumnWords): readonly string[];
  /** Which of its tables `doctor` checks row by row; the shared nouns are known to it. */
  readonly audited?: readonly AuditedTable[];
  /** Texts that stand beside their own hash; `doctor` compares the two. */
  readonly hashed?: readonly HashedText[];
  /** Words of its tables that pruning lets go of when the run they belong to ended long ago. */
  readonly prunable?: readonly PrunableText[];
}

/** A column of text, null where it was pruned, and the column with the hash of it. */
export interface HashedText {
  readonly table: string;
  readonly text: string;
  readonly hash: string;
}

/** A column of words in a table that names its run as `run_id`. */
export interface PrunableText {
  readonly table: string;
  readonly text: string;
  /** What stays in its place. */
  readonly leaves: null | "null" | "[]";
  /**
   * Of outputs, as SQL over the row `kept`: a newer one has replaced it, and nothing that stays reads it. Words
   * without it are copies of what was sent and answered, and go with that.
   */
  readonly isReplaced?: string;
}

/** The words in which the two databases differ when tables are made. */
export interface ColumnWords {
  readonly dialect: Dialect;
  readonly int: string;
  readonly real: string;
  /** A column numbered in order of insertion, the primary key. No number is ever given twice. */
  readonly serial: string;
  /** The same where the newest rows are never deleted: SQLite then keeps no count beside the table. */
  readonly appended: string;
  /** Closes a `create table`. */
  readonly strict: string;
  /** Closes the table of small rows that are found by their key: SQLite keeps them in the key's index. */
  readonly clustered: string;
}

export async function migrate(
  store: Store,
  migrations: readonly Migration[],
  now: number,
): Promise<readonly string[]> {
  const words = columnWords(store.dialect);
  await store.write(() => createMigrationTable(store, words));
  const applied = await store.read(listApplied);
  refuseStrangers(applied, migrations, words);

  const done: string[] = [];
  for (const migration of migrations.slice(applied.length)) {
    const isNew = await store.write(() => apply(migration, words, now));
    if (isNew) done.push(migration.name);
  }
  return done;
}

export function columnWords(dialect: Dialect): ColumnWords {
  return dialect === "sqlite"
    ? {
        dialect,
        int: "integer",
        real: "real",
        serial: "integer primary key autoincrement",
        appended: "integer primary key",
        strict: ") strict",
        clustered: ") strict, without rowid",
      }
    : {
        dialect,
        int: "bigint",
        real: "double precision",
        serial: "bigint generated always as identity primary key",
        appended: "bigint generated always as identity primary key",
        strict: ")",
        clustered: ")",
      };
}

interface AppliedMigration {
  readonly name: string;
  readonly hash: string;
}

const LIST_APPLIED = sqlText("select name, hash from migration order by position");
const FIND_APPLIED = sqlText("select name, hash from migration where name = ?");
const INSERT_APPLIED = sqlText(
  "insert into migration (position, name, hash, applied_at) select coalesce(max(position), 0) + 1, ?, ?, ? from migration",
);

function* createMigrationTable(store: Store, words: ColumnWords): DatabaseWork<void> {
  if (store.dialect === "postgres") {
    const { schema } = store as Store & { schema: string };
    yield* executeSql(sqlText(`create schema if not exists ${schema}`), []);
    yield* executeSql(sqlText("select pg_advisory_xact_lock(72014)"), []);
  }
  yield* executeSql(
    sqlText(
      `create table if not exists migration (position ${words.int} not null primary key, name text not null unique, hash text not null, applied_at ${words.int} not null ${words.strict}`,
    ),
    [],
  );
}

function* listApplied(): DatabaseWork<readonly AppliedMigration[]> {
  return yield* runSql<AppliedMigration>(LIST_APPLIED, []);
}

function* apply(migration: Migration, words: ColumnWords, now: number): DatabaseWork<boolean> {
  if (words.dialect === "postgres")
    yield* executeSql(sqlText("select pg_advisory_xact_lock(72014)"), []);
  // Another process may have applied it since we looked.
  const known = yield* runSql(FIND_APPLIED, [migration.name]);
  if (known.length > 0) return false;
  const statements = migration.statements(words);
  for (const statement of statements)
    yield* executeSql({ sqlite: statement, postgres: statement }, []);
  yield* executeSql(INSERT_APPLIED, [migration.name, hashJson(statements), now]);
  return true;
}

function refuseStrangers(
  applied: readonly AppliedMigration[],
  migrations: readonly Migration[],
  words: ColumnWords,
): void {
  applied.forEach(({ name, hash }, position) => {
    const migration = migrations[position];
    if (migration?.name !== name) {
      throw new ProductError(
        "store_newer_than_program",
        `This workspace was changed by another version of the program (migration "${name}" is unknown here).`,
        {
          kind: "conflict",
          hint: "Use the version that made it, or restore a backup made by this one.",
        },
      );
    }
    if (hashJson(migration.statements(words)) !== hash) {
      throw new ProductError(
        "store_migration_changed",
        `Migration "${name}" is not the one this workspace was made with.`,
        {
          kind: "conflict",
          hint: "Nothing was changed. The program that made it still opens it: `export` it with that one, then `init --from` makes it anew here.",
        },
      );
    }
  });
}
