/**
 * Restoring a backup. It is built and checked beside the workspace and takes its place in one step, so that a
 * process that is killed at any moment leaves either the old or the restored one, whole. What was there before
 * is kept aside, never overwritten; a backup that does not fit its manifest is not restored at all.
 */

import { DatabaseSync } from "node:sqlite";
import { ProductError } from "../base/errors.ts";
import { verifyBackup } from "./backup.ts";
import {
  BESIDE,
  copyFile,
  describeFile,
  fileExists,
  keepUnder,
  listSecondNames,
  moveDurably,
  readLines,
  removeDatabase,
  removeFile,
} from "./backup-files.ts";
import type { BackupManifest } from "./backup-manifest.ts";
import type { ContentDigest } from "./content-digest.ts";
import { loadDump } from "./load-dump.ts";
import { type Migration, migrate } from "./migrate.ts";
import { openSqlite } from "./sqlite-store.ts";
import type { Store } from "./store.ts";
import { isBusy, toStoreError } from "./store-errors.ts";

export interface RestoreOptions {
  readonly backup: string;
  readonly migrations: readonly Migration[];
  readonly now: number;
  /** Looks at what was restored and may add to it, before it takes its place. Throwing calls it all off. */
  readonly prepare?: ((store: Store, restored: Restored) => Promise<void>) | undefined;
}

export interface Restored {
  readonly manifest: BackupManifest;
  readonly content: ContentDigest;
  /** Where the workspace that was there before is now. */
  readonly keptAside: string | undefined;
}

/** Puts a backup of either form in the place of a SQLite workspace, which nobody may have open. */
export async function restoreSqlite(target: string, options: RestoreOptions): Promise<Restored> {
  const manifest = await verifyBackup(options.backup);
  const incoming = `${target}.restoring`;
  const aside = await findAside(target, options.now);
  const keptAside = (await fileExists(target)) ? aside : undefined;
  const restored = { manifest, content: manifest.content, keptAside };
  await removeDatabase(incoming);
  try {
    if (manifest.form === "sqlite") await copyChecked(options.backup, incoming, manifest);
    const store = openSqlite({ path: incoming });
    try {
      if (manifest.form === "sqlite") await migrate(store, options.migrations, options.now);
      else await loadDump(store, readLines(options.backup), options);
      await options.prepare?.(store, restored);
    } finally {
      await store.close();
    }
    await takePlace(incoming, target, aside);
    return restored;
  } finally {
    await removeDatabase(incoming);
  }
}

async function copyChecked(from: string, to: string, manifest: BackupManifest): Promise<void> {
  await copyFile(from, to);
  const { sha256 } = await describeFile(to);
  if (sha256 === manifest.sha256) return;
  throw new ProductError("restore_differs", `The copy of ${from} is not what was copied.`, {
    kind: "check_failed",
    hint: "Check the disk; nothing was changed.",
  });
}

/**
 * One rename decides. Before it the old file is whole under both names, after it only under the second:
 * its write-ahead log was folded into it first, because a log left behind would be replayed into the new file.
 */
async function takePlace(incoming: string, target: string, aside: string): Promise<void> {
  const alone = (await fileExists(target)) ? holdAlone(target) : undefined;
  try {
    // Left by a restore that was killed just before its rename.
    for (const name of await listSecondNames(target, asideBeginning(target))) {
      await removeFile(name);
    }
    const left = [];
    for (const suffix of ["", ...BESIDE]) {
      if (await fileExists(target + suffix)) left.push(suffix);
    }
    for (const suffix of left) await keepUnder(target + suffix, aside + suffix);
    // Only a damaged file has anything beside it here, and that is kept with it.
    for (const suffix of left) if (suffix !== "") await removeFile(target + suffix);
    await moveDurably(incoming, target);
  } finally {
    alone?.close();
  }
}

/** Undefined for a damaged file: nobody can work in it, and it is set aside as it is. */
function holdAlone(path: string): DatabaseSync | undefined {
  let database: DatabaseSync | undefined;
  try {
    // Opened to be written, a damaged file would lose the log that lies beside it.
    database = new DatabaseSync(path, { timeout: 200, readOnly: true });
    database.prepare("select count(*) from sqlite_schema").get();
    database.close();
    database = new DatabaseSync(path, { timeout: 200 });
    database.exec("pragma journal_mode = delete; begin exclusive");
    // Somebody may have opened it between the two.
    if (journalMode(database) === "delete") return database;
  } catch (cause) {
    database?.close();
    const error = toStoreError(cause, path);
    if (error instanceof ProductError && error.code === "store_damaged") return undefined;
    if (!isBusy(cause)) throw error;
    throw inUse(path, cause);
  }
  database.close();
  throw inUse(path);
}

function journalMode(database: DatabaseSync): string {
  return (database.prepare("pragma journal_mode").get() as { journal_mode: string }).journal_mode;
}

function inUse(path: string, cause?: unknown): ProductError {
  return new ProductError("restore_in_use", `The workspace ${path} is open in another process.`, {
    kind: "conflict",
    hint: "Stop it first.",
    cause,
  });
}

async function findAside(target: string, now: number): Promise<string> {
  const moment = new Date(now).toISOString().slice(0, 19).replaceAll(":", "-");
  const name = asideBeginning(target) + moment;
  for (let number = 2, free = name; ; number += 1) {
    if (!(await fileExists(free))) return free;
    free = `${name}-${number}`;
  }
}

function asideBeginning(target: string): string {
  return `${target}.before-restore-`;
}
