/** Teams at work on a scratch store with a real engine; only the model is rehearsed. */

import assert from "node:assert/strict";
import { rowsOf } from "../../../tests/scratch/engine-audit.ts";
import {
  builtInLibrary,
  type ScratchKernel,
  scratchKernel,
} from "../../../tests/scratch/scratch-kernel.ts";
import { systemClock } from "../../kernel/base/clock.ts";
import type { Json } from "../../kernel/base/json.ts";
import type { ModelDelta, ModelProvider, ModelRequest } from "../../kernel/model/model-provider.ts";
import { createRehearsalModel } from "../../kernel/model/rehearsal-model.ts";
import { parseRehearsalScript } from "../../kernel/model/rehearsal-script.ts";
import { answerWait } from "../../kernel/run/answer-wait.ts";
import { startEngine } from "../../kernel/run/engine.ts";
import { createHandlerRegistry } from "../../kernel/run/handler.ts";
import { startRun } from "../../kernel/run/start-run.ts";
import { query } from "../../kernel/store/database-work.ts";
import { db } from "../../kernel/store/query-builder.ts";
import type { Dialect } from "../../kernel/store/store.ts";
import { findLibraryTeam } from "./catalogue/ready-teams.ts";
import { newTeamRun, type StandsFor } from "./running/begin-team.ts";
import { teamEffects } from "./running/team-effects.ts";
import { teamHandlers } from "./running/team-handlers.ts";
import { teamRunTables } from "./state/team-migration.ts";
import { loadTeam } from "./state/team-rows.ts";
import type { Brief, StopCondition, TeamShape } from "./state/team-shape.ts";
import type { TeamState } from "./state/team-state.ts";

export interface RigOptions {
  readonly dialect?: Dialect;
  /** As a rehearsal script: what is said in which step. */
  readonly script?: Json;
  /** Replaces the rehearsal model altogether. */
  readonly provider?: ModelProvider;
  readonly latencyMs?: number;
}

export interface StartOptions
  extends Partial<Pick<Brief, "budget" | "mostProducts" | "prompt" | "topology">> {
  readonly stop?: StopCondition;
  readonly standsFor?: Readonly<Record<string, StandsFor>>;
}

export interface Wait {
  readonly id: string;
  readonly key: string;
  readonly kind: string;
  readonly title: string;
  readonly reason: string;
  readonly answers: readonly string[];
  readonly form: readonly { readonly name: string }[];
  readonly assigneeId: string | null;
}

export interface TeamRig {
  readonly kernel: ScratchKernel;
  readonly requests: readonly ModelRequest[];
  start(team: string | TeamShape, options?: StartOptions): Promise<string>;
  /** Until nothing is left that can be done without somebody. */
  idle(): Promise<void>;
  play(team: string | TeamShape, options?: StartOptions): Promise<string>;
  state(runId: string): Promise<TeamState>;
  run(runId: string): Promise<{ state: string; reason: string | null; result: Json }>;
  waits(runId: string): Promise<readonly Wait[]>;
  answer(wait: Wait | undefined, choice: string, fields?: Json): Promise<void>;
  close(): Promise<void>;
}

const MODEL = "rehearsal/rehearsal";
export const ROUNDS: (rounds: number) => StopCondition = (rounds) => ({ rounds });

export function teamOf(name: string): TeamShape {
  const ready = findLibraryTeam(builtInLibrary(), name);
  assert(ready, `there is a team ${name}`);
  return ready.team;
}

export function briefOf(team: TeamShape, options: StartOptions = {}): Brief {
  return {
    teamName: team.name,
    teamDescription: team.description,
    teamRef: "test",
    prompt: options.prompt ?? team.example,
    model: MODEL,
    topology: options.topology ?? team.topology,
    stop: options.stop ?? team.stop,
    budget: options.budget ?? 48_000,
    mostProducts: options.mostProducts ?? 40,
  };
}

export async function openTeamRig(options: RigOptions = {}): Promise<TeamRig> {
  const library = builtInLibrary();
  const handlers = createHandlerRegistry(teamHandlers(library), teamEffects);
  const kernel = await scratchKernel({
    dialect: options.dialect ?? "sqlite",
    handlers,
    migrations: [teamRunTables],
  });
  const requests: ModelRequest[] = [];
  const script =
    options.script === undefined
      ? {}
      : { script: parseRehearsalScript(JSON.stringify(options.script)) };
  const latency = options.latencyMs === undefined ? {} : { latencyMs: options.latencyMs };
  const inner = options.provider ?? createRehearsalModel(systemClock, { ...script, ...latency });
  const provider: ModelProvider = {
    call: (request, given) => {
      requests.push(request);
      return inner.call(request, given);
    },
  };
  const troubles: unknown[] = [];
  const engine = startEngine({
    ...kernel.engine,
    store: kernel.store,
    clock: systemClock,
    models: { ...kernel.models, find: async () => ({ name: MODEL, provider, costOf: () => 0 }) },
    worker: "rig",
    concurrency: 16,
    random: () => 0.5,
    pollMs: 20,
    onTrouble: (error) => troubles.push(error),
  });
  const rig: TeamRig = {
    kernel: { ...kernel, wake: () => engine.wake() },
    requests,
    start: async (given, startOptions = {}) => {
      const team = typeof given === "string" ? teamOf(given) : given;
      const run = newTeamRun(briefOf(team, startOptions), team, startOptions.standsFor ?? {});
      const runId = await kernel.store.write(() =>
        startRun(kernel.engine, run, { projectId: null, startedBy: "admin" }, systemClock.now()),
      );
      engine.wake();
      return runId;
    },
    idle: async () => {
      for (let tries = 0; tries < 4_000; tries += 1) {
        await engine.whenIdle();
        assert.deepEqual(troubles, []);
        const [due] = await rowsOf(
          kernel.store,
          "select id from job where state = 'leased' or (state = 'ready' and run_at <= ?) limit 1",
          [systemClock.now()],
        );
        if (due === undefined) return;
        await systemClock.sleep(5);
      }
      assert.fail("the engine never rests");
    },
    play: async (team, startOptions) => {
      const runId = await rig.start(team, startOptions);
      await rig.idle();
      return runId;
    },
    state: (runId) => kernel.store.read(() => loadTeam(runId)),
    run: async (runId) => {
      const [row] = await kernel.store.read(() =>
        query(db.selectFrom("run").select(["state", "reason", "result"]).where("id", "=", runId)),
      );
      assert(row);
      return { ...row, result: row.result === null ? null : (JSON.parse(row.result) as Json) };
    },
    waits: async (runId) => {
      const rows = await kernel.store.read(() =>
        query(
          db
            .selectFrom("wait")
            .select([
              "id",
              "key",
              "kind",
              "title",
              "reason",
              "answers",
              "form",
              "assignee_id as assigneeId",
            ])
            .where("run_id", "=", runId)
            .where("state", "=", "open")
            .orderBy("id"),
        ),
      );
      return rows.map((row) => ({
        ...row,
        answers: JSON.parse(row.answers) as string[],
        form: JSON.parse(row.form) as { name: string }[],
      }));
    },
    answer: async (wait, choice, fields) => {
      assert(wait, "there is something to answer");
      const answer = { choice, ...(fields === undefined ? {} : { fields }) };
      await kernel.store.write(() =>
        answerWait(kernel.engine, wait.id, { answer, by: "reviewer" }, systemClock.now()),
      );
      engine.wake();
      await rig.idle();
    },
    close: async () => {
      await engine.stop();
      await kernel.remove();
    },
  };
  return rig;
}

export type SpoiledReply = Record<string, unknown[]>;

/** A model that answers as the rehearsal model does, and then spoils it. */
export function spoiledModel(
  spoil: (reply: SpoiledReply, request: ModelRequest) => unknown,
): ModelProvider {
  const inner = createRehearsalModel(systemClock);
  return {
    async *call(request, given): AsyncGenerator<ModelDelta> {
      let text = "";
      for await (const delta of inner.call(request, given)) {
        if (delta.type === "text") text += delta.text;
        else {
          const value = spoil(JSON.parse(text.slice(text.indexOf("{"))) as SpoiledReply, request);
          yield { type: "text", text: typeof value === "string" ? value : JSON.stringify(value) };
          yield delta;
        }
      }
    },
  };
}
