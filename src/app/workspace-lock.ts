/**
 * One engine per embedded workspace. The lock is an open write transaction on a database of its own: the operating
 * system lets go of it when its process dies, so no clock and no process id has to be trusted.
 */

import { rmSync } from "node:fs";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { ProductError } from "../kernel/base/errors.ts";
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
  throw new ProductError(
    "workspace_in_use",
    `Another process already runs the workspace in ${folder}.`,
    {
      kind: "conflict",
      hint: "Use that one (`throughline open` prints its address), or stop it first.",
    },
  );
}
