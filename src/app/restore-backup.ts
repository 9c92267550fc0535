/** `restore`: puts a backup in the workspace's place. Nothing may run there meanwhile; what was there is kept aside. */

import { existsSync } from "node:fs";
import path from "node:path";
import { systemClock } from "../kernel/base/clock.ts";
import { ProductError } from "../kernel/base/errors.ts";
import { createIdSource } from "../kernel/base/ids.ts";
import { examineStore } from "../kernel/store/doctor-store.ts";
import { appendEvents, WORKSPACE_STREAM } from "../kernel/store/events.ts";
import type { Finding } from "../kernel/store/finding.ts";
import { openPostgres } from "../kernel/store/postgres-store.ts";
import { type Restored, type RestoreOptions, restoreSqlite } from "../kernel/store/restore.ts";
import { replacePostgres, restorePostgres } from "../kernel/store/restore-postgres.ts";
import type { Store } from "../kernel/store/store.ts";
import { findBackup } from "../methods/workspace/backup-folder.ts";
import { type Config, readConfig } from "./config.ts";
import { findAdmin } from "./first-user.ts";
import { MIGRATIONS } from "./migrations.ts";
import { databaseFile } from "./open-workspace.ts";
import { findWorkspace } from "./workspace-folder.ts";
import { lockOrRefuse } from "./workspace-lock.ts";

export interface RestoreRequest {
  /** The name of a backup of this workspace, or the path of any other. */
  readonly backup: string;
  /** PostgreSQL only: the workspace that is there may be set aside. A file always is. */
  readonly replace: boolean;
  /** Even if the examination finds damage in the backup. */
  readonly anyway: boolean;
  readonly report: (message: string) => void;
}

export interface RestoredWorkspace {
  readonly backup: string;
  readonly createdAt: number;
  readonly rows: number;
  readonly place: string;
  readonly keptAside: string | undefined;
}

export async function restoreBackup(
  directory: string,
  request: RestoreRequest,
): Promise<RestoredWorkspace> {
  const folder = findWorkspace(directory);
  const config = readConfig(folder, process.env);
  const backup = await locateBackup(folder, directory, request.backup);
  const lock = lockOrRefuse(folder);
  try {
    request.report("Reading the backup and building it beside the workspace.");
    const options: RestoreOptions = {
      backup,
      migrations: MIGRATIONS,
      now: systemClock.now(),
      prepare: (store, restored) => prepare(store, restored, { ...request, backup }),
    };
    const { manifest, content, keptAside } = await restoreInto(config, options, request.replace);
    return {
      backup,
      createdAt: manifest.createdAt,
      rows: Object.values(content.tables).reduce((sum, { rows }) => sum + rows, 0),
      place: config.database === undefined ? databaseFile(folder) : `schema ${config.schema}`,
      keptAside,
    };
  } finally {
    lock.release();
  }
}

export async function restoreInto(
  { folder, database, schema }: Config,
  options: RestoreOptions,
  isReplacing: boolean,
): Promise<Restored> {
  if (database === undefined) return restoreSqlite(databaseFile(folder), options);
  if (isReplacing) return replacePostgres(database, schema, options);
  const store = openPostgres({ connectionString: database, schema });
  try {
    return await restorePostgres(store, options);
  } catch (error) {
    if (!(error instanceof ProductError) || error.code !== "restore_target_filled") throw error;
    throw new ProductError(error.code, `There is already a workspace in the schema ${schema}.`, {
      kind: "conflict",
      hint: "Add --replace: it is then kept under another name.",
      cause: error,
    });
  } finally {
    await store.close();
  }
}

async function prepare(
  store: Store,
  { manifest, keptAside }: Restored,
  { backup, anyway, report }: RestoreRequest,
): Promise<void> {
  report("Examining what was restored.");
  await refuseDamage(store, anyway);
  const now = systemClock.now();
  const ids = createIdSource(systemClock);
  const { id: actor } = await findAdmin({ store, clock: systemClock, ids });
  const { sha256, createdAt } = manifest;
  const data = { name: path.basename(backup), sha256, createdAt, keptAside: keptAside ?? null };
  const event = { stream: WORKSPACE_STREAM, type: "backup.restored", projectId: null, actor, data };
  await store.write(() => appendEvents([event], now));
}

/** The last look before the switch: what cannot be trusted does not take the place of what is there. */
export async function refuseDamage(store: Store, anyway: boolean): Promise<void> {
  const damage: Finding[] = [];
  await examineStore(store, {
    migrations: MIGRATIONS,
    report: (finding) => finding.severity === "damage" && damage.push(finding),
  });
  const [first] = damage;
  if (first === undefined || anyway) return;
  throw new ProductError(
    "restore_findings",
    `The backup is damaged in ${damage.length} places, first ${first.place}: ${first.message}`,
    {
      kind: "check_failed",
      hint: "Use another backup, or restore this one all the same with --anyway. Nothing was changed.",
      details: { findings: damage.slice(0, 20) },
    },
  );
}

/** A path where there is such a file, else one of the workspace's own backups. */
async function locateBackup(folder: string, directory: string, given: string): Promise<string> {
  const file = path.resolve(directory, given);
  return existsSync(file) ? file : findBackup({ folder }, given);
}
