/** The embedded queue: the job table itself, read through its index of ready jobs. */

import { runSql } from "../store/database-work.ts";
import { sqlText } from "../store/sql-text.ts";
import type { Delivery, Queue } from "./queue.ts";

const LIST_READY = sqlText(
  "select id from job where state = 'ready' and lane = ? and run_at <= ? order by priority, run_at, id limit ?",
);

export const localQueue: Queue = {
  *enqueue() {},
  *claim(lane, count, now) {
    const rows = yield* runSql<{ id: string }>(LIST_READY, [lane, now, count]);
    return rows.map(({ id }): Delivery => ({ jobId: id, message: null, lane }));
  },
  *heartbeat() {},
  *settle() {},
  *cancel() {},
};
