/**
 * A lock among processes of one machine: an open write transaction on a database of its own. The operating system
 * lets go of it when its process dies, so nobody has to judge whether a lock is stale.
 */

import { DatabaseSync } from "node:sqlite";
import { ProductError } from "../../kernel/base/errors.ts";
import { isBusy } from "../../kernel/store/store-errors.ts";

const PAUSE_MS = 25;

export interface LockWait {
  readonly sleep: (ms: number) => Promise<void>;
  readonly elapsed: () => number;
  readonly patienceMs: number;
}

/** Throws `repository_busy` when the lock cannot be had in time. */
export async function holdLock<Result>(
  file: string,
  { sleep, elapsed, patienceMs }: LockWait,
  work: () => Promise<Result>,
): Promise<Result> {
  const until = elapsed() + patienceMs;
  for (;;) {
    const database = tryLock(file);
    if (database !== undefined) {
      try {
        return await work();
      } finally {
        database.exec("rollback");
        database.close();
      }
    }
    if (elapsed() > until) throw busy(file);
    await sleep(PAUSE_MS);
  }
}

function tryLock(file: string): DatabaseSync | undefined {
  const database = new DatabaseSync(file, { timeout: 0 });
  try {
    database.exec("pragma journal_mode = memory; begin exclusive");
    return database;
  } catch (error) {
    database.close();
    if (isBusy(error)) return undefined;
    throw error;
  }
}

function busy(file: string): ProductError {
  return new ProductError("repository_busy", "Somebody else is writing to this repository.", {
    kind: "conflict",
    hint: "Try again when they are done.",
    details: { file },
  });
}
