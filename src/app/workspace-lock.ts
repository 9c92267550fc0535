/**
 * One engine per embedded workspace. The lock is an open write transaction on a database of its own: the operating
 * system lets go of it when its process dies, so no clock and no process id has to be trusted.
 */

import { readFileSync, rmSync } from "node:fs";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { ProductError } from "../kernel/base/errors.ts";
import { isJsonObject } from "../kernel/base/json.ts";
import { parseJson } from "../kernel/base/safe-json.ts";
import { isBusy } from "../kernel/store/store-errors.ts";

export interface WorkspaceLock {
  release(): void;
}

/** Undefined when another process holds it. Answers at once. */
export function tryLock(folder: string): WorkspaceLock | undefined {
  const file = path.join(folder, "engine.lock");
  const database = new DatabaseSync(file, { timeout: 0 });
  try {
    database.exec("pragma journal_mode = delete");
    database.exec("begin exclusive");
  } catch (error) {
    database.close();
    if (isBusy(error)) return undefined;
    throw error;
  }
  return {
    release: () => {
      database.exec("rollback");
      database.close();
      rmSync(`${file}-journal`, { force: true });
    },
  };
}

export function lockOrRefuse(folder: string): WorkspaceLock {
  const lock = tryLock(folder);
  if (lock) return lock;
  const processId = findServer(folder);
  throw new ProductError(
    "workspace_in_use",
    `Another process${processId === undefined ? "" : ` (${processId})`} already runs the workspace in ${folder}.`,
    {
      kind: "conflict",
      hint: "Use that one (`throughline open` prints its address), or stop it first; one that stands still has it, too.",
      details: { processId },
    },
  );
}

/** Only to be shown: the lock, not this, says that somebody is there. */
function findServer(folder: string): number | undefined {
  try {
    const address = parseJson(readFileSync(path.join(folder, "server.json"), "utf8"));
    return isJsonObject(address) && typeof address["processId"] === "number"
      ? address["processId"]
      : undefined;
  } catch {
    return undefined;
  }
}
