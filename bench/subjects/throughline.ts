/**
 * Our own engine, measured in whole turns: compile the prompt from parts, store it, let the rehearsal model answer,
 * read the answer by its contract, keep it, apply an effect, go on. The peers' steps store 200 bytes.
 */

import path from "node:path";
import * as z from "zod";
import { openPgBossQueue } from "../../src/adapters/pg-boss-queue/pg-boss-queue.ts";
import { systemClock } from "../../src/kernel/base/clock.ts";
import { createIdSource } from "../../src/kernel/base/ids.ts";
import { defineContract } from "../../src/kernel/contract/contract.ts";
import { createRehearsalModel } from "../../src/kernel/model/rehearsal-model.ts";
import { compilePrompt } from "../../src/kernel/prompt/compile-prompt.ts";
import type { Layout, Part } from "../../src/kernel/prompt/part.ts";
import type { NewRun } from "../../src/kernel/run/decision.ts";
import { startEngine } from "../../src/kernel/run/engine.ts";
import type { EngineTools } from "../../src/kernel/run/engine-transaction.ts";
import {
  createHandlerRegistry,
  type MoveHandler,
  type RunEnding,
  type TurnHandler,
} from "../../src/kernel/run/handler.ts";
import { localQueue } from "../../src/kernel/run/local-queue.ts";
import { startRun } from "../../src/kernel/run/start-run.ts";
import { turnPromptOf } from "../../src/kernel/run/turn-prompt.ts";
import { runSql } from "../../src/kernel/store/database-work.ts";
import { engineTables } from "../../src/kernel/store/engine-migration.ts";
import { migrate } from "../../src/kernel/store/migrate.ts";
import { openPostgres } from "../../src/kernel/store/postgres-store.ts";
import { sqlText } from "../../src/kernel/store/sql-text.ts";
import { openSqlite } from "../../src/kernel/store/sqlite-store.ts";
import type { Store } from "../../src/kernel/store/store.ts";
import {
  PAYLOAD,
  type Result,
  range,
  type Shape,
  type Stopwatch,
  type Subject,
  stepCount,
} from "../subject.ts";

export const subjects: readonly Subject[] = [
  {
    name: "throughline-sqlite",
    storage: "sqlite",
    run: async (shape, { directory, time }) => {
      const store = openSqlite({ path: path.join(directory, "workspace.db") });
      // As `serve` does when it starts.
      store.prepareForManyWrites();
      return measure(shape, time, store, benchWith(localQueue), async () => undefined);
    },
  },
  {
    name: "throughline-postgres",
    storage: "postgres",
    run: async (shape, { databaseUrl, time }) => {
      const store = openPostgres({ connectionString: databaseUrl });
      const queue = await openPgBossQueue({
        connectionString: databaseUrl,
        schema: "throughline_queue",
        onTrouble: fail,
      });
      return measure(shape, time, store, benchWith(queue), () => queue.close());
    },
  },
];

const CONCURRENCY = 100;
async function measure(
  shape: Shape,
  time: Stopwatch,
  store: Store,
  { tools, ended }: Bench,
  closeQueue: () => Promise<void>,
): Promise<Result> {
  await migrate(store, [engineTables], systemClock.now());
  const provider = createRehearsalModel(systemClock);
  let onCommit = (): void => undefined;
  const engine = startEngine({
    ...tools,
    store,
    clock: systemClock,
    models: {
      find: async () => ({ name: "rehearsal", provider, costOf: () => 0 }),
      list: async () => [],
      defaultModel: async () => "rehearsal/rehearsal",
      costOf: () => 0,
    },
    worker: "bench",
    concurrency: CONCURRENCY,
    random: Math.random,
    // Whoever waits for a run in the product looks when something was committed, too.
    onCommit: () => onCommit(),
    onTrouble: fail,
  });
  await engine.whenIdle();
  const timing = await time(async () => {
    const owner = { projectId: null, startedBy: "bench" };
    const runs = runsOf(shape);
    // As operations that start runs do: each wakes the engine for its own.
    const starts = runs.map(async (run) => {
      await store.write(() => startRun(tools, run, owner, systemClock.now()));
      engine.wake();
    });
    const allEnded = new Promise<void>((resolve, reject) => {
      onCommit = () => {
        if (ended.size < runs.length) return;
        count(store, "select count(*) as n from run where state <> 'completed'").then((open) => {
          if (open === 0) resolve();
        }, reject);
      };
    });
    await Promise.all([...starts, allEnded]);
  });
  const steps = stepCount(shape);
  const joins = shape.kind === "fan" ? 1 : 0;
  const checks = [
    {
      name: "runs completed",
      expected: runsOf(shape).length,
      found: await count(store, "select count(*) as n from run where state = 'completed'"),
    },
    {
      name: "effects",
      expected: steps + joins,
      found: await count(store, "select count(*) as n from effect"),
    },
    {
      name: "exchanges answered",
      expected: steps,
      found: await count(store, "select count(*) as n from answer where outcome = 'answered'"),
    },
    {
      name: "prompts kept",
      expected: steps,
      found: await count(store, "select count(*) as n from exchange"),
    },
    {
      name: "joins",
      expected: joins,
      found: await count(store, "select count(*) as n from effect where kind = 'bench.joined'"),
    },
  ];
  await engine.stop();
  await closeQueue();
  await store.close();
  return { steps, ...timing, checks };
}

function runsOf(shape: Shape): readonly NewRun[] {
  if (shape.kind === "fan") {
    const first = { key: "open", handler: "bench.open", input: { children: shape.children } };
    return [{ method: "bench", title: "fan", input: {}, jobs: [first] }];
  }
  return range(shape.runs).map((run) => ({
    method: "bench",
    title: `run ${run}`,
    input: {},
    jobs: [
      { key: "step0", handler: "bench.step", input: { index: 0, last: shape.stepsPerRun - 1 } },
    ],
  }));
}

const contract = defineContract({
  name: "bench.reply",
  schema: z.object({
    summary: z.string(),
    score: z.number().min(0).max(100),
    tags: z.array(z.string()).max(5),
  }),
});

const LAYOUT: Layout = {
  layers: [
    { id: "instructions", role: "system", stability: "fixed" },
    { id: "project", role: "user", stability: "project", heading: "# Project" },
    { id: "notes", role: "user", stability: "run", heading: "# Notes", list: "bulleted" },
    { id: "task", role: "user", stability: "turn", heading: "# Task" },
  ],
};

const INSTRUCTIONS =
  "You read one item of a project and summarise it for the people who work on it. ".repeat(8);

const step: TurnHandler = {
  kind: "turn",
  name: "bench.step",
  lane: () => "model:rehearsal",
  *compile(job) {
    const parts: Part[] = [
      {
        id: "instructions",
        layer: "instructions",
        order: 0,
        importance: "required",
        text: INSTRUCTIONS,
      },
      {
        id: "project",
        layer: "project",
        order: 0,
        importance: "required",
        text: "A small shop moves its billing to a new provider.",
      },
      ...range(5).map((index) => ({
        id: `note${index}`,
        layer: "notes",
        order: index,
        importance: 1,
        text: [
          {
            text: `Note ${index} of ${job.runId}: ${PAYLOAD}`,
            ref: { type: "note", id: String(index) },
          },
        ],
      })),
      {
        id: "task",
        layer: "task",
        order: 0,
        importance: "required",
        text: [{ text: `Summarise ${job.key}.`, ref: { type: "job", id: job.id } }],
      },
    ];
    const prompt = turnPromptOf(compilePrompt(LAYOUT, parts, { budget: { characters: 7000 } }));
    return { model: "rehearsal/rehearsal", contract, prompt };
  },
  *accept(job, { value }) {
    const { index, last } = job.input as { index: number; last?: number };
    const effects = [
      {
        key: `${job.runId}:${job.key}`,
        kind: "bench.stored",
        data: { ...(value as object), PAYLOAD },
      },
    ];
    if (last === undefined) return { effects };
    if (index === last) return { effects, run: { end: { state: "completed", result: { index } } } };
    return {
      effects,
      jobs: [{ key: `step${index + 1}`, handler: "bench.step", input: { index: index + 1, last } }],
    };
  },
};

const open: MoveHandler = {
  kind: "move",
  name: "bench.open",
  *decide(job) {
    const { children } = job.input as { children: number };
    const jobs = range(children).map((index) => ({
      key: `child${index}`,
      handler: "bench.step",
      item: String(index),
      input: { index },
    }));
    return {
      batches: [{ key: "fan", jobs, followUp: { key: "join", handler: "bench.join", input: {} } }],
    };
  },
};

const join: MoveHandler = {
  kind: "move",
  name: "bench.join",
  *decide(job) {
    const effects = [{ key: `${job.runId}:join`, kind: "bench.joined", data: {} }];
    return { effects, run: { end: { state: "completed", result: {} } } };
  },
};

interface Bench {
  readonly tools: EngineTools;
  /** Runs whose end is written, or about to be. */
  readonly ended: ReadonlySet<string>;
}

function benchWith(queue: EngineTools["queue"]): Bench {
  const ids = createIdSource(systemClock);
  const effects = ["bench.stored", "bench.joined"].map((kind) => ({ kind, *apply() {} }));
  const ended = new Set<string>();
  const ending: RunEnding = {
    method: "bench",
    *apply({ id }) {
      ended.add(id);
    },
  };
  const tools = {
    queue,
    handlers: createHandlerRegistry([step, open, join], effects, [ending]),
    nextId: () => ids.next(),
    costOf: () => 0,
  };
  return { tools, ended };
}

async function count(store: Store, sql: string): Promise<number> {
  const [row] = await store.read(() => runSql<{ n: number }>(sqlText(sql), []));
  return row?.n ?? 0;
}

function fail(error: unknown): void {
  console.error(error);
}
