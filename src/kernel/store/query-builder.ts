/**
 * The query builder. It only builds: queries run when yielded from database work, compiled there for
 * the database at hand, so one query serves both. Write integers 0 and 1 for truth values.
 */

import {
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
} from "kysely";
import type { Tables } from "./tables.ts";

/**
 * Methods with tables of their own call `tablesOf<OwnTables>()` and get those beside the shared ones.
 * @public
 */
export function tablesOf<Own>(): Kysely<Tables & Own> {
  return builder as unknown as Kysely<Tables & Own>;
}

const builder = new Kysely<Tables>({
  dialect: {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (database) => new PostgresIntrospector(database),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  },
});

export const db: Kysely<Tables> = builder;
