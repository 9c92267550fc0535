/**
 * DBOS, workflows started in this process (faster than through its queues) with its default pool.
 * The fan is 1,000 parallel steps of one workflow: as 1,000 child workflows, the form that other
 * processes could share, it was three times slower here.
 */

import { DBOS } from "@dbos-inc/dbos-sdk";
import { Client } from "pg";
import {
  type Check,
  PAYLOAD,
  type PostgresSubject,
  range,
  type Shape,
  stepCount,
} from "../subject.ts";

const store = async () => PAYLOAD;

const line = DBOS.registerWorkflow(
  async (steps: number) => {
    for (const position of range(steps)) await DBOS.runStep(store, { name: `step-${position}` });
    return steps;
  },
  { name: "line" },
);

const fan = DBOS.registerWorkflow(
  async (children: number) => {
    const done = await Promise.all(
      range(children).map((child) => DBOS.runStep(store, { name: `child-${child}` })),
    );
    return DBOS.runStep(async () => done.length, { name: "join" });
  },
  { name: "fan" },
);

export const subjects = [
  {
    name: "dbos",
    storage: "postgres",
    async run(shape, { databaseUrl, time }) {
      DBOS.setConfig({ name: "bench", systemDatabaseUrl: databaseUrl, logLevel: "error" });
      await DBOS.launch();
      const timing = await time(() => work(shape));
      await DBOS.shutdown();
      return { ...timing, steps: stepCount(shape), checks: await readChecks(databaseUrl, shape) };
    },
  },
] as const satisfies readonly PostgresSubject[];

async function work(shape: Shape): Promise<void> {
  if (shape.kind === "fan") {
    await fan(shape.children);
    return;
  }
  await Promise.all(
    range(shape.runs).map(async () => {
      const handle = await DBOS.startWorkflow(line)(shape.stepsPerRun);
      await handle.getResult();
    }),
  );
}

async function readChecks(databaseUrl: string, shape: Shape): Promise<Check[]> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  const count = async (from: string): Promise<number> =>
    (await client.query<{ n: number }>(`select count(*)::int as n from ${from}`)).rows[0]?.n ?? -1;
  const stored = (prefix: string) =>
    `dbos.operation_outputs where function_name like '${prefix}%' and output like '%${PAYLOAD}%'`;
  try {
    return [
      {
        name: "steps stored with their payload",
        expected: stepCount(shape),
        found: await count(stored(shape.kind === "fan" ? "child-" : "step-")),
      },
      {
        name: "workflows succeeded",
        expected: shape.kind === "fan" ? 1 : shape.runs,
        found: await count("dbos.workflow_status where status = 'SUCCESS'"),
      },
      ...(shape.kind === "fan"
        ? [
            {
              name: "joins",
              expected: 1,
              found: await count("dbos.operation_outputs where function_name = 'join'"),
            },
          ]
        : []),
    ];
  } finally {
    await client.end();
  }
}
