/**
 * openworkflow on SQLite (node:sqlite, WAL, FULL) and on PostgreSQL, one worker in this process.
 *
 * It allows 1,000 steps a run, so the fan has 999 children and a join, with no opening step. They are
 * parallel steps of one workflow: as child workflows, the form that other workers could share, it was
 * four times slower here on SQLite and eight times on PostgreSQL.
 *
 * Time ends with the last run's own `finishedAt`, because `result()` polls once a second.
 */

import path from "node:path";
import { OpenWorkflow, type OpenWorkflowOptions } from "openworkflow";
import { BackendPostgres } from "openworkflow/postgres";
import { BackendSqlite } from "openworkflow/sqlite";
import {
  type Check,
  type EmbeddedSubject,
  PAYLOAD,
  type PostgresSubject,
  type Result,
  range,
  type Shape,
  type Stopwatch,
  stepCount,
} from "../subject.ts";

type Backend = OpenWorkflowOptions["backend"];

const STEP_LIMIT = 1000;
const CONCURRENCY = 100;

export const subjects = [
  {
    name: "openworkflow-sqlite",
    storage: "sqlite",
    run: (shape, { directory, time }) =>
      measure(BackendSqlite.connect(path.join(directory, "openworkflow.db")), shape, time),
  },
  {
    name: "openworkflow-postgres",
    storage: "postgres",
    run: async (shape, { databaseUrl, time }) =>
      measure(await BackendPostgres.connect(databaseUrl), shape, time),
  },
] as const satisfies readonly (EmbeddedSubject | PostgresSubject)[];

async function measure(backend: Backend, shape: Shape, time: Stopwatch): Promise<Result> {
  const runs = shape.kind === "fan" ? 1 : shape.runs;
  const steps = shape.kind === "fan" ? Math.min(shape.children, STEP_LIMIT - 1) : stepCount(shape);
  const engine = new OpenWorkflow({ backend });
  const workflow = engine.defineWorkflow<undefined, number>({ name: "bench" }, async ({ step }) => {
    if (shape.kind === "sequences") {
      for (const position of range(shape.stepsPerRun)) {
        await step.run({ name: `step-${position}` }, () => PAYLOAD);
      }
      return shape.stepsPerRun;
    }
    const done = await Promise.all(
      range(steps).map((child) => step.run({ name: `child-${child}` }, () => PAYLOAD)),
    );
    return step.run({ name: "join" }, () => done.length);
  });
  const worker = engine.newWorker({ concurrency: runs === 1 ? 1 : CONCURRENCY });

  const ids: string[] = [];
  let started = 0;
  const { fsyncs } = await time(async () => {
    started = Date.now();
    const handles = await Promise.all(range(runs).map(() => workflow.run()));
    ids.push(...handles.map(({ workflowRun }) => workflowRun.id));
    await worker.start();
    await Promise.all(handles.map((handle) => handle.result()));
  });
  const finished = await Promise.all(ids.map((id) => finishedAt(backend, id)));
  const checks = await readChecks(backend, ids, shape, steps);
  await worker.stop();
  await backend.stop();
  return {
    steps,
    seconds: (Math.max(...finished) - started) / 1000,
    checks,
    ...(fsyncs === undefined ? {} : { fsyncs }),
  };
}

async function finishedAt(backend: Backend, workflowRunId: string): Promise<number> {
  const run = await backend.getWorkflowRun({ workflowRunId });
  if (run?.status !== "completed" || run.finishedAt === null) {
    throw new Error(`openworkflow run ${workflowRunId} is ${run?.status ?? "gone"}.`);
  }
  return run.finishedAt.getTime();
}

async function readChecks(
  backend: Backend,
  ids: readonly string[],
  shape: Shape,
  steps: number,
): Promise<Check[]> {
  const counts = await backend.countWorkflowRuns();
  const attempts = (await Promise.all(ids.map((id) => listAttempts(backend, id)))).flat();
  const completed = attempts.filter(({ status }) => status === "completed");
  return [
    { name: "runs completed", expected: ids.length, found: counts.completed },
    {
      name: "steps stored with their payload",
      expected: steps,
      found: completed.filter(({ output }) => output === PAYLOAD).length,
    },
    {
      name: "step attempts in all",
      expected: steps + (shape.kind === "fan" ? 1 : 0),
      found: attempts.length,
    },
    ...(shape.kind === "fan"
      ? [
          {
            name: "joins of all children",
            expected: 1,
            found: completed.filter(
              ({ stepName, output }) => stepName === "join" && output === steps,
            ).length,
          },
        ]
      : []),
  ];
}

async function listAttempts(backend: Backend, workflowRunId: string) {
  const { data, pagination } = await backend.listStepAttempts({ workflowRunId, limit: STEP_LIMIT });
  if (pagination.next !== null) throw new Error("More step attempts than openworkflow allows.");
  return data;
}
