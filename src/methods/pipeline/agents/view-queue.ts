/**
 * The queue of a worker that is limited to a saved view: it sees no jobs but those of tasks taken up under that view.
 * They are not announced to others either. A worker without a view finds them all the same once they have been ready
 * for a while, so that work goes on when the last worker of a view is gone.
 */

import type { EngineTools } from "../../../kernel/run/engine-transaction.ts";
import type { Delivery, Queue, QueueMessage } from "../../../kernel/run/queue.ts";
import { type DatabaseWork, query, runSql } from "../../../kernel/store/database-work.ts";
import { sqlText } from "../../../kernel/store/sql-text.ts";
import { starters } from "../starters/starter-tables.ts";

export function viewQueue(base: Queue, view: string): Queue {
  return {
    ...base,
    *enqueue(messages, now) {
      const own = yield* ownAmong(messages, view);
      yield* base.enqueue(
        messages.filter(({ jobId }) => !own.has(jobId)),
        now,
      );
    },
    *claim(lane, count, now) {
      const rows = yield* runSql<{ id: string }>(LIST_OWN, [view, lane, now, count]);
      return rows.map(({ id }): Delivery => ({ jobId: id, message: null, lane }));
    },
  };
}

/** For the first job of a run, which nobody could know yet to be of the view. */
export function unannounced(engine: EngineTools): EngineTools {
  return { ...engine, queue: { ...engine.queue, *enqueue() {} } };
}

function* ownAmong(
  messages: readonly QueueMessage[],
  view: string,
): DatabaseWork<ReadonlySet<string>> {
  if (messages.length === 0) return new Set();
  const rows = yield* query(
    starters
      .selectFrom("job")
      .innerJoin("agent_run", "agent_run.run_id", "job.run_id")
      .select("job.id")
      .where("agent_run.view", "=", view)
      .where(
        "job.id",
        "in",
        messages.map(({ jobId }) => jobId),
      ),
  );
  return new Set(rows.map(({ id }) => id));
}

const LIST_OWN = sqlText(
  `select job.id from job join agent_run on agent_run.run_id = job.run_id
   where agent_run.view = ? and job.state = 'ready' and job.lane = ? and job.run_at <= ?
   order by job.priority, job.run_at, job.id limit ?`,
);
