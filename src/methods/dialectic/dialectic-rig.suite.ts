/** Dialectics on a scratch store with a real engine; only the models are rehearsed. */

import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { auditEngine, rowsOf } from "../../../tests/scratch/engine-audit.ts";
import {
  builtInLibrary,
  type ScratchKernel,
  scratchKernel,
} from "../../../tests/scratch/scratch-kernel.ts";
import { systemClock } from "../../kernel/base/clock.ts";
import type { Json } from "../../kernel/base/json.ts";
import type { Library } from "../../kernel/library/library.ts";
import type { ModelProvider, ModelRequest } from "../../kernel/model/model-provider.ts";
import { createRehearsalModel } from "../../kernel/model/rehearsal-model.ts";
import { parseRehearsalScript } from "../../kernel/model/rehearsal-script.ts";
import { callerOf } from "../../kernel/operation/authorisation-matrix.ts";
import { invoke } from "../../kernel/operation/invoke.ts";
import { createOperationRegistry } from "../../kernel/operation/operation-registry.ts";
import { type Engine, startEngine } from "../../kernel/run/engine.ts";
import { createHandlerRegistry } from "../../kernel/run/handler.ts";
import { query } from "../../kernel/store/database-work.ts";
import type { Dialect } from "../../kernel/store/store.ts";
import { dialecticOperations } from "./operations/dialectic-operations.ts";
import { dialecticEffects } from "./running/dialectic-effects.ts";
import { dialecticHandlers } from "./running/dialectic-handlers.ts";
import { dialecticTables } from "./running/dialectic-migration.ts";
import { type ArtifactTable, dialectic } from "./running/dialectic-tables.ts";

export interface DialecticRig {
  readonly kernel: ScratchKernel;
  /** What models were asked, in order. */
  readonly asked: ModelRequest[];
  invoke<Answer = Answered>(name: string, input?: object): Promise<Answer>;
  /** How the command line would show the answer. */
  show(name: string, input: object): Promise<string>;
  /** Until nothing is under way. */
  idle(): Promise<void>;
  artifacts(runId: string): Promise<readonly WholeArtifact[]>;
  turns(runId: string): Promise<number>;
  close(): Promise<void>;
}

// oxlint-disable-next-line typescript/no-explicit-any -- answers of any operation
type Answered = any;

/** Without words where they were pruned. */
export interface WholeArtifact extends ArtifactTable {
  readonly body: string;
}

export interface DialecticRigOptions {
  readonly library?: Library;
  /** The rehearsal model's script. */
  readonly script?: Json;
  readonly dialect?: Dialect;
  readonly call?: ModelProvider["call"];
}

export const REQUEST =
  "A web shop for a bakery: customers order bread for the next morning and pay online; two bakers see what to bake.";

export async function openDialecticRig(options: DialecticRigOptions = {}): Promise<DialecticRig> {
  const { library = builtInLibrary(), script, dialect = "sqlite" } = options;
  let nextId = () => "";
  const handlers = createHandlerRegistry(
    dialecticHandlers(() => nextId()),
    dialecticEffects,
  );
  const scratch = await scratchKernel({ dialect, handlers, migrations: [dialecticTables] });
  nextId = () => scratch.ids.next();
  const rehearsal = createRehearsalModel(
    systemClock,
    script === undefined ? {} : { script: parseRehearsalScript(JSON.stringify(script)) },
  );
  const asked: ModelRequest[] = [];
  const provider: ModelProvider = {
    call: (request, context) => {
      asked.push(request);
      return (options.call ?? rehearsal.call)(request, context);
    },
  };
  const troubles: unknown[] = [];
  const engine: Engine = startEngine({
    ...scratch.engine,
    store: scratch.store,
    clock: systemClock,
    models: { ...scratch.models, find: async (name) => ({ name, provider, costOf: () => 0 }) },
    worker: "rig",
    concurrency: 16,
    random: () => 0.5,
    pollMs: 20,
    onTrouble: (error) => troubles.push(error),
  });
  const kernel: ScratchKernel = { ...scratch, library, wake: () => engine.wake() };
  const registry = createOperationRegistry(dialecticOperations);
  const admin = callerOf("admin", false, undefined);
  const rig: DialecticRig = {
    kernel,
    asked,
    invoke: async (name, input = {}) =>
      (await invoke(kernel, registry, name, admin, input)) as never,
    show: async (name, input) => {
      const operation = registry.operations.find((each) => each.name === name);
      const answer = await invoke(kernel, registry, name, admin, input);
      return operation?.surfaces?.cli?.render?.(answer) ?? assert.fail(`${name} has no view`);
    },
    idle: async () => {
      for (let tries = 0; tries < 10_000; tries += 1) {
        await engine.whenIdle();
        assert.deepEqual(troubles, []);
        const [due] = await rowsOf(
          scratch.store,
          "select id from job where state = 'leased' or (state = 'ready' and run_at <= ?) limit 1",
          [systemClock.now() + 60_000],
        );
        if (due === undefined) return;
        await sleep(5);
      }
      assert.fail("the engine never rests");
    },
    artifacts: async (runId) => {
      const rows = await kernel.store.read(() =>
        query(
          dialectic
            .selectFrom("dialectic_artifact")
            .selectAll()
            .where("run_id", "=", runId)
            .orderBy("id"),
        ),
      );
      return rows.map((row) => ({ ...row, body: row.body ?? "" }));
    },
    turns: async (runId) => {
      const [row] = await rowsOf<{ count: number }>(
        scratch.store,
        "select count(*) as count from job where run_id = ? and kind = 'turn'",
        [runId],
      );
      return Number(row?.count);
    },
    close: async () => {
      await engine.stop();
      await auditEngine(scratch.store);
      await scratch.remove();
    },
  };
  return rig;
}
