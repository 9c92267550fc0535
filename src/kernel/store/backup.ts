/**
 * Backups. A SQLite workspace is copied as a file while work goes on; both databases can be written in the
 * portable form, which either of them restores. A backup exists once its manifest does.
 */

import { backup, DatabaseSync } from "node:sqlite";
import { ProductError } from "../base/errors.ts";
import {
  describeFile,
  fileExists,
  moveDurably,
  readLines,
  removeDatabase,
  writeLines,
} from "./backup-files.ts";
import { type BackupManifest, checkBackupFile, writeManifest } from "./backup-manifest.ts";
import { type ContentDigest, differingTables, digestContent } from "./content-digest.ts";
import { coverStore } from "./cover-rows.ts";
import { type DumpHeader, type DumpLine, readDumpLine } from "./dump-format.ts";
import { dumpLines } from "./dump-store.ts";
import { withSnapshot, withSqliteSnapshot } from "./snapshot.ts";
import { sqlText } from "./sql-text.ts";
import type { Store } from "./store.ts";

export interface BackupOptions {
  /** The file to write; there must be none of that name. */
  readonly path: string;
  readonly now: number;
  /** The default is a file copy for SQLite and the portable form for PostgreSQL. */
  readonly form?: "sqlite" | "dump" | undefined;
  /** Leaves redacted words out of the portable form, which then is for reading only. */
  readonly isCovered?: boolean;
  readonly onProgress?: (progress: { readonly done: number; readonly total: number }) => void;
}

export async function backupStore(store: Store, options: BackupOptions): Promise<BackupManifest> {
  const { path, now } = options;
  const form = options.form ?? (store.dialect === "sqlite" ? "sqlite" : "dump");
  if (form === "sqlite" && store.dialect !== "sqlite") {
    throw new ProductError("backup_form", "PostgreSQL is backed up in the portable form.");
  }
  await refuseExisting(path);
  const partial = `${path}.partial`;
  try {
    const content =
      form === "sqlite"
        ? await copySqlite(store.location, partial, options.onProgress)
        : await writeDump(store, partial, options);
    const described = await describeFile(partial);
    await moveDurably(partial, path);
    const manifest: BackupManifest = {
      format: "throughline-backup",
      version: 1,
      form,
      createdAt: now,
      ...described,
      ...content,
    };
    await writeManifest(path, manifest);
    return manifest;
  } finally {
    await removeDatabase(partial);
  }
}

/** Reads the whole backup and compares it with its manifest: the file's hash, every table, the event heads. */
export async function verifyBackup(path: string): Promise<BackupManifest> {
  const manifest = await checkBackupFile(path);
  const content =
    manifest.form === "sqlite"
      ? await withSqliteSnapshot(path, digestContent)
      : await readDumpedContent(path);
  const tables = differingTables(manifest.content, content);
  if (tables.length === 0 && manifest.content.eventHeads.digest === content.eventHeads.digest) {
    return manifest;
  }
  throw new ProductError(
    "backup_damaged",
    `The backup ${path} does not hold what its manifest says.`,
    {
      kind: "check_failed",
      hint: "Use another backup.",
      details: { tables },
    },
  );
}

interface CopiedContent {
  readonly migrations: readonly string[];
  readonly content: ContentDigest;
  readonly isCovered?: boolean;
}

async function copySqlite(
  source: string,
  target: string,
  onProgress: BackupOptions["onProgress"],
): Promise<CopiedContent> {
  await removeDatabase(target);
  const database = new DatabaseSync(source, { readOnly: true, timeout: 5000 });
  try {
    // Reading from one snapshot keeps writers from making the copy start over, again and again.
    database.exec("begin; select count(*) from sqlite_schema");
    await backup(database, target, {
      rate: 2000,
      progress: ({ totalPages, remainingPages }) =>
        onProgress?.({ done: totalPages - remainingPages, total: totalPages }),
    });
  } finally {
    database.close();
  }
  leaveWal(target);
  return withSqliteSnapshot(target, async (snapshot) => {
    const migrations = await snapshot.rows<{ name: string }>(LIST_MIGRATIONS);
    return {
      migrations: migrations.map(({ name }) => name),
      content: await digestContent(snapshot),
    };
  });
}

/** A backup is one file: without this, reading it would leave others beside it. */
function leaveWal(path: string): void {
  const copy = new DatabaseSync(path);
  try {
    copy.exec("pragma journal_mode = delete");
  } finally {
    copy.close();
  }
}

function writeDump(
  store: Store,
  path: string,
  { now, isCovered = false }: Pick<BackupOptions, "now" | "isCovered">,
): Promise<CopiedContent> {
  return withSnapshot(store, async (snapshot) => {
    const last: { header?: DumpHeader; content?: ContentDigest } = {};
    // Reading fixes the moment: what is redacted from then on is covered as well.
    await snapshot.rows(LIST_MIGRATIONS);
    const cover = isCovered ? await coverStore(store) : undefined;
    await writeLines(path, textOf(dumpLines(snapshot, now, cover), last));
    if (last.header === undefined || last.content === undefined) throw new TypeError("Empty dump.");
    const { migrations, isCovered: isMarked } = last.header;
    return { migrations, content: last.content, ...(isMarked ? { isCovered: true } : {}) };
  });
}

async function* textOf(
  lines: AsyncIterable<DumpLine>,
  last: { header?: DumpHeader; content?: ContentDigest },
): AsyncGenerator<string> {
  for await (const line of lines) {
    if ("format" in line) last.header = line;
    if ("end" in line) last.content = line.content;
    yield `${JSON.stringify(line)}\n`;
  }
}

/** The dump carries its own digests; that its bytes are those written was checked by hash before. */
async function readDumpedContent(path: string): Promise<ContentDigest> {
  let last: DumpLine | undefined;
  let number = 0;
  for await (const line of readLines(path)) {
    number += 1;
    last = readDumpLine(line, number);
  }
  if (last !== undefined && "end" in last) return last.content;
  throw new ProductError("dump_damaged", "The backup ends before its end.", {
    kind: "check_failed",
    hint: "Use another backup; this one was cut off.",
  });
}

async function refuseExisting(path: string): Promise<void> {
  if (!(await fileExists(path))) return;
  throw new ProductError("backup_exists", `There is already a file ${path}.`, {
    kind: "conflict",
    hint: "Backups are never overwritten; choose another name.",
  });
}

const LIST_MIGRATIONS = sqlText("select name from migration order by position");
