/** A workspace's database: SQLite in a file, or PostgreSQL. The same work runs on both. */

import type { DatabaseWork } from "./database-work.ts";

export type Dialect = "sqlite" | "postgres";

export interface Store {
  readonly dialect: Dialect;
  /** Where it is, without secrets, for people to read. */
  readonly location: string;
  /** Runs work on a consistent snapshot. Writing inside is refused. */
  read<Result>(work: () => DatabaseWork<Result>): Promise<Result>;
  /** Runs work in one transaction and resolves when it is durable. The work may run more than once. */
  write<Result>(work: () => DatabaseWork<Result>): Promise<Result>;
  /** For processes that write all day, where the database has something to get ready for them. */
  prepareForManyWrites?(): void;
  close(): Promise<void>;
}
