/** A workspace in which runs start by themselves, on a scratch store with a real engine; time can be leapt over. */

import assert from "node:assert/strict";
import { after, before, describe } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { rowsOf } from "../../../../tests/scratch/engine-audit.ts";
import {
  builtInLibrary,
  type ScratchKernel,
  scratchKernel,
} from "../../../../tests/scratch/scratch-kernel.ts";
import { type Clock, systemClock } from "../../../kernel/base/clock.ts";
import { ProductError } from "../../../kernel/base/errors.ts";
import type { Json, JsonObject } from "../../../kernel/base/json.ts";
import type { ModelProvider, ModelRequest } from "../../../kernel/model/model-provider.ts";
import { createRehearsalModel } from "../../../kernel/model/rehearsal-model.ts";
import { parseRehearsalScript } from "../../../kernel/model/rehearsal-script.ts";
import { layOutView } from "../../../kernel/operation/lay-out-view.ts";
import { callerOf } from "../../../kernel/operation/authorisation-matrix.ts";
import type { Caller } from "../../../kernel/operation/caller.ts";
import { invoke } from "../../../kernel/operation/invoke.ts";
import type { Operation } from "../../../kernel/operation/operation.ts";
import {
  createOperationRegistry,
  type OperationRegistry,
} from "../../../kernel/operation/operation-registry.ts";
import { type Engine, startEngine } from "../../../kernel/run/engine.ts";
import { createHandlerRegistry } from "../../../kernel/run/handler.ts";
import type { Queue } from "../../../kernel/run/queue.ts";
import { query, queryFirst } from "../../../kernel/store/database-work.ts";
import { db } from "../../../kernel/store/query-builder.ts";
import type { Dialect } from "../../../kernel/store/store.ts";
import { type NewTask, type Task, toTask } from "../../../kernel/store/task.ts";
import { insertTask } from "../../../kernel/store/tasks.ts";
import { insertUser, type NewUser } from "../../../kernel/store/users.ts";
import { taskRunOperations } from "../agents/task-run-operation.ts";
import { workflowTables } from "../catalogue/workflow-migration.ts";
import { insertWorkflow } from "../catalogue/workflow-versions.ts";
import { pipelineEnding } from "../running/end-tasks.ts";
import { pipelineEffects, pipelineHandlers } from "../running/pipeline-handlers.ts";
import { workflowRunTables } from "../running/run-migration.ts";
import { stepOperations } from "../running/step-operations.ts";
import { auditWorkflows } from "../running/workflow-audit.suite.ts";
import { scheduleOperations } from "./schedule-operations.ts";
import { starterTables } from "./starter-migration.ts";

export const VIEWER = callerOf("viewer", false, undefined);
export const OPERATOR = callerOf("operator", false, undefined);
export const ADMIN = callerOf("admin", false, undefined);
export const STRANGER: Caller = { ...OPERATOR, userId: "stranger", name: "stranger" };

export interface StarterWorld {
  readonly kernel: ScratchKernel;
  readonly registry: OperationRegistry;
  as<Answer>(caller: Caller, name: string, input?: object): Promise<Answer>;
  /** How the command line would show it. */
  show(caller: Caller, name: string, input?: object): Promise<string>;
  addAgent(agent?: Partial<NewUser>): Promise<string>;
  addTask(task: Partial<NewTask>, maker?: string): Promise<string>;
  addWorkflow(name: string, source?: string): Promise<string>;
  /** What the model answers where a prompt has this text in it, one after the other; the last one again and again. */
  reply(text: string, ...replies: readonly JsonObject[]): void;
  /** Every prompt that was sent, oldest first. */
  readonly prompts: readonly string[];
  task(id: string): Promise<Task>;
  runs(): Promise<readonly Run[]>;
  waits(): Promise<
    readonly { readonly id: string; readonly title: string; readonly kind: string }[]
  >;
  idle(): Promise<void>;
  leap(ms: number): void;
  /** Another engine beside the first. */
  startEngine(queue: Queue): Engine;
  close(): Promise<void>;
}

export interface Run {
  readonly id: string;
  readonly title: string;
  readonly state: string;
  readonly started_by: string;
  readonly input: JsonObject;
}

export const ONE_STEP = "flowchart TD\n    write[Write]\n";

const MODEL = "rehearsal/rehearsal";

export interface WorldOptions {
  readonly dialect?: Dialect;
  /** Beside those of tasks, steps and schedules. */
  readonly operations?: readonly Operation[];
  readonly engine?: "running" | "none";
}

export async function openStarters({
  dialect = "sqlite",
  operations = [],
  engine: wanted = "running",
}: WorldOptions = {}): Promise<StarterWorld> {
  let nextId = () => "";
  const library = builtInLibrary();
  const handlers = createHandlerRegistry(
    pipelineHandlers(library, () => nextId()),
    pipelineEffects,
    [pipelineEnding],
  );
  const clock = leapingClock();
  const migrations = [workflowTables, workflowRunTables, starterTables];
  const scratch = await scratchKernel({ dialect, handlers, clock, migrations });
  nextId = () => scratch.ids.next();
  const { store, ids } = scratch;
  const replies = new Map<string, JsonObject[]>();
  const prompts: string[] = [];
  const provider = scriptedModel(clock, replies, prompts);
  const troubles: unknown[] = [];
  const engines: Engine[] = [];
  const begin = (queue: Queue = scratch.engine.queue): Engine => {
    const engine = startEngine({
      ...scratch.engine,
      queue,
      store,
      clock,
      models: {
        ...scratch.models,
        find: async () => ({ name: MODEL, provider, costOf: () => 0 }),
      },
      worker: `world ${engines.length}`,
      concurrency: 20,
      random: () => 0.5,
      pollMs: 20,
      onTrouble: (error) => troubles.push(error),
    });
    engines.push(engine);
    return engine;
  };
  if (wanted === "running") begin();
  const kernel: ScratchKernel = {
    ...scratch,
    models: { ...scratch.models, defaultModel: async () => MODEL },
    wake: () => engines.forEach((engine) => engine.wake()),
  };
  const registry = createOperationRegistry([
    ...taskRunOperations,
    ...stepOperations,
    ...scheduleOperations,
    ...operations,
  ]);
  const call = (caller: Caller, name: string, input: object) =>
    invoke(kernel, registry, name, caller, input);
  const act = (actor: string) => ({ actor, now: clock.now() });
  await store.write(() =>
    insertUser({ id: "stranger", displayName: "Stranger", role: "operator" }, act("test")),
  );
  return {
    kernel,
    registry,
    prompts,
    as: async <Answer>(caller: Caller, name: string, input: object = {}) =>
      (await call(caller, name, input)) as Answer,
    show: async (caller, name, input = {}) => {
      const render = registry.get(name).surfaces?.cli?.render;
      assert(render, `${name} has a view`);
      return layOutView(render(await call(caller, name, input)));
    },
    addAgent: async (agent = {}) => {
      const id = agent.id ?? ids.next();
      const made: NewUser = { displayName: `Agent ${id}`, role: "operator", ...agent, id };
      await store.write(() => insertUser({ ...made, isAgent: true }, act("admin")));
      return id;
    },
    addTask: async (task, maker = "operator") => {
      const id = ids.next();
      await store.write(() => insertTask({ title: `Task ${id}`, ...task, id }, act(maker)));
      return id;
    },
    addWorkflow: async (name, source = ONE_STEP) => {
      const id = ids.next();
      const version = { source, isDraft: false, summary: "" };
      const made = { id, name, description: "" };
      await store.write(() => insertWorkflow(made, version, act("admin")));
      return id;
    },
    reply: (text, ...given) => replies.set(text, [...given]),
    task: async (id) => {
      const row = await store.read(() =>
        queryFirst(db.selectFrom("task").selectAll().where("id", "=", id)),
      );
      assert(row, `there is a task ${id}`);
      return toTask(row);
    },
    runs: async () => {
      const select = db
        .selectFrom("run")
        .select(["id", "title", "state", "started_by", "input"])
        .orderBy("id");
      const rows = await store.read(() => query(select));
      return rows.map((row) => ({ ...row, input: JSON.parse(row.input) as JsonObject }));
    },
    waits: () =>
      store.read(() =>
        query(
          db
            .selectFrom("wait")
            .select(["id", "title", "kind"])
            .where("state", "=", "open")
            .orderBy("id"),
        ),
      ),
    idle: async () => {
      for (let tries = 0; tries < 1500; tries += 1) {
        for (const engine of engines) await engine.whenIdle();
        assert.deepEqual(troubles, []);
        const [due] = await rowsOf(store, DUE_JOB, [clock.now()]);
        if (due === undefined) return;
        await sleep(10);
      }
      assert.fail("the engine never rests");
    },
    leap: (ms) => clock.leap(ms),
    startEngine: begin,
    close: async () => {
      for (const engine of engines) await engine.stop();
      await auditWorkflows(store);
      await scratch.remove();
    },
  };
}

const DUE_JOB =
  "select id from job where state = 'leased' or (state = 'ready' and run_at <= ?) limit 1";

/** The same tests on every store; what they leave behind is examined at the end. */
export function onEveryStore(
  title: string,
  tests: (world: () => StarterWorld) => void,
  options: Omit<WorldOptions, "dialect"> = {},
): void {
  for (const dialect of ["sqlite", "postgres"] as const) {
    describe(`${title}, on ${dialect}`, () => {
      let world: StarterWorld | undefined;
      before(async () => {
        world = await openStarters({ ...options, dialect });
      });
      after(() => world?.close());
      tests(() => world ?? assert.fail("the world is open"));
    });
  }
}

export async function refusal(attempt: () => Promise<unknown>): Promise<ProductError> {
  try {
    await attempt();
  } catch (error) {
    if (error instanceof ProductError) return error;
    throw error;
  }
  return assert.fail("It was not refused.");
}

function leapingClock(): Clock & { leap(ms: number): void } {
  let ahead = 0;
  return {
    ...systemClock,
    now: () => systemClock.now() + ahead,
    leap: (ms) => {
      ahead += ms;
    },
  };
}

function scriptedModel(
  clock: Clock,
  replies: ReadonlyMap<string, JsonObject[]>,
  prompts: string[],
): ModelProvider {
  return {
    async *call(request, options) {
      const text = textOf(request);
      prompts.push(text);
      const [, said = []] = [...replies].find(([words]) => text.includes(words)) ?? [];
      const reply = said.length > 1 ? said.shift() : said[0];
      const rule = { reply: { ...DONE, ...reply } as Json };
      const script = parseRehearsalScript(JSON.stringify({ replies: [rule] }));
      yield* createRehearsalModel(clock, { script }).call(request, options);
    },
  };
}

const DONE = { status: "SUCCESS", summary: "Done.", output: {}, nextAction: "COMPLETE" };

function textOf({ messages }: ModelRequest): string {
  return messages.map(({ text }) => text).join("\n");
}
