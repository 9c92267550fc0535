/**
 * Restoring into PostgreSQL. An empty schema is filled in one transaction. To replace a workspace, the backup is
 * loaded into a schema of its own; then the two change names, in one transaction, while nobody is inside.
 */

import { ProductError } from "../base/errors.ts";
import { hashText } from "../base/hash.ts";
import { verifyBackup } from "./backup.ts";
import { readLines } from "./backup-files.ts";
import type { BackupManifest } from "./backup-manifest.ts";
import { type DatabaseWork, executeSql, runSql } from "./database-work.ts";
import { loadDump } from "./load-dump.ts";
import { openPostgres, type PostgresStore } from "./postgres-store.ts";
import type { Restored, RestoreOptions } from "./restore.ts";
import { sqlText } from "./sql-text.ts";
import type { Store } from "./store.ts";
import { quoted } from "./table-shapes.ts";

/** Fills an empty schema from a backup in the portable form. */
export async function restorePostgres(store: Store, options: RestoreOptions): Promise<Restored> {
  const manifest = await verifyDump(options.backup);
  const content = await loadDump(store, readLines(options.backup), options);
  const restored = { manifest, content, keptAside: undefined };
  await options.prepare?.(store, restored);
  return restored;
}

/** Puts a backup in the place of the workspace in a schema, which is kept under another name. */
export async function replacePostgres(
  connectionString: string,
  schema: string,
  options: RestoreOptions,
): Promise<Restored> {
  const manifest = await verifyDump(options.backup);
  const inPlace = openPostgres({ connectionString, schema });
  const incoming = openPostgres({ connectionString, schema: incomingSchema(schema) });
  try {
    const isThere = await inPlace.read(() => hasSchema(schema));
    if (isThere) await refuseWorkers(inPlace, options.now);
    await dropSchema(incoming);
    const content = await loadDump(incoming, readLines(options.backup), options);
    const keptAside = isThere ? asideSchema(schema, options.now) : undefined;
    const restored = { manifest, content, keptAside };
    await options.prepare?.(incoming, restored);
    await takePlace(inPlace, incoming.schema, keptAside);
    return restored;
  } catch (error) {
    // Where this fails, too, the next restore begins with it.
    await dropSchema(incoming).catch(() => undefined);
    throw error;
  } finally {
    await incoming.close();
    await inPlace.close();
  }
}

async function verifyDump(backup: string): Promise<BackupManifest> {
  const manifest = await verifyBackup(backup);
  if (manifest.form === "dump") return manifest;
  throw new ProductError(
    "restore_form",
    "A copy of a SQLite file cannot be restored into PostgreSQL.",
    { hint: "Make the backup in the portable form: `backup --form dump`." },
  );
}

/** Of a fixed length: the longest schema names leave no room for an ending. */
function incomingSchema(schema: string): string {
  return `throughline_restoring_${hashText(schema).slice(0, 8)}`;
}

function asideSchema(schema: string, now: number): string {
  const moment = new Date(now).toISOString().replaceAll(/\D/g, "").slice(0, 14);
  return `${schema}_before_${moment}`;
}

function dropSchema(store: PostgresStore): Promise<number> {
  const drop = sqlText(`drop schema if exists ${store.schema} cascade`);
  return store.write(() => executeSql(drop, []));
}

/** A worker that holds leases is alive, and what it is about to write would land in what is set aside. */
async function refuseWorkers(store: PostgresStore, now: number): Promise<void> {
  const workers = await store.read(function* () {
    if (!(yield* listTables(store.schema)).includes("job")) return [];
    return yield* runSql<{ worker: string }>(LIST_WORKERS, [now]);
  });
  if (workers.length === 0) return;
  throw inUse(store.schema, workers.map(({ worker }) => worker).join(", "));
}

/** Whoever writes in the old tables is waited for; whoever comes later finds the new ones under the old name. */
async function takePlace(
  store: PostgresStore,
  incoming: string,
  aside: string | undefined,
): Promise<void> {
  const { schema } = store;
  const rename = function* (): DatabaseWork<void> {
    if (aside !== undefined) yield* setAside(schema, aside, yield* listTables(incoming));
    yield* executeSql(sqlText(`alter schema ${incoming} rename to ${schema}`), []);
  };
  try {
    await store.write(rename);
  } catch (error) {
    if ((error as { code?: unknown }).code !== LOCK_NOT_AVAILABLE) throw error;
    throw inUse(schema, "a transaction that does not end", error);
  }
}

const LOCK_MS = 5000;
const LOCK_NOT_AVAILABLE = "55P03";

function* setAside(schema: string, aside: string, ours: readonly string[]): DatabaseWork<void> {
  const tables = yield* listTables(schema);
  const strangers = tables.filter((name) => !ours.includes(name));
  if (strangers.length > 0) throw isShared(schema, strangers);
  yield* executeSql(sqlText(`set local lock_timeout = ${LOCK_MS}`), []);
  const names = tables.map((name) => `${schema}.${quoted(name)}`);
  if (names.length > 0) {
    const lock = `lock table ${names.join(", ")} in access exclusive mode`;
    yield* executeSql(sqlText(lock), []);
  }
  yield* executeSql(sqlText(`alter schema ${schema} rename to ${aside}`), []);
}

function* hasSchema(schema: string): DatabaseWork<boolean> {
  const found = yield* runSql(sqlText("select 1 from pg_namespace where nspname = ?"), [schema]);
  return found.length > 0;
}

function* listTables(schema: string): DatabaseWork<readonly string[]> {
  const rows = yield* runSql<{ name: string }>(LIST_TABLES, [schema]);
  return rows.map(({ name }) => name);
}

const LIST_TABLES = sqlText(
  "select tablename as name from pg_tables where schemaname = ? order by tablename",
);
const LIST_WORKERS = sqlText(
  "select distinct worker from job where state = 'leased' and lease_until > ? order by worker",
);

function inUse(schema: string, by: string, cause?: unknown): ProductError {
  return new ProductError("restore_in_use", `The schema ${schema} is in use: ${by}.`, {
    kind: "conflict",
    hint: "Stop every server and worker of this workspace first; one that was killed is forgotten after 15 s.",
    cause,
  });
}

function isShared(schema: string, tables: readonly string[]): ProductError {
  return new ProductError(
    "restore_schema_shared",
    `The schema ${schema} holds tables that are not of this workspace: ${tables.join(", ")}.`,
    {
      kind: "conflict",
      hint: "Give the workspace a schema of its own (`schema` in config.json) and restore there.",
      details: { tables },
    },
  );
}
