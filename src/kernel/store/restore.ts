/**
 * Restoring a backup. What was there before is kept aside, never overwritten; a backup that does not fit its
 * manifest is not restored at all.
 */

import { DatabaseSync } from "node:sqlite";
import { ProductError } from "../base/errors.ts";
import { verifyBackup } from "./backup.ts";
import {
  BESIDE,
  copyFile,
  fileExists,
  moveDurably,
  readLines,
  removeDatabase,
} from "./backup-files.ts";
import type { ContentDigest } from "./content-digest.ts";
import { loadDump } from "./load-dump.ts";
import { type Migration, migrate } from "./migrate.ts";
import { openSqlite } from "./sqlite-store.ts";
import type { Store } from "./store.ts";
import { isBusy } from "./store-errors.ts";

export interface RestoreOptions {
  readonly backup: string;
  readonly migrations: readonly Migration[];
  readonly now: number;
}

export interface Restored {
  readonly content: ContentDigest;
  /** Where the workspace that was there before is now. */
  readonly keptAside: string | undefined;
}

/** Puts a backup of either form in the place of a SQLite workspace, which nobody may have open. */
export async function restoreSqlite(
  target: string,
  { backup, migrations, now }: RestoreOptions,
): Promise<Restored> {
  const manifest = await verifyBackup(backup);
  const incoming = `${target}.restoring`;
  await removeDatabase(incoming);
  try {
    if (manifest.form === "sqlite") await copyFile(backup, incoming);
    const store = openSqlite({ path: incoming });
    try {
      if (manifest.form === "sqlite") await migrate(store, migrations, now);
      else await loadDump(store, readLines(backup), { migrations, now });
    } finally {
      await store.close();
    }
    const keptAside = await setAside(target, now);
    await moveDurably(incoming, target);
    return { content: manifest.content, keptAside };
  } finally {
    await removeDatabase(incoming);
  }
}

/** Fills an empty PostgreSQL schema from a backup in the portable form. */
export async function restorePostgres(
  store: Store,
  { backup, migrations, now }: RestoreOptions,
): Promise<Restored> {
  const manifest = await verifyBackup(backup);
  if (manifest.form !== "dump") {
    throw new ProductError(
      "restore_form",
      "A copy of a SQLite file cannot be restored into PostgreSQL.",
      { hint: "Make the backup in the portable form: `backup --form dump`." },
    );
  }
  const content = await loadDump(store, readLines(backup), { migrations, now });
  return { content, keptAside: undefined };
}

async function setAside(target: string, now: number): Promise<string | undefined> {
  if (!(await fileExists(target))) return undefined;
  refuseInUse(target);
  const aside = `${target}.before-restore-${now}`;
  for (const suffix of [...BESIDE, ""]) {
    if (await fileExists(target + suffix)) await moveDurably(target + suffix, aside + suffix);
  }
  return aside;
}

/** A damaged file cannot be opened at all, and is set aside as it is. */
function refuseInUse(path: string): void {
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(path, { timeout: 200 });
    database.exec("pragma locking_mode = exclusive; begin exclusive; rollback");
  } catch (error) {
    if (!isBusy(error)) return;
    throw new ProductError("restore_in_use", `The workspace ${path} is open in another process.`, {
      kind: "conflict",
      hint: "Stop it first.",
      cause: error,
    });
  } finally {
    database?.close();
  }
}
