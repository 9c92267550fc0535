/** `model test` makes one call through the engine, records it, and says why it failed where it did. */

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { type ScratchKernel, scratchKernel } from "../../../tests/scratch/scratch-kernel.ts";
import { ProductError } from "../../kernel/base/errors.ts";
import { createRehearsalModel } from "../../kernel/model/rehearsal-model.ts";
import { parseRehearsalScript } from "../../kernel/model/rehearsal-script.ts";
import { callerOf } from "../../kernel/operation/authorisation-matrix.ts";
import { invoke } from "../../kernel/operation/invoke.ts";
import type { Kernel } from "../../kernel/operation/kernel.ts";
import { createOperationRegistry } from "../../kernel/operation/operation-registry.ts";
import { DAY_SCOPE, setBudget } from "../../kernel/run/budgets.ts";
import { type Engine, startEngine } from "../../kernel/run/engine.ts";
import { createHandlerRegistry } from "../../kernel/run/handler.ts";
import type { ModelDirectory } from "../../kernel/run/model-directory.ts";
import { query } from "../../kernel/store/database-work.ts";
import { db } from "../../kernel/store/query-builder.ts";
import { modelTestHandler } from "./model-test-handler.ts";
import { testModel } from "./model-test-operation.ts";

const registry = createOperationRegistry([testModel]);
const OPERATOR = callerOf("operator", false, undefined);

interface Tested {
  readonly isOk: boolean;
  readonly reply?: string;
  readonly latencyMs?: number;
  readonly finish?: string;
  readonly inputTokens?: number;
  readonly costMicroUsd?: number;
  readonly problem?: { readonly code: string; readonly message: string; readonly hint?: string };
  readonly runId?: string;
}

for (const dialect of ["sqlite", "postgres"] as const)
  describe(`testing a model on ${dialect}`, () => {
    let scratch: ScratchKernel;
    let kernel: Kernel;
    let engine: Engine;
    before(async () => {
      scratch = await scratchKernel({
        dialect,
        handlers: createHandlerRegistry([modelTestHandler], []),
      });
      const models = directory(scratch);
      const tools = { ...scratch.engine, costOf: () => 40 };
      kernel = { ...scratch, models, engine: tools, wake: () => engine.wake() };
      engine = startEngine({
        ...tools,
        store: scratch.store,
        clock: scratch.clock,
        models,
        worker: "test",
        concurrency: 4,
        pollMs: 20,
        random: () => 0.5,
        onCommit: () => kernel.changes.notify(),
        onTrouble: (error) => {
          throw error;
        },
      });
    });
    after(async () => {
      await engine.stop();
      await scratch.remove();
    });
    const run = async (model?: string, more: object = {}) =>
      (await invoke(kernel, registry, "model.test", OPERATOR, { model, ...more })) as Tested;
    const shown = (test: Tested) => testModel.surfaces?.cli?.render?.({ model: "m", ...test });
    const stateOf = async (runId = "") =>
      (
        await kernel.store.read(() =>
          query(db.selectFrom("run").select("state").where("id", "=", runId)),
        )
      )[0]?.state;

    test("one that answers: how fast, how it ended, what it used and cost, kept as a run", async () => {
      const test = await run();

      assert.equal(test.isOk, true);
      assert.equal(test.finish, "stop");
      assert.ok((test.latencyMs ?? -1) >= 0 && (test.inputTokens ?? 0) > 0);
      assert.equal(test.costMicroUsd, 40);
      assert.equal(await stateOf(test.runId), "completed");
      assert.match(
        shown(test) ?? "",
        /✓ rehearsal\/one answers\.[\s\S]*took +\d+ ms[\s\S]*cost +\$0\.0000/,
      );
    });

    test("one that fails: once, with the reason and what to do, in nobody's inbox", async () => {
      const test = await run("busy/one");

      assert.equal(test.isOk, false);
      assert.equal(test.problem?.code, "model_rate_limited");
      assert.match(test.problem?.hint ?? "", /Wait/);
      assert.equal(await stateOf(test.runId), "failed");
      const waits = await kernel.store.read(() => query(db.selectFrom("wait").select("id")));
      assert.deepEqual(waits, []);
      assert.match(shown(test) ?? "", /✗ busy\/one does not answer: .*\(model_rate_limited\)/);
    });

    test("one without its key is explained without a call, and one nobody knows is refused", async () => {
      const test = await run("locked/one");

      assert.deepEqual([test.problem?.code, test.runId], ["model_key_missing", undefined]);
      await assert.rejects(run("nobody/one"), { code: "model_unknown" });
      await assert.rejects(run("busy/one", { timeoutSeconds: 0 }), { code: "input_invalid" });
    });

    test("one that takes too long is given up, and its call with it", async () => {
      const test = await run("slow/one", { timeoutSeconds: 1 });

      assert.equal(test.problem?.code, "model_test_timeout");
      assert.equal(await stateOf(test.runId), "cancelled");
    });

    test("a budget that stands in the way is the reason", async () => {
      await kernel.store.write(() =>
        setBudget(DAY_SCOPE, { microUsd: 1, tokens: null, turns: null }),
      );
      const test = await run();

      assert.equal(test.problem?.code, "limit_day_budget");
      assert.equal(await stateOf(test.runId), "cancelled");
    });
  });

function directory({ clock }: Kernel): ModelDirectory {
  const scripted = (reply: object) =>
    createRehearsalModel(clock, {
      script: parseRehearsalScript(JSON.stringify({ replies: [{ step: "test", ...reply }] })),
    });
  const providers = {
    rehearsal: createRehearsalModel(clock),
    busy: scripted({ misbehave: { kind: "rate_limit", retryAfterMs: 0 } }),
    slow: scripted({ latencyMs: 30_000 }),
  };
  return {
    list: async () => [],
    costOf: () => 40,
    defaultModel: async () => "rehearsal/one",
    find: async (name) => {
      const [brand = ""] = name.split("/");
      const provider = Object.entries(providers).find(([known]) => known === brand)?.[1];
      if (provider !== undefined) return { name, provider, costOf: () => 40 };
      const isLocked = brand === "locked";
      throw new ProductError(isLocked ? "model_key_missing" : "model_unknown", "It is not there.", {
        kind: isLocked ? "provider" : "not_found",
      });
    },
  };
}
