/** Directories for databases. They must lie on a disk: on a memory file system a sync costs nothing. */

import { existsSync, mkdtempSync, rmSync, statfsSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

const MEMORY_FILE_SYSTEMS = new Map([
  [0x01021994, "tmpfs"],
  [0x858458f6, "ramfs"],
]);

export function makeScratchDirectory(purpose: string, parent = diskDirectory()): string {
  return mkdtempSync(path.join(parent, `throughline-bench-${purpose}-`));
}

export function removeScratchDirectory(directory: string): void {
  rmSync(directory, { recursive: true, force: true });
}

function diskDirectory(): string {
  const candidates = [tmpdir(), "/var/tmp"];
  const onDisk = candidates.find(
    (directory) => existsSync(directory) && !MEMORY_FILE_SYSTEMS.has(statfsSync(directory).type),
  );
  if (onDisk === undefined) {
    throw new Error(
      `None of ${candidates.join(", ")} lies on a disk. Set TMPDIR to a directory that does.`,
    );
  }
  return onDisk;
}
