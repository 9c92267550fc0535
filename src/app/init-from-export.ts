/** `init --from`: a fresh workspace that holds exactly what an export holds. */

import { cpSync, existsSync } from "node:fs";
import path from "node:path";
import { systemClock } from "../kernel/base/clock.ts";
import { ProductError } from "../kernel/base/errors.ts";
import { hashJson } from "../kernel/base/hash.ts";
import { DUMP_FILE, LIBRARY_FOLDER } from "../methods/workspace/export-layout.ts";
import { readConfig } from "./config.ts";
import { MIGRATIONS } from "./migrations.ts";
import { databaseFile } from "./open-workspace.ts";
import { refuseDamage, restoreInto } from "./restore-backup.ts";
import { makeFolder } from "./workspace-folder.ts";
import { lockOrRefuse } from "./workspace-lock.ts";

export interface ImportedWorkspace {
  readonly folder: string;
  readonly rows: number;
  /** The export's own, if all is well: what was read back is compared with it before it counts. */
  readonly digest: string;
}

export async function initFromExport(home: string, exported: string): Promise<ImportedWorkspace> {
  const dump = path.join(exported, DUMP_FILE);
  if (!existsSync(dump)) throw notAnExport(exported);
  const folder = makeFolder(home);
  const config = readConfig(folder, process.env);
  const file = databaseFile(folder);
  const lock = lockOrRefuse(folder);
  try {
    if (config.database === undefined && existsSync(file)) throw notEmpty(file);
    const { content } = await restoreInto(
      config,
      {
        backup: dump,
        migrations: MIGRATIONS,
        now: systemClock.now(),
        prepare: (store) => refuseDamage(store, false),
      },
      false,
    ).catch((error: unknown) => {
      const isFilled = error instanceof ProductError && error.code === "restore_target_filled";
      throw isFilled ? notEmpty(`the schema ${config.schema}`) : error;
    });
    const library = path.join(exported, LIBRARY_FOLDER);
    if (existsSync(library))
      cpSync(library, path.join(folder, LIBRARY_FOLDER), { recursive: true, force: false });
    const rows = Object.values(content.tables).reduce((sum, table) => sum + table.rows, 0);
    return { folder, rows, digest: hashJson(content) };
  } finally {
    lock.release();
  }
}

function notAnExport(place: string): ProductError {
  return new ProductError("export_not_found", `There is no export in ${place}.`, {
    kind: "not_found",
    hint: `An export is a folder with ${DUMP_FILE} in it; \`export\` makes one.`,
  });
}

function notEmpty(place: string): ProductError {
  return new ProductError("workspace_exists", `There is already a workspace in ${place}.`, {
    kind: "conflict",
    hint: "Import into an empty folder or schema; to go back to an earlier state, use `restore`.",
  });
}
