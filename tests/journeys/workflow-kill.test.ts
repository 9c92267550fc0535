import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import path from "node:path";
import { describe, type TestContext, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { openPgBossQueue } from "../../src/adapters/pg-boss-queue/pg-boss-queue.ts";
import { systemClock } from "../../src/kernel/base/clock.ts";
import { createIdSource } from "../../src/kernel/base/ids.ts";
import type { JsonObject } from "../../src/kernel/base/json.ts";
import { answerWait } from "../../src/kernel/run/answer-wait.ts";
import type { EngineTools } from "../../src/kernel/run/engine-transaction.ts";
import { createHandlerRegistry } from "../../src/kernel/run/handler.ts";
import { localQueue } from "../../src/kernel/run/local-queue.ts";
import type { Queue } from "../../src/kernel/run/queue.ts";
import { executeSql } from "../../src/kernel/store/database-work.ts";
import { engineTables } from "../../src/kernel/store/engine-migration.ts";
import { nounTables } from "../../src/kernel/store/noun-migration.ts";
import { searchTables } from "../../src/kernel/store/search-migration.ts";
import { sqlText } from "../../src/kernel/store/sql-text.ts";
import type { Store } from "../../src/kernel/store/store.ts";
import { insertUser } from "../../src/kernel/store/users.ts";
import { workflowTables } from "../../src/methods/pipeline/catalogue/workflow-migration.ts";
import { insertWorkflow } from "../../src/methods/pipeline/catalogue/workflow-versions.ts";
import { pipelineEnding } from "../../src/methods/pipeline/running/end-tasks.ts";
import {
  pipelineEffects,
  pipelineHandlers,
} from "../../src/methods/pipeline/running/pipeline-handlers.ts";
import { workflowRunTables } from "../../src/methods/pipeline/running/run-migration.ts";
import { startWorkflow } from "../../src/methods/pipeline/running/start-workflow.ts";
import { auditWorkflows } from "../../src/methods/pipeline/running/workflow-audit.suite.ts";
import { rowsOf } from "../scratch/engine-audit.ts";
import { builtInLibrary } from "../scratch/scratch-kernel.ts";
import { scratchPostgres, scratchSqlite } from "../scratch/scratch-store.ts";

/** `KILLS=100` gives the full figure. */
const KILLS = Number(process.env["KILLS"] ?? 5);
const TABLES = [engineTables, nounTables, searchTables, workflowTables, workflowRunTables];
const library = builtInLibrary();

/** Each with the tasks that one of its runs makes, by step. */
const WORKFLOWS = {
  "Fan out": {
    source: `graph TD
      A[Plan] --> C[[Each: Part]]
      C --> R[Read]
      R --> W[Write]
      W --> D[Join Parts]
      D --> E[Report]
    %% @C: {"stepType": "foreach", "itemsPath": "run.input.parts", "concurrency": 20}
    %% @E: {"prompt": "Report {{output.counts.completed}}."}
    `,
    input: { parts: Array.from({ length: 60 }, (_, index) => `part ${index}`) },
    tasks: { A: 1, C: 1, R: 60, W: 60, D: 1, E: 1 },
  },
  Branches: {
    source: `graph TD
      A[Fork] --> B[Left]
      A --> C[Middle]
      A --> F[Right]
      B --> D[Join All]
      C --> D
      F --> D
      D --> E[End]
    `,
    input: {},
    tasks: { A: 1, B: 1, C: 1, F: 1, D: 1, E: 1 },
  },
  Caller: {
    source: `graph TD
      A[Begin] --> S[(Run: Branches)]
      S --> E[End]
    %% @S: {"stepType": "subflow", "subflowId": "Branches"}
    `,
    input: {},
    tasks: { A: 1, S: 1, E: 1 },
  },
  People: {
    source: `graph TD
      A[Begin] --> C[[Each: Part]]
      C --> M[Sign]
      M --> D[Join Parts]
      D --> N[Approve]
      N --> E[End]
    %% @C: {"stepType": "foreach", "itemsPath": "run.input.parts"}
    %% @M: {"execution": "manual", "prompt": "Sign {{item}}."}
    %% @N: {"execution": "manual", "prompt": "Approve."}
    `,
    input: { parts: [1, 2, 3, 4, 5] },
    tasks: { A: 1, C: 1, M: 5, D: 1, N: 1, E: 1 },
  },
} as const;
type Name = keyof typeof WORKFLOWS;
const RUNS: Readonly<Record<Name, number>> = { "Fan out": 6, Branches: 12, Caller: 12, People: 6 };

describe("workflows whose workers are killed", () => {
  test(`embedded: kill -9 at ${KILLS} random instants of fan-out, join, subflow and human wait loses nothing and doubles nothing`, async (t) => {
    const { store, folder, remove } = await scratchSqlite(TABLES);
    t.after(remove);
    const tools = toolsFor(localQueue);
    await plan(store, tools);
    const start = () => work(["sqlite", path.join(folder, "workspace.db")]);

    const killing = await killUntilDone(start, store, tools, 1);

    await assertWhole(t, store, killing);
  });

  test(`two PostgreSQL workers with pg-boss: kill -9 at ${KILLS} random instants loses nothing and doubles nothing`, async (t) => {
    const { store, url, remove } = await scratchPostgres(TABLES);
    const queueSchema = `${store.schema}_q`;
    const queue = await openPgBossQueue({
      connectionString: url,
      schema: queueSchema,
      onTrouble: () => undefined,
    });
    t.after(async () => {
      await queue.close();
      await store.write(() => executeSql(sqlText(`drop schema ${queueSchema} cascade`), []));
      await remove();
    });
    const tools = toolsFor(queue);
    await plan(store, tools);
    const start = () => work(["postgres", url, store.schema]);

    const killing = await killUntilDone(start, store, tools, 2);

    await assertWhole(t, store, killing);
  });
});

function toolsFor(queue: Queue): EngineTools {
  const ids = createIdSource(systemClock);
  const nextId = () => ids.next();
  const handlers = createHandlerRegistry(pipelineHandlers(library, nextId), pipelineEffects, [
    pipelineEnding,
  ]);
  return { queue, handlers, nextId, costOf: () => 0 };
}

async function plan(store: Store, tools: EngineTools): Promise<void> {
  const act = { actor: "admin", now: systemClock.now() };
  await store.write(function* () {
    yield* insertUser({ id: "admin", displayName: "admin", role: "admin" }, act);
    for (const [name, { source }] of Object.entries(WORKFLOWS)) {
      const version = { source, isDraft: false, summary: "" };
      yield* insertWorkflow({ id: tools.nextId(), name, description: "" }, version, act);
    }
  });
  const names = Object.keys(WORKFLOWS) as Name[];
  for (const name of names) {
    for (let count = 0; count < RUNS[name]; count += 1) {
      const request = {
        workflow: name,
        input: WORKFLOWS[name].input as unknown as JsonObject,
        model: "rehearsal/rehearsal",
      };
      const viewer = { userId: "admin", role: "admin" } as const;
      await store.write(() => startWorkflow(tools, request, { library, viewer }, act));
    }
  }
}

interface Worker {
  readonly child: ChildProcess;
  readonly ready: Promise<void>;
}

function work(args: readonly string[]): Worker {
  const script = path.join(import.meta.dirname, "..", "scratch", "workflow-worker.ts");
  const child = spawn(process.execPath, [script, ...args], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ready = new Promise<void>((resolve) => {
    child.stdout.once("data", () => resolve());
    child.once("exit", () => resolve());
  });
  return { child, ready };
}

interface Killing {
  readonly kills: number;
  readonly answered: number;
}

/** Kills one worker after the other; meanwhile somebody answers what stands in the inbox, a little at a time. */
async function killUntilDone(
  start: () => Worker,
  store: Store,
  tools: EngineTools,
  count: number,
): Promise<Killing> {
  const workers = Array.from({ length: count }, start);
  let kills = 0;
  let answered = 0;
  while ((await openRuns(store)) > 0) {
    const position = kills % workers.length;
    const victim = workers[position] ?? assert.fail();
    await victim.ready;
    await sleep(Math.random() * 400);
    answered += await answerSome(store, tools, kills < KILLS ? 3 : 100);
    if (kills >= KILLS) continue;
    victim.child.kill("SIGKILL");
    await ended(victim.child);
    workers[position] = start();
    kills += 1;
  }
  await Promise.all(workers.map(({ child }) => ended(child)));
  return { kills, answered };
}

async function answerSome(store: Store, tools: EngineTools, most: number): Promise<number> {
  const waits = await rowsOf<{ id: string; kind: string }>(
    store,
    "select id, kind from wait where state = 'open' order by id limit ?",
    [most],
  );
  for (const { id, kind } of waits) {
    assert.equal(kind, "pipeline.manual", "nobody is asked anything but what the workflow asks");
    const answer = { choice: "complete", fields: { output: "signed" } };
    await store.write(() => answerWait(tools, id, { answer, by: "admin" }, systemClock.now()));
  }
  return waits.length;
}

function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  return new Promise((resolve) => child.once("exit", () => resolve()));
}

async function openRuns(store: Store): Promise<number> {
  const [row] = await rowsOf<{ n: number }>(
    store,
    "select count(*) as n from run where state not in ('completed','failed','cancelled')",
  );
  return row?.n ?? 0;
}

/** Every run is completed and has made exactly the tasks it should, each of them completed. */
async function assertWhole(t: TestContext, store: Store, killing: Killing): Promise<void> {
  const runs = await rowsOf<{ id: string; title: Name; state: string }>(
    store,
    "select id, title, state from run order by id",
  );
  const wanted = { ...RUNS, Branches: RUNS.Branches + RUNS.Caller };
  for (const [name, count] of Object.entries(wanted)) {
    assert.equal(runs.filter(({ title }) => title === name).length, count, `runs of ${name}`);
  }
  const tasks = await rowsOf<{ run_id: string; stage: string; status: string; n: number }>(
    store,
    "select run_id, stage, status, count(*) as n from task group by run_id, stage, status",
  );
  for (const { id, title, state } of runs) {
    assert.equal(state, "completed");
    const made = tasks.filter(({ run_id }) => run_id === id);
    assert(made.every(({ status }) => status === "completed"));
    const counts = Object.fromEntries(made.map(({ stage, n }) => [stage, n]));
    // A foreach's container stands beside its items.
    assert.deepEqual(counts, WORKFLOWS[title].tasks, `tasks of ${title} ${id}`);
  }
  await auditWorkflows(store);
  const [lost] = await rowsOf<{ n: number }>(
    store,
    "select count(*) as n from answer where outcome = 'lost'",
  );
  t.diagnostic(
    `${killing.kills} kills, ${runs.length} runs, ${killing.answered} answers of people, ${lost?.n ?? 0} calls lost and done again`,
  );
}
