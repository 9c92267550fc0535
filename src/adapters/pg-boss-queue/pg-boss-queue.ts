/**
 * The queue for many machines: pg-boss, sending, fetching and deleting inside our own transactions.
 *
 * Each lane is a pg-boss queue. A message is fetched in the transaction that leases its job and deleted in the one
 * that settles it, so a worker that dies leaves at most a message whose job says otherwise, and that is dropped.
 */

import { PgBoss } from "pg-boss";
import type { Delivery, Queue, QueueMessage } from "../../kernel/run/queue.ts";
import {
  type DatabaseWork,
  performOutside,
  runSql,
  sendOutside,
  type TransactionSql,
} from "../../kernel/store/database-work.ts";
import { sqlText } from "../../kernel/store/sql-text.ts";

export interface PgBossQueueOptions {
  readonly connectionString: string;
  /** pg-boss keeps its tables here. */
  readonly schema: string;
  onTrouble(error: unknown): void;
}

export interface PgBossQueue extends Queue {
  close(): Promise<void>;
}

export async function openPgBossQueue(options: PgBossQueueOptions): Promise<PgBossQueue> {
  const boss = new PgBoss({
    connectionString: options.connectionString,
    schema: options.schema,
    max: 3,
    schedule: false,
    application_name: "throughline-queue",
  });
  boss.on("error", (error) => options.onTrouble(error));
  await boss.start();
  const queues = new Map<string, Promise<string>>();
  const lookedAt = new Map<string, number>();

  const queueOf = (lane: string): Promise<string> => {
    const known = queues.get(lane);
    if (known) return known;
    const made = createQueue(boss, lane);
    queues.set(lane, made);
    // A failure must not be remembered as the answer.
    made.catch(() => queues.delete(lane));
    return made;
  };

  return {
    *enqueue(messages, now) {
      for (const [lane, group] of byLane(messages)) {
        yield* sendOutside(async (db) =>
          boss.insert(
            await queueOf(lane),
            group.map((message) => toInsert(message, now)),
            { db },
          ),
        );
      }
    },
    *claim(lane, count, now) {
      const fetched = yield* performOutside((db) => fetch(boss, queueOf(lane), lane, count, db));
      if (fetched.length > 0 || now - (lookedAt.get(lane) ?? 0) < LOST_AFTER_MS) return fetched;
      lookedAt.set(lane, now);
      return yield* listLost(lane, count, now);
    },
    *heartbeat() {
      // The job's lease is the heartbeat; the message is only deleted or overtaken.
    },
    *settle(deliveries) {
      for (const [lane, group] of byLane(deliveries)) {
        const ids = group.flatMap(({ message }) => message ?? []);
        if (ids.length === 0) continue;
        yield* sendOutside(async (db) => boss.deleteJob(await queueOf(lane), ids, { db }));
      }
    },
    *cancel() {
      // Whoever fetches the message finds that its job is not ready and drops it.
    },
    close: () => boss.stop({ graceful: false }),
  };
}

/** A job that has been ready this long while its queue was empty was never announced, or its message was lost. */
const LOST_AFTER_MS = 5000;
const A_DAY = 86_400;
const TEN_YEARS = 3650 * A_DAY;

const LIST_LOST = sqlText(
  "select id from job where state = 'ready' and lane = ? and run_at <= ? order by priority, run_at, id limit ?",
);

function* listLost(lane: string, count: number, now: number): DatabaseWork<readonly Delivery[]> {
  const rows = yield* runSql<{ id: string }>(LIST_LOST, [lane, now - LOST_AFTER_MS, count]);
  return rows.map(({ id }) => ({ jobId: id, message: null, lane }));
}

async function createQueue(boss: PgBoss, lane: string): Promise<string> {
  const name = queueName(lane);
  await boss.createQueue(name, {
    expireInSeconds: A_DAY - 1,
    retentionSeconds: TEN_YEARS,
    deleteAfterSeconds: A_DAY,
    retryLimit: 1000,
  });
  return name;
}

/** Lane names are free text; queue names are not. */
function queueName(lane: string): string {
  const safe = lane.replaceAll(
    /[^A-Za-z0-9-]/g,
    (character) => `_${character.codePointAt(0)?.toString(16)}_`,
  );
  return `lane-${safe}`;
}

function toInsert({ jobId, priority, runAt }: QueueMessage, now: number) {
  return {
    data: { jobId },
    priority: -priority,
    // As a delay, because the database's clock is not ours.
    ...(runAt > now ? { startAfter: (runAt - now) / 1000 } : {}),
  };
}

async function fetch(
  boss: PgBoss,
  queue: Promise<string>,
  lane: string,
  count: number,
  db: TransactionSql,
): Promise<readonly Delivery[]> {
  const name = await queue;
  const messages = await boss.fetch<{ jobId: string }>(name, { batchSize: count, db });
  const deliveries = new Map<string, Delivery>();
  const doubled: string[] = [];
  for (const { id, data } of messages) {
    if (deliveries.has(data.jobId)) doubled.push(id);
    else deliveries.set(data.jobId, { jobId: data.jobId, message: id, lane });
  }
  if (doubled.length > 0) await boss.deleteJob(name, doubled, { db });
  return [...deliveries.values()];
}

function byLane<Item extends { readonly lane: string }>(
  items: readonly Item[],
): Map<string, Item[]> {
  const lanes = new Map<string, Item[]>();
  for (const item of items) {
    const group = lanes.get(item.lane);
    if (group) group.push(item);
    else lanes.set(item.lane, [item]);
  }
  return lanes;
}
