/** Engines on a scratch store, with handlers made for the test and a model that tells what it was asked. */

import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import * as z from "zod";
import { type Clock, systemClock } from "../../src/kernel/base/clock.ts";
import { ProductError } from "../../src/kernel/base/errors.ts";
import { hashText } from "../../src/kernel/base/hash.ts";
import { createIdSource } from "../../src/kernel/base/ids.ts";
import type { Json } from "../../src/kernel/base/json.ts";
import { defineContract } from "../../src/kernel/contract/contract.ts";
import type {
  ModelDelta,
  ModelProvider,
  ModelRequest,
  Usage,
} from "../../src/kernel/model/model-provider.ts";
import { createRehearsalModel } from "../../src/kernel/model/rehearsal-model.ts";
import { parseRehearsalScript } from "../../src/kernel/model/rehearsal-script.ts";
import type { Decision, NewRun } from "../../src/kernel/run/decision.ts";
import { type Engine, type EngineOptions, startEngine } from "../../src/kernel/run/engine.ts";
import type { EngineTools } from "../../src/kernel/run/engine-transaction.ts";
import {
  createHandlerRegistry,
  type EffectKind,
  type Handler,
  type JobView,
  type MoveHandler,
  type TurnAnswer,
  type TurnFailure,
  type TurnHandler,
  type TurnSettings,
} from "../../src/kernel/run/handler.ts";
import type { Queue } from "../../src/kernel/run/queue.ts";
import { startRun } from "../../src/kernel/run/start-run.ts";
import type { DatabaseWork } from "../../src/kernel/store/database-work.ts";
import { engineTables } from "../../src/kernel/store/engine-migration.ts";
import type { RunState } from "../../src/kernel/store/engine-tables.ts";
import type { Dialect, Store } from "../../src/kernel/store/store.ts";
import { auditEngine, rowsOf } from "./engine-audit.ts";
import { scratchStore } from "./scratch-store.ts";

/** What a suite is run on. */
export interface RigKind {
  readonly dialect: Dialect;
  /** Made for each store, because a queue may keep its own connections. */
  openQueue(store: Store): Promise<{ readonly queue: Queue; close(): Promise<void> }>;
}

export interface RigOptions {
  readonly handlers: readonly Handler[];
  readonly effects?: readonly EffectKind[];
  readonly clock?: Clock;
  /** The rehearsal model's script; `call` replaces the model altogether. */
  readonly script?: Json;
  readonly latencyMs?: number;
  readonly idleMs?: number;
  readonly call?: ModelProvider["call"];
  costOf?(usage: Usage): number | undefined;
  /** Set where a test makes the store or a listener fail; else any trouble fails the test. */
  readonly expectsTrouble?: boolean;
}

export interface Call {
  readonly request: ModelRequest;
  readonly startedAt: number;
  endedAt: number | undefined;
  wasAborted: boolean;
}

export interface RunRow {
  readonly id: string;
  readonly state: RunState;
  readonly reason: { readonly code: string; readonly message: string } | null;
  readonly result: Json;
  readonly turns: number;
  readonly jobs: number;
  readonly open_jobs: number;
  readonly held_jobs: number;
  readonly open_waits: number;
  readonly has_unknown_cost: number;
}

export interface JobRow {
  readonly id: string;
  readonly key: string;
  readonly state: string;
  readonly attempt: number;
  readonly fence: number;
  readonly item: string | null;
  readonly failure: { readonly code: string; readonly message: string } | null;
}

export interface WaitRow {
  readonly id: string;
  readonly key: string;
  readonly kind: string;
  readonly state: string;
  readonly reason: string;
  readonly answers: readonly string[];
  readonly answered_by: string | null;
  readonly version: number;
}

/** How long anything may take in real time before a test gives up on it. */
const PATIENCE_MS = 90_000;

async function openRig(kind: RigKind, options: RigOptions) {
  const scratch = await scratchStore(kind.dialect, [engineTables]);
  const { store } = scratch;
  const { queue, close: closeQueue } = await kind.openQueue(store);
  const clock = options.clock ?? systemClock;
  const ids = createIdSource(clock);
  const costOf = options.costOf ?? (() => 7);
  const effectKinds = [...(options.effects ?? []), noted];
  const tools: EngineTools = {
    queue,
    handlers: createHandlerRegistry(options.handlers, effectKinds),
    nextId: () => ids.next(),
    costOf: (_model, usage) => (options.costOf ?? (() => 7))(usage),
  };
  const calls: Call[] = [];
  const provider = watched(calls, options.call ?? rehearsal(clock, options));
  const troubles: unknown[] = [];
  const engines: Engine[] = [];
  const others: Store[] = [];

  const rig = {
    store,
    clock,
    tools,
    calls,
    troubles,
    effectKinds,
    now: () => clock.now(),
    write: <Result>(work: () => DatabaseWork<Result>) => store.write(work),

    /** Another connection to the same data, as a second process would have. */
    reopen(): Store {
      const other = scratch.reopen();
      others.push(other);
      return other;
    },

    engine(given: Partial<EngineOptions> = {}): Engine {
      const engine = startEngine({
        ...tools,
        store,
        clock,
        worker: `worker-${engines.length + 1}`,
        concurrency: 32,
        // In real time, however fast the clock: looking too often would only heat the processor.
        pollMs: 10 * ("factor" in clock ? Number(clock.factor) : 1),
        models: directoryOf(provider, costOf),
        random: () => 0.5,
        onTrouble: (error) => troubles.push(error),
        ...given,
      });
      engines.push(engine);
      return engine;
    },

    async begin(run: Partial<NewRun> & Pick<NewRun, "jobs">, startedBy = "ann"): Promise<string> {
      const whole: NewRun = { method: "trial", title: "A trial", input: {}, ...run };
      const id = await store.write(() =>
        startRun(tools, whole, { projectId: null, startedBy }, clock.now()),
      );
      for (const engine of engines) engine.wake();
      return id;
    },

    async run(id: string): Promise<RunRow> {
      const [row] = await rowsOf<Record<string, unknown>>(store, "select * from run where id = ?", [
        id,
      ]);
      assert.ok(row, `run ${id} exists`);
      return {
        ...(row as unknown as RunRow),
        reason: JSON.parse(String(row["reason"])) as RunRow["reason"],
        result: JSON.parse(String(row["result"])) as Json,
      };
    },

    async jobs(runId: string): Promise<readonly JobRow[]> {
      const rows = await rowsOf<Record<string, unknown>>(
        store,
        "select id, key, state, attempt, fence, item, failure from job where run_id = ? order by id",
        [runId],
      );
      return rows.map((row) => ({
        ...(row as unknown as JobRow),
        failure: JSON.parse(String(row["failure"])) as JobRow["failure"],
      }));
    },

    async waits(runId: string): Promise<readonly WaitRow[]> {
      const rows = await rowsOf<WaitRow & { answers: string }>(
        store,
        "select id, key, kind, state, reason, answers, answered_by, version from wait where run_id = ? order by id",
        [runId],
      );
      return rows.map((row) => ({
        ...row,
        answers: JSON.parse(row.answers as unknown as string) as string[],
      }));
    },

    async openWait(runId: string): Promise<WaitRow> {
      const open = (await rig.waits(runId)).filter(({ state }) => state === "open");
      assert.equal(open.length, 1, `one entry of the inbox, not ${JSON.stringify(open)}`);
      return open[0] as WaitRow;
    },

    async effects(runId: string): Promise<readonly string[]> {
      const rows = await rowsOf<{ key: string }>(
        store,
        "select key from effect where run_id = ? order by id",
        [runId],
      );
      return rows.map(({ key }) => key);
    },

    async events(runId: string): Promise<readonly { type: string; data: Json; actor: string }[]> {
      const rows = await rowsOf<{ type: string; data: string; actor: string }>(
        store,
        "select type, data, actor from event where stream = ? order by seq",
        [runId],
      );
      return rows.map((row) => ({ ...row, data: JSON.parse(row.data) as Json }));
    },

    /** Waits until nothing moves the run any more by itself and gives it. */
    async rest(runId: string): Promise<RunRow> {
      return until(`run ${runId} rests`, async () => {
        const run = await rig.run(runId);
        return run.state === "queued" || run.state === "running" ? undefined : run;
      });
    },

    async reaches(runId: string, state: RunState): Promise<RunRow> {
      return until(`run ${runId} is ${state}`, async () => {
        const run = await rig.run(runId);
        return run.state === state ? run : undefined;
      });
    },

    async stop(): Promise<void> {
      const stopped = Promise.all(engines.splice(0).map((engine) => engine.stop()));
      await within(PATIENCE_MS, "the engines stop", stopped);
    },

    async remove(): Promise<void> {
      await rig.stop();
      await closeQueue();
      for (const other of others) await other.close();
      await scratch.remove();
    },
  };
  return rig;
}

export type Rig = Awaited<ReturnType<typeof openRig>>;

/** The body of a test: afterwards the engines are stopped and the store is audited, then removed. */
export function inRig(
  kind: RigKind,
  options: RigOptions,
  body: (rig: Rig) => Promise<void>,
): () => Promise<void> {
  return async () => {
    const rig = await openRig(kind, options);
    try {
      await body(rig);
      await rig.stop();
      if (!options.expectsTrouble) assert.deepEqual(rig.troubles, [], "nothing went wrong unheard");
      await auditEngine(rig.store);
    } finally {
      await rig.remove();
    }
  };
}

export async function until<Result>(
  what: string,
  look: () => Promise<Result | undefined> | Result | undefined,
): Promise<Result> {
  const deadline = performance.now() + PATIENCE_MS;
  for (;;) {
    const found = await look();
    if (found !== undefined) return found;
    if (performance.now() > deadline) throw new Error(`It did not happen that ${what}.`);
    await sleep(15);
  }
}

async function within<Result>(ms: number, what: string, result: Promise<Result>): Promise<Result> {
  const giveUp = new AbortController();
  const late = sleep(ms, undefined, { signal: giveUp.signal }).then(() => {
    throw new Error(`It did not happen that ${what}.`);
  });
  try {
    return await Promise.race([result, late]);
  } finally {
    late.catch(() => undefined);
    giveUp.abort();
  }
}

/** Time that passes `factor` times as fast. */
export function hastyClock(
  factor: number,
  start = Date.UTC(2026, 0, 1),
): Clock & { readonly factor: number } {
  const began = performance.now();
  const elapsed = () => (performance.now() - began) * factor;
  return {
    factor,
    now: () => Math.floor(start + elapsed()),
    elapsed,
    sleep: (ms, signal) => systemClock.sleep(ms / factor, signal),
  };
}

export const trialContract = defineContract({
  name: "trial.reply",
  schema: z.object({ summary: z.string(), score: z.number() }),
});

export interface TurnGiven {
  readonly lane?: string;
  readonly model?: string;
  readonly settings?: TurnSettings;
  readonly contract?: ReturnType<typeof defineContract>;
  prompt?(job: JobView): string;
  /** Says nothing unless given. */
  accept?(job: JobView, answer: TurnAnswer): Decision;
  giveUp?(job: JobView, failure: TurnFailure): Decision;
}

export function turn(name: string, given: TurnGiven = {}): TurnHandler {
  const { accept, giveUp, prompt } = given;
  return {
    kind: "turn",
    name,
    lane: () => given.lane ?? "model:trial",
    *compile(job) {
      const text = prompt?.(job) ?? `Summarise ${job.key} and score it.`;
      return {
        model: given.model ?? "rehearsal/trial",
        contract: given.contract ?? trialContract,
        prompt: {
          messages: [
            { role: "system", text: "You answer with JSON only.", isShared: true },
            { role: "user", text },
          ],
          hash: hashText(text),
          trace: null,
        },
        ...(given.settings ? { settings: given.settings } : {}),
      };
    },
    *accept(job, answer) {
      return accept?.(job, answer) ?? {};
    },
    ...(giveUp
      ? {
          *giveUp(job: JobView, failure: TurnFailure): DatabaseWork<Decision> {
            return giveUp(job, failure);
          },
        }
      : {}),
  };
}

export function move(name: string, decide: (job: JobView) => Decision): MoveHandler {
  return {
    kind: "move",
    name,
    *decide(job) {
      return decide(job);
    },
  };
}

/** An effect that is only counted; its key names run and job. */
export function note(job: JobView, data: Json = {}) {
  return { key: `${job.runId}:${job.key}`, kind: "noted", data };
}

export function completed(result: Json = {}): Decision {
  return { run: { end: { state: "completed", result } } };
}

export function job(key: string, handler: string, input: Json = {}) {
  return { key, handler, input };
}

const noted: EffectKind = { kind: "noted", *apply() {} };

function rehearsal(clock: Clock, { script, latencyMs, idleMs }: RigOptions): ModelProvider["call"] {
  const model = createRehearsalModel(clock, {
    ...(script === undefined ? {} : { script: parseRehearsalScript(JSON.stringify(script)) }),
    ...(latencyMs === undefined ? {} : { latencyMs }),
    ...(idleMs === undefined ? {} : { idleMs }),
  });
  return (request, given) => model.call(request, given);
}

function watched(calls: Call[], inner: ModelProvider["call"]): ModelProvider {
  return {
    async *call(request, { signal }): AsyncGenerator<ModelDelta> {
      const call: Call = {
        request,
        startedAt: performance.now(),
        endedAt: undefined,
        wasAborted: false,
      };
      calls.push(call);
      try {
        yield* inner(request, { signal });
      } finally {
        call.endedAt = performance.now();
        call.wasAborted = signal.aborted;
      }
    },
  };
}

/** How many of the calls were under way at the same moment, at most. */
export function mostAtOnce(calls: readonly Call[]): number {
  const edges = calls
    .flatMap(({ startedAt, endedAt = Number.POSITIVE_INFINITY }) => [
      { at: startedAt, step: 1 },
      { at: endedAt, step: -1 },
    ])
    .toSorted((a, b) => a.at - b.at || a.step - b.step);
  let under = 0;
  let most = 0;
  for (const { step } of edges) {
    under += step;
    most = Math.max(most, under);
  }
  return most;
}

function directoryOf(provider: ModelProvider, costOf: (usage: Usage) => number | undefined) {
  return {
    costOf: (_name: string, usage: Usage) => costOf(usage),
    list: async () => [],
    defaultModel: async () => "rehearsal/trial",
    find: async (name: string) => {
      if (!name.startsWith("rehearsal/")) {
        throw new ProductError("model_unknown", `There is no model "${name}".`);
      }
      return { name: name.slice("rehearsal/".length), provider, costOf };
    },
  };
}
