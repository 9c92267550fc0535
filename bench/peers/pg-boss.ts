/**
 * pg-boss alone: a queue, no engine. Each step is one message and one application transaction that
 * stores the payload, sends what follows and completes the message.
 *
 * Lanes fetch in a loop of their own: `work()` waits for a poll interval between messages.
 */

import { setTimeout as sleep } from "node:timers/promises";
import { Pool } from "pg";
import { type Job, PgBoss } from "pg-boss";
import {
  type Check,
  PAYLOAD,
  type PostgresSubject,
  range,
  type Shape,
  stepCount,
} from "../subject.ts";

const SCHEMA = `
  create table step (
    run integer not null,
    position integer not null,
    role text not null,
    payload text not null,
    primary key (run, position)
  );
  create table batch (run integer primary key, remaining integer not null);
`;
const QUEUE = "step";
const LANES = 8;

interface Step {
  readonly run: number;
  readonly position: number;
  readonly role: "line" | "open" | "child" | "join";
}

export const subjects = [
  {
    name: "pg-boss",
    storage: "postgres",
    async run(shape, { databaseUrl, time }) {
      const pool = new Pool({ connectionString: databaseUrl, max: LANES });
      const boss = new PgBoss({ connectionString: databaseUrl, schedule: false });
      boss.on("error", console.error);
      await pool.query(SCHEMA);
      await boss.start();
      await boss.createQueue(QUEUE);
      const timing = await time(() => work(boss, pool, shape));
      const checks = await readChecks(pool, shape);
      await boss.stop({ graceful: false });
      await pool.end();
      return { ...timing, steps: stepCount(shape), checks };
    },
  },
] as const satisfies readonly PostgresSubject[];

async function work(boss: PgBoss, pool: Pool, shape: Shape): Promise<void> {
  const first: Step[] =
    shape.kind === "fan"
      ? [{ run: 0, position: 0, role: "open" }]
      : range(shape.runs).map((run) => ({ run, position: 0, role: "line" }));
  await boss.insert(
    QUEUE,
    first.map((data) => ({ data })),
  );

  let left = stepCount(shape) + (shape.kind === "fan" ? 2 : 0);
  const lane = async () => {
    while (left > 0) {
      const [job] = await boss.fetch<Step>(QUEUE, { batchSize: 1 });
      if (job === undefined) {
        await sleep(2);
        continue;
      }
      await perform(boss, pool, shape, job);
      left -= 1;
    }
  };
  const lanes = shape.kind === "sequences" ? Math.min(shape.runs, LANES) : LANES;
  await Promise.all(range(lanes).map(lane));
}

async function perform(boss: PgBoss, pool: Pool, shape: Shape, job: Job<Step>): Promise<void> {
  const client = await pool.connect();
  const db = {
    executeSql: (text: string, values?: unknown[]) => client.query(text, values),
  };
  const send = (steps: readonly Step[]) =>
    boss.insert(
      QUEUE,
      steps.map((data) => ({ data })),
      { db },
    );
  const { run, position, role } = job.data;
  try {
    await client.query("begin");
    await client.query("insert into step (run, position, role, payload) values ($1, $2, $3, $4)", [
      run,
      position,
      role,
      PAYLOAD,
    ]);
    await boss.complete(QUEUE, job.id, null, { db });
    if (shape.kind === "sequences") {
      if (position + 1 < shape.stepsPerRun) await send([{ run, position: position + 1, role }]);
    } else if (role === "open") {
      await client.query("insert into batch (run, remaining) values ($1, $2)", [
        run,
        shape.children,
      ]);
      await send(
        range(shape.children).map((child) => ({ run, position: child + 1, role: "child" })),
      );
    } else if (role === "child") {
      const { rows } = await client.query<{ remaining: number }>(
        "update batch set remaining = remaining - 1 where run = $1 returning remaining",
        [run],
      );
      if (rows[0]?.remaining === 0)
        await send([{ run, position: shape.children + 1, role: "join" }]);
    }
    await client.query("commit");
    client.release();
  } catch (error) {
    client.release(true);
    throw error;
  }
}

async function readChecks(pool: Pool, shape: Shape): Promise<Check[]> {
  const count = async (from: string, values: unknown[] = []): Promise<number> =>
    (await pool.query<{ n: number }>(`select count(*)::int as n from ${from}`, values)).rows[0]
      ?.n ?? -1;
  const role = shape.kind === "fan" ? "child" : "line";
  const messages = stepCount(shape) + (shape.kind === "fan" ? 2 : 0);
  return [
    {
      name: "steps stored with their payload",
      expected: stepCount(shape),
      found: await count("step where role = $1 and payload = $2", [role, PAYLOAD]),
    },
    {
      name: "messages completed",
      expected: messages,
      found: await count("pgboss.job where name = $1 and state = 'completed'", [QUEUE]),
    },
    {
      name: "messages in all",
      expected: messages,
      found: await count("pgboss.job where name = $1", [QUEUE]),
    },
    ...(shape.kind === "fan"
      ? [{ name: "joins", expected: 1, found: await count("step where role = 'join'") }]
      : []),
  ];
}
