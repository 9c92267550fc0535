/** Makes a check and the write that follows from it one step: one transaction at a time per name, until commit. */

import { type DatabaseWork, runSql } from "./database-work.ts";

export function* lockName(name: string): DatabaseWork<void> {
  yield* runSql(LOCK_NAME, [name]);
}

const LOCK_NAME = {
  // SQLite has one writer at a time: nothing to lock.
  sqlite: "select 1 where ? is null",
  postgres: "select pg_advisory_xact_lock(hashtextextended($1, 73))",
};
