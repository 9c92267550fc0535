/** Throwaway stores for tests: a SQLite file in a temporary folder, and a schema of its own on a real PostgreSQL. */

import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { executeSql, runSql } from "../../src/kernel/store/database-work.ts";
import { type Migration, migrate } from "../../src/kernel/store/migrate.ts";
import { openPostgres, type PostgresStore } from "../../src/kernel/store/postgres-store.ts";
import { sqlText } from "../../src/kernel/store/sql-text.ts";
import { openSqlite, type SqliteStore } from "../../src/kernel/store/sqlite-store.ts";
import type { Dialect, Store } from "../../src/kernel/store/store.ts";
import { findPostgres } from "./postgres-server.ts";

export interface ScratchStore<Kind extends Store = Store> {
  readonly store: Kind;
  /** Opens another connection to the same data, as a second process would. */
  reopen(): Kind;
  remove(): Promise<void>;
}

export function scratchStore(
  dialect: Dialect,
  migrations: readonly Migration[],
): Promise<ScratchStore> {
  return dialect === "sqlite" ? scratchSqlite(migrations) : scratchPostgres(migrations);
}

export async function scratchSqlite(
  migrations: readonly Migration[],
): Promise<ScratchStore<SqliteStore> & { readonly folder: string }> {
  const folder = mkdtempSync(path.join(tmpdir(), "throughline-test-"));
  const file = path.join(folder, "workspace.db");
  const store = openSqlite({ path: file });
  await migrate(store, migrations, 0);
  return {
    store,
    folder,
    reopen: () => openSqlite({ path: file }),
    remove: async () => {
      await store.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

export async function scratchPostgres(
  migrations: readonly Migration[],
): Promise<ScratchStore<PostgresStore> & { readonly url: string }> {
  const url = await findPostgres();
  const schema = `t_${randomBytes(8).toString("hex")}`;
  const store = openPostgres({ connectionString: url, schema });
  await migrate(store, migrations, 0);
  return {
    store,
    url,
    reopen: () => openPostgres({ connectionString: url, schema }),
    remove: async () => {
      await store.write(() => executeSql(sqlText(`drop schema ${schema} cascade`), []));
      await store.close();
    },
  };
}

/**
 * Resolves when readers may see every event. PostgreSQL shows them once no older transaction is under way, on the whole
 * server: those of other tests count, too.
 */
export async function whenSeen(store: Store): Promise<void> {
  if (store.dialect === "sqlite") return;
  while ((await store.read(() => runSql(UNSEEN, []))).length > 0) await sleep(5);
}

const UNSEEN = sqlText(
  "select id from event where transaction_id >= pg_snapshot_xmin(pg_current_snapshot())::text::bigint limit 1",
);
