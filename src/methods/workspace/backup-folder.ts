/** Where backups of the workspace lie: `backups/` in its folder, each a file with its manifest beside it. */

import { mkdir, readdir } from "node:fs/promises";
import path from "node:path";
import { notFound } from "../../kernel/base/errors.ts";
import type { Kernel } from "../../kernel/operation/kernel.ts";
import { manifestPath, readManifest } from "../../kernel/store/backup-manifest.ts";

export interface KnownBackup {
  readonly name: string;
  readonly form: "sqlite" | "dump";
  readonly createdAt: number;
  readonly bytes: number;
  readonly sha256: string;
}

const MANIFEST_ENDING = manifestPath("");

export async function backupFolder({ folder }: Pick<Kernel, "folder">): Promise<string> {
  const place = path.join(folder, "backups");
  await mkdir(place, { recursive: true, mode: 0o700 });
  return place;
}

/** Newest first. A file without a manifest is no backup yet. */
export async function listBackups(kernel: Pick<Kernel, "folder">): Promise<readonly KnownBackup[]> {
  const place = await backupFolder(kernel);
  const names = (await readdir(place))
    .filter((name) => name.endsWith(MANIFEST_ENDING))
    .map((name) => name.slice(0, -MANIFEST_ENDING.length));
  const backups = await Promise.all(
    names.map(async (name): Promise<KnownBackup> => {
      const { form, createdAt, bytes, sha256 } = await readManifest(path.join(place, name));
      return { name, form, createdAt, bytes, sha256 };
    }),
  );
  return backups.toSorted((a, b) => b.createdAt - a.createdAt || (a.name < b.name ? 1 : -1));
}

/** Only names that are listed: nothing outside the folder can be reached. */
export async function findBackup(kernel: Pick<Kernel, "folder">, name: string): Promise<string> {
  const known = await listBackups(kernel);
  if (!known.some((backup) => backup.name === name)) throw notFound("backup", name);
  return path.join(await backupFolder(kernel), name);
}
