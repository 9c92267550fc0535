/** A run that is cancelled takes its open tasks along: nobody works on them any more. */

import type { RunEnding } from "../../../kernel/run/handler.ts";
import { query, writeSql } from "../../../kernel/store/database-work.ts";
import { sqlText } from "../../../kernel/store/sql-text.ts";
import { moveTasks } from "./move-task.ts";
import { PIPELINE } from "./run-input.ts";
import { running } from "./run-tables.ts";

export const pipelineEnding: RunEnding = {
  method: PIPELINE,
  *apply({ id, now }) {
    const open = yield* query(
      running
        .selectFrom("step_visit")
        .select("id")
        .where("run_id", "=", id)
        .where("is_routed", "=", 0)
        .where("kind", "<>", "start"),
    );
    if (open.length === 0) return;
    yield* writeSql(DROP_OPEN, [id]);
    yield* moveTasks(
      open.map((visit) => ({ id: visit.id, status: "cancelled" })),
      now,
    );
  },
};

const DROP_OPEN = sqlText(
  "update step_visit set is_routed = 1, is_dropped = 1 where run_id = ? and is_routed = 0",
);
