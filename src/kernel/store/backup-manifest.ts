/** What a backup says of itself, in a file beside it. Without it, or if it does not fit, nothing is restored. */

import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { open, readFile, rename, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { ProductError } from "../base/errors.ts";
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
}

export function manifestPath(backup: string): string {
  return `${backup}.manifest.json`;
}

export async function describeFile(path: string): Promise<{ bytes: number; sha256: string }> {
  const hash = createHash("sha256");
  for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer);
  const { size } = await stat(path);
  return { bytes: size, sha256: hash.digest("hex") };
}

export async function writeManifest(backup: string, manifest: BackupManifest): Promise<void> {
  const path = manifestPath(backup);
  await writeDurably(`${path}.partial`, `${JSON.stringify(manifest, undefined, 2)}\n`);
  await rename(`${path}.partial`, path);
  await syncFolder(dirname(path));
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
    text = await readFile(manifestPath(backup), "utf8");
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

export async function writeDurably(path: string, text: string): Promise<void> {
  const file = await open(path, "w", 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}

export async function syncFile(path: string): Promise<void> {
  const file = await open(path, "r+");
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}

/** A rename is on the disk only when its folder is. */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, "r");
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

function parseManifest(text: string): BackupManifest | undefined {
  try {
    return JSON.parse(text) as BackupManifest;
  } catch {
    return undefined;
  }
}
