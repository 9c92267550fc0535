/** What a backup says of itself, in a file beside it. Without it, or if it does not fit, nothing is restored. */

import { ProductError } from "../base/errors.ts";
import { describeFile, readText, writeDurably } from "./backup-files.ts";
import type { ContentDigest } from "./content-digest.ts";

export interface BackupManifest {
  readonly format: "throughline-backup";
  readonly version: 1;
  /** A SQLite file, or the portable JSON Lines. */
  readonly form: "sqlite" | "dump";
  readonly createdAt: number;
  readonly bytes: number;
  readonly sha256: string;
  readonly migrations: readonly string[];
  readonly content: ContentDigest;
  /** Redacted words are left out of it. */
  readonly isCovered?: boolean;
}

export function manifestPath(backup: string): string {
  return `${backup}.manifest.json`;
}

export async function writeManifest(backup: string, manifest: BackupManifest): Promise<void> {
  await writeDurably(manifestPath(backup), `${JSON.stringify(manifest, undefined, 2)}\n`);
}

/** Reads the manifest and checks the file against it. */
export async function checkBackupFile(backup: string): Promise<BackupManifest> {
  const manifest = await readManifest(backup);
  const { bytes, sha256 } = await describeFile(backup);
  if (bytes === manifest.bytes && sha256 === manifest.sha256) return manifest;
  throw new ProductError("backup_damaged", `The backup ${backup} is not as it was written.`, {
    kind: "check_failed",
    hint: "Use another backup; this one was changed or cut off.",
    details: { bytes, expectedBytes: manifest.bytes, sha256, expectedSha256: manifest.sha256 },
  });
}

export async function readManifest(backup: string): Promise<BackupManifest> {
  let text: string;
  try {
    text = await readText(manifestPath(backup));
  } catch (cause) {
    throw new ProductError("backup_manifest_missing", `There is no manifest beside ${backup}.`, {
      kind: "not_found",
      hint: "A backup is complete when its manifest is there; use another one.",
      cause,
    });
  }
  const manifest = parseManifest(text);
  if (manifest?.format === "throughline-backup" && manifest.version === 1) return manifest;
  throw new ProductError("backup_unknown", `The manifest of ${backup} cannot be read.`, {
    kind: "check_failed",
    hint: "Use the version of the program that made the backup, or another backup.",
  });
}

function parseManifest(text: string): BackupManifest | undefined {
  try {
    return JSON.parse(text) as BackupManifest;
  } catch {
    return undefined;
  }
}
