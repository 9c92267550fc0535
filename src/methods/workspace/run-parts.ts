/** What belongs to one run the caller sees. */

import { sql } from "kysely";
import { withoutRedactedPassages } from "../../kernel/operation/redacted-view.ts";
import { type DatabaseWork, query } from "../../kernel/store/database-work.ts";
import { db } from "../../kernel/store/query-builder.ts";

const MOST_SHOWN = 100;

export function* listOpenWaits(runId: string, projectId: string | undefined) {
  const rows = yield* query(
    db
      .selectFrom("wait")
      .select(["id", "kind", "title", "assignee_id", "created_at"])
      .where("run_id", "=", runId)
      .where("state", "=", "open")
      .orderBy("created_at")
      .orderBy("id")
      .limit(MOST_SHOWN),
  );
  const waits = rows.map(({ id, kind, title, assignee_id, created_at }) => {
    return { id, kind, title, assigneeId: assignee_id ?? undefined, createdAt: created_at };
  });
  return yield* withoutRedactedPassages(waits, projectId);
}

/** A run that a run started belongs to the same project and person, so who sees one sees the other. */
export function* listChildRuns(runId: string, projectId: string | undefined) {
  const rows = yield* query(
    db
      .selectFrom("run")
      .select(["id", "title", "state"])
      .where("parent_run_id", "=", runId)
      .orderBy("created_at")
      .orderBy("id")
      .limit(MOST_SHOWN),
  );
  return yield* withoutRedactedPassages(rows, projectId);
}

export function* countChildRuns(runId: string): DatabaseWork<number> {
  const [row] = yield* query(
    db.selectFrom("run").select(sql<number>`count(*)`.as("n")).where("parent_run_id", "=", runId),
  );
  return row?.n ?? 0;
}

export type OwnedTable = "exchange" | "artifact" | "job" | "wait" | "effect" | "task";

export function* countOfRun(table: OwnedTable, runId: string): DatabaseWork<number> {
  const [row] = yield* query(
    db
      .selectFrom(table as "exchange")
      .select(sql<number>`count(*)`.as("n"))
      .where("run_id", "=", runId),
  );
  return row?.n ?? 0;
}
