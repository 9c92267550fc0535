/** Runs of workflows on a scratch store with a real engine; only the model is rehearsed, and time can be leapt over. */

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
import type { Json, JsonObject } from "../../../kernel/base/json.ts";
import type { Library } from "../../../kernel/library/library.ts";
import type { ModelProvider } from "../../../kernel/model/model-provider.ts";
import { createRehearsalModel } from "../../../kernel/model/rehearsal-model.ts";
import {
  parseRehearsalScript,
  type RehearsalScript,
} from "../../../kernel/model/rehearsal-script.ts";
import { layOutView } from "../../../kernel/operation/lay-out-view.ts";
import { callerOf } from "../../../kernel/operation/authorisation-matrix.ts";
import { invoke } from "../../../kernel/operation/invoke.ts";
import { createOperationRegistry } from "../../../kernel/operation/operation-registry.ts";
import { answerWait } from "../../../kernel/run/answer-wait.ts";
import { type Engine, startEngine } from "../../../kernel/run/engine.ts";
import { createHandlerRegistry } from "../../../kernel/run/handler.ts";
import { cancelRun, pauseRun, resumeRun } from "../../../kernel/run/run-control.ts";
import { query, queryFirst } from "../../../kernel/store/database-work.ts";
import { db } from "../../../kernel/store/query-builder.ts";
import type { Dialect } from "../../../kernel/store/store.ts";
import { type Task, toTask } from "../../../kernel/store/task.ts";
import { workflowTables } from "../catalogue/workflow-migration.ts";
import { insertWorkflow } from "../catalogue/workflow-versions.ts";
import { pipelineEnding } from "./end-tasks.ts";
import { pipelineEffects, pipelineHandlers } from "./pipeline-handlers.ts";
import { workflowRunTables } from "./run-migration.ts";
import { startOperations } from "./start-operations.ts";
import { startWorkflow } from "./start-workflow.ts";
import { stepOperations } from "./step-operations.ts";
import { auditWorkflows } from "./workflow-audit.suite.ts";

export interface Reply {
  readonly step: string;
  readonly item?: number;
  /** How often the step was asked for this item, over all its visits. */
  readonly time?: number;
  readonly status?: string;
  readonly nextAction?: string;
  readonly output?: Json;
  /** The whole reply, word for word. */
  readonly text?: string;
  readonly misbehave?: JsonObject;
  readonly latencyMs?: number;
  readonly [key: string]: Json | undefined;
}

export interface StartOptions {
  readonly isDry?: boolean;
  /** Pins what the model says in this run and below it. */
  readonly replies?: readonly Reply[];
}

export interface Rig {
  readonly kernel: ScratchKernel;
  /** Prompts as they were sent, by step. */
  prompts(runId: string): Promise<readonly { step: string; item: string | null; text: string }[]>;
  start(source: string, input?: JsonObject, options?: StartOptions): Promise<string>;
  /** Another version of a workflow, or a workflow that others call. Gives its id. */
  save(name: string, source: string): Promise<string>;
  startSaved(workflow: string, input?: JsonObject, options?: StartOptions): Promise<string>;
  idle(): Promise<void>;
  /** Starts and waits until the run has ended or waits for somebody. */
  play(source: string, input?: JsonObject, options?: StartOptions): Promise<string>;
  until<Found>(what: string, find: () => Promise<Found | undefined>): Promise<Found>;
  /** Lets time pass, and what is due happen. */
  leap(ms: number): Promise<void>;
  /** Leaps over every pause until the run has ended or waits for somebody. */
  rest(runId: string): Promise<void>;
  /** As if the program had been stopped and started again. */
  restart(): Promise<void>;
  stop(): Promise<void>;
  tasks(runId: string): Promise<readonly Task[]>;
  /** `A:completed B:on_hold`, in the order they were made. */
  way(runId: string): Promise<string>;
  task(runId: string, stage: string, place?: number): Promise<Task>;
  run(runId: string): Promise<{ state: string; reason: string | null; result: Json }>;
  waits(runId: string): Promise<readonly Wait[]>;
  /** The only thing somebody is asked. */
  wait(runId: string): Promise<Wait>;
  answer(wait: Wait | undefined, choice: string, fields?: Json, note?: string): Promise<void>;
  control(act: "pause" | "resume" | "cancel", runId: string): Promise<void>;
  /** An operation as an operator would call it. */
  invoke<Answer = unknown>(name: string, input: object): Promise<Answer>;
  /** How the command line would show the answer. */
  show(name: string, input: object): Promise<string>;
  close(): Promise<void>;
}

export interface Wait {
  readonly id: string;
  readonly key: string;
  readonly kind: string;
  readonly title: string;
  readonly reason: string;
  readonly answers: readonly string[];
  readonly form: readonly Json[];
  readonly evidence: readonly Json[];
  readonly deadline: number | null;
  readonly assigneeId: string | null;
}

const DUE_JOB =
  "select id from job where state = 'leased' or (state = 'ready' and run_at <= ?) limit 1";
/** Calls that are under way may go on for as long as they like. */
const DUE = `select 1 from job where (state = 'ready' and run_at <= ?) or (state = 'leased' and kind = 'move')
  union all select 1 from timer where is_open = 1 and due_at <= ?
  union all select 1 from wait where state = 'open' and deadline <= ?`;
const MODEL = "rehearsal/rehearsal";

/** `replies` pins what the model says; other steps get what the rehearsal model makes up. */
export async function openRig(
  replies: readonly Reply[] = [],
  { dialect = "sqlite", library = builtInLibrary() }: RigOptions = {},
): Promise<Rig> {
  let nextId = () => "";
  const handlers = createHandlerRegistry(
    pipelineHandlers(library, () => nextId()),
    pipelineEffects,
    [pipelineEnding],
  );
  const clock = leapingClock();
  const scratch = await scratchKernel({
    dialect,
    handlers,
    clock,
    migrations: [workflowTables, workflowRunTables],
  });
  nextId = () => scratch.ids.next();
  const scripts = new Map<string, RehearsalScript>();
  const scriptOf = async (runId: string): Promise<RehearsalScript> => {
    for (let tries = 0; tries < 500; tries += 1) {
      const known = scripts.get(runId);
      if (known) return known;
      const row = await scratch.store.read(() =>
        queryFirst(db.selectFrom("run").select("parent_run_id").where("id", "=", runId)),
      );
      if (row?.parent_run_id) return scriptOf(row.parent_run_id);
      // Its start is being answered at this moment.
      await sleep(5);
    }
    return scripts.get("") ?? assert.fail(`nobody started ${runId}`);
  };
  scripts.set("", toScript(replies));
  const provider = scriptedModel(clock, scriptOf);
  const troubles: unknown[] = [];
  const begin = () =>
    startEngine({
      ...scratch.engine,
      store: scratch.store,
      clock,
      models: {
        ...scratch.models,
        find: async () => ({ name: MODEL, provider, costOf: () => 0 }),
      },
      worker: "rig",
      concurrency: 32,
      random: () => 0.5,
      pollMs: 20,
      onTrouble: (error) => troubles.push(error),
    });
  let engine: Engine | undefined = begin();
  const kernel: ScratchKernel = { ...scratch, library, wake: () => engine?.wake() };
  const registry = createOperationRegistry([...startOperations, ...stepOperations]);
  const operator = callerOf("admin", false, undefined);
  const act = () => ({ actor: "admin", now: clock.now() });
  let workflows = 0;
  const rig: Rig = {
    kernel,
    save: (name, source) =>
      kernel.store.write(function* () {
        const id = kernel.ids.next();
        const version = { source, isDraft: false, summary: "" };
        yield* insertWorkflow({ id, name, description: "" }, version, act());
        return id;
      }),
    start: async (source, input, options) =>
      rig.startSaved(await rig.save(`Workflow ${++workflows}`, source), input, options),
    startSaved: async (workflow, input = {}, { isDry = false, replies: own = replies } = {}) => {
      const runId = await kernel.store.write(() =>
        startWorkflow(
          kernel.engine,
          { workflow, input, model: MODEL, isDry },
          { library, viewer: { userId: "admin", role: "admin" } },
          act(),
        ),
      );
      scripts.set(runId, toScript(own));
      kernel.wake();
      return runId;
    },
    play: async (source, input, options) => {
      const runId = await rig.start(source, input, options);
      await rig.idle();
      return runId;
    },
    idle: async () => {
      for (let tries = 0; tries < 3_000; tries += 1) {
        assert(engine, "the engine runs");
        await engine.whenIdle();
        assert.deepEqual(troubles, []);
        // What one worker has put off because another is at it is not seen by the first.
        const [due] = await rowsOf(scratch.store, DUE_JOB, [clock.now()]);
        if (due === undefined) return;
        await sleep(5);
      }
      assert.fail("the engine never rests");
    },
    until: async (what, find) => {
      for (let tries = 0; tries < 1_500; tries += 1) {
        const found = await find();
        if (found !== undefined) return found;
        await sleep(20);
      }
      return assert.fail(`It did not happen that ${what}.`);
    },
    leap: async (ms) => {
      clock.leap(ms);
      await rig.until("everything that is due has happened", async () => {
        assert.deepEqual(troubles, []);
        const now = clock.now();
        const due = await rowsOf(scratch.store, DUE, [now, now, now]);
        return due.length === 0 ? true : undefined;
      });
    },
    rest: async (runId) => {
      for (let tries = 0; tries < 50; tries += 1) {
        await rig.idle();
        if ((await rig.run(runId)).state !== "running") return;
        await rig.leap(5 * 60_000);
      }
      assert.fail("the run never rests");
    },
    stop: async () => {
      await engine?.stop();
      engine = undefined;
    },
    restart: async () => {
      await rig.stop();
      engine = begin();
    },
    tasks: async (runId) =>
      (
        await kernel.store.read(() =>
          query(db.selectFrom("task").selectAll().where("run_id", "=", runId).orderBy("id")),
        )
      ).map(toTask),
    way: async (runId) =>
      (await rig.tasks(runId)).map(({ stage, status }) => `${stage}:${status}`).join(" "),
    task: async (runId, stage, place = -1) => {
      const found = (await rig.tasks(runId)).filter((task) => task.stage === stage).at(place);
      assert(found, `there is a task of ${stage}`);
      return found;
    },
    run: async (runId) => {
      const [row] = await kernel.store.read(() =>
        query(db.selectFrom("run").select(["state", "reason", "result"]).where("id", "=", runId)),
      );
      assert(row);
      return {
        state: row.state,
        reason: row.reason,
        result: row.result === null ? null : (JSON.parse(row.result) as Json),
      };
    },
    waits: async (runId) => {
      const rows = await kernel.store.read(() =>
        query(
          db
            .selectFrom("wait")
            .select(["id", "key", "kind", "title", "reason", "answers", "form"])
            .select(["evidence", "deadline", "assignee_id as assigneeId"])
            .where("run_id", "=", runId)
            .where("state", "=", "open")
            .orderBy("id"),
        ),
      );
      return rows.map((row) => ({
        ...row,
        answers: JSON.parse(row.answers) as string[],
        form: JSON.parse(row.form) as Json[],
        evidence: JSON.parse(row.evidence) as Json[],
      }));
    },
    wait: async (runId) => {
      const [only, ...others] = await rig.waits(runId);
      assert(only, `somebody is asked; the run is ${JSON.stringify(await rig.run(runId))}`);
      assert.deepEqual(others, []);
      return only;
    },
    answer: async (wait, choice, fields, note) => {
      assert(wait, "there is something to answer");
      const given = fields === undefined ? {} : { fields };
      const said = note === undefined ? {} : { note };
      const answer = { choice, ...given, ...said };
      await kernel.store.write(() =>
        answerWait(kernel.engine, wait.id, { answer, by: "reviewer" }, clock.now()),
      );
      kernel.wake();
      if (engine) await rig.idle();
    },
    control: async (which, runId) => {
      const control = { pause: pauseRun, resume: resumeRun, cancel: cancelRun }[which];
      await kernel.store.write(() => control(kernel.engine, runId, "admin", clock.now()));
      kernel.wake();
      if (engine && which !== "pause") await rig.idle();
    },
    invoke: async <Answer>(name: string, input: object) => {
      const answer = (await invoke(kernel, registry, name, operator, input)) as Answer;
      if (engine) await rig.idle();
      return answer;
    },
    show: async (name, input) => {
      const render = registry.get(name).surfaces?.cli?.render;
      assert(render, `${name} has a view`);
      return layOutView(render(await invoke(kernel, registry, name, operator, input)));
    },
    prompts: async (runId) => {
      const rows = await kernel.store.read(() =>
        query(
          db
            .selectFrom("exchange")
            .select(["step", "item", "messages"])
            .where("run_id", "=", runId)
            .orderBy("id"),
        ),
      );
      return rows.map(({ step, item, messages }) => ({ step, item, text: messages }));
    },
    close: async () => {
      await rig.stop();
      try {
        await auditWorkflows(kernel.store);
      } finally {
        await scratch.remove();
      }
    },
  };
  return rig;
}

interface RigOptions {
  readonly dialect?: Dialect;
  readonly library?: Library;
}

/** The same tests on every store; they share one rig, and what they leave behind is examined at the end. */
export function onEveryStore(title: string, tests: (rig: () => Rig) => void): void {
  for (const dialect of ["sqlite", "postgres"] as const) {
    describe(`${title}, on ${dialect}`, () => {
      let rig: Rig | undefined;
      before(async () => {
        rig = await openRig([], { dialect });
      });
      after(() => rig?.close());
      tests(() => rig ?? assert.fail("the rig is open"));
    });
  }
}

interface LeapingClock extends Clock {
  leap(ms: number): void;
}

function leapingClock(): LeapingClock {
  let ahead = 0;
  return {
    ...systemClock,
    now: () => systemClock.now() + ahead,
    leap: (ms) => {
      ahead += ms;
    },
  };
}

/** A script tells attempts of one job apart; here it tells apart every time a step is asked in a run. */
function scriptedModel(
  clock: Clock,
  scriptOf: (runId: string) => Promise<RehearsalScript>,
): ModelProvider {
  const times = new Map<string, number>();
  return {
    async *call(request, options) {
      const { run = "", step, item = "", continuation } = request.labels;
      const script = await scriptOf(run);
      const place = `${run} ${step} ${item}`;
      const time = (times.get(place) ?? 0) + (continuation === 0 ? 1 : 0);
      times.set(place, time);
      const labels = { ...request.labels, attempt: time };
      yield* createRehearsalModel(clock, { script }).call({ ...request, labels }, options);
    },
  };
}

function toScript(replies: readonly Reply[]): RehearsalScript {
  return parseRehearsalScript(JSON.stringify({ replies: replies.map(toRule) }));
}

function toRule(reply: Reply): JsonObject {
  const { step, item, time, status, nextAction, output, text, misbehave, latencyMs, ...rest } =
    reply;
  const { continuation, ...said } = rest;
  return JSON.parse(
    JSON.stringify({
      step,
      item: item === undefined ? undefined : String(item),
      attempt: time,
      continuation,
      misbehave,
      latencyMs,
      reply: text ?? {
        status: status ?? "SUCCESS",
        summary: `Did ${step}.`,
        output: output ?? {},
        nextAction: nextAction ?? "COMPLETE",
        ...said,
      },
    }),
  ) as JsonObject;
}
