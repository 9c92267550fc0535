/**
 * `.throughline/security.log`: who came in and who was turned away, a line of JSON each, for nobody but the owner of the
 * workspace to read. When it has grown to its size it becomes `security.log.1`, in the place of the one before.
 */

import { appendFileSync, chmodSync, renameSync, statSync } from "node:fs";
import path from "node:path";
import type { SecurityEntry } from "../surfaces/http/security-log.ts";

export const SECURITY_LOG = "security.log";
const MAX_BYTES = 10 * 1024 ** 2;

export interface SecurityLog {
  append(entry: SecurityEntry): void;
}

/** A disk that is full keeps nobody out and lets nobody in: it is told once, until a line can be written again. */
export function openSecurityLog(
  folder: string,
  onTrouble: (error: unknown) => void,
  maxBytes = MAX_BYTES,
): SecurityLog {
  const file = path.join(folder, SECURITY_LOG);
  let isInTrouble = false;
  return {
    append(entry) {
      try {
        makeRoom(file, maxBytes);
        appendFileSync(file, `${JSON.stringify(entry)}\n`, { mode: 0o600 });
        isInTrouble = false;
      } catch (error) {
        if (!isInTrouble) onTrouble(error);
        isInTrouble = true;
      }
    },
  };
}

function makeRoom(file: string, maxBytes: number): void {
  const stats = statSync(file, { throwIfNoEntry: false });
  if (stats === undefined) return;
  if ((stats.mode & 0o077) !== 0 && process.platform !== "win32") chmodSync(file, 0o600);
  if (stats.size >= maxBytes) renameSync(file, `${file}.1`);
}
