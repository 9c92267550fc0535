/** How many runs have more to do without anybody being asked. */

import { sql } from "kysely";
import { type DatabaseWork, query } from "../store/database-work.ts";
import { db } from "../store/query-builder.ts";

export function* countUnfinished(): DatabaseWork<number> {
  const [row] = yield* query(
    db
      .selectFrom("run")
      .select(sql<number>`count(*)`.as("n"))
      .where("state", "in", ["queued", "running"]),
  );
  return row?.n ?? 0;
}
