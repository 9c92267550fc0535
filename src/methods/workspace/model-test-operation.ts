/** `model test`: does it answer, how fast, how did it end, what did it use and cost; or why not. */

import { z } from "zod";
import { ProductError } from "../../kernel/base/errors.ts";
import type { Kernel } from "../../kernel/operation/kernel.ts";
import { defineOperation, type OperationContext } from "../../kernel/operation/operation.ts";
import { rendering } from "../../kernel/operation/rendering.ts";
import { doneLine } from "../../kernel/operation/state-marks.ts";
import { blocks, fieldLines, money, oneLine } from "../../kernel/operation/terminal-text.ts";
import { waitForRun } from "../../kernel/operation/wait-for-run.ts";
import type { Reason } from "../../kernel/run/limits.ts";
import { cancelRun } from "../../kernel/run/run-control.ts";
import { isEnded } from "../../kernel/run/run-state.ts";
import { startRun } from "../../kernel/run/start-run.ts";
import { type DatabaseWork, queryFirst } from "../../kernel/store/database-work.ts";
import { db } from "../../kernel/store/query-builder.ts";
import { getExchangeText, listExchanges } from "./exchange-rows.ts";
import { MODEL_TEST } from "./model-test-handler.ts";

const tested = z.object({
  model: z.string(),
  isOk: z.boolean(),
  reply: z.string().optional(),
  latencyMs: z.number().optional().describe("From the call to the end of the reply."),
  finish: z.string().optional().describe("Why it stopped, in our word."),
  rawFinish: z.string().optional().describe("And in the provider's."),
  inputTokens: z.number().optional(),
  outputTokens: z.number().optional(),
  costMicroUsd: z.number().optional().describe("Absent when the price or the use is not known."),
  problem: z
    .object({ code: z.string(), message: z.string(), hint: z.string().optional() })
    .optional(),
  runId: z.string().optional(),
  exchangeId: z.string().optional(),
});

type Tested = z.input<typeof tested>;

export const testModel = defineOperation({
  name: "model.test",
  summary: "Makes one tiny call to a model: whether it answers, how fast, what it used and cost.",
  effect: "writes",
  permission: "run",
  input: z.object({
    model: z
      .string()
      .min(1)
      .max(200)
      .optional()
      .describe("`provider/model`; the default one unless given."),
    timeoutSeconds: z.int().min(1).max(600).default(60).describe("How long to wait at most."),
  }),
  output: tested,
  surfaces: {
    cli: {
      positionals: ["model"],
      examples: ["model test", "model test anthropic/claude-sonnet-5-5"],
      render: rendering(tested, renderTested),
      outcome: (output) => (tested.parse(output).isOk ? "ok" : "provider"),
    },
    mcp: "none",
  },
  run: async (context, input) => {
    const { kernel, report } = context;
    const model = input.model ?? (await kernel.models.defaultModel());
    const missing = await findMissing(kernel, model);
    if (missing !== undefined) return { model, isOk: false, problem: missing };
    const runId = await start(context, model);
    report({ message: `Asked ${model}. Waiting for the answer…` });
    const isOver = await waitAtMost(context, runId, input.timeoutSeconds * 1000);
    // Whatever still stands in the way, such as a budget, is told here and left in nobody's inbox.
    const problem = isOver ? undefined : await giveUp(context, runId, input.timeoutSeconds);
    const found = await kernel.store.read(() => readTest(runId));
    return { model, runId, ...found, ...(problem === undefined ? {} : { problem, isOk: false }) };
  },
});

/** A key or a program that is not there needs no call to be found out; an unknown model is refused. */
async function findMissing({ models }: Kernel, model: string): Promise<Tested["problem"]> {
  try {
    await models.find(model);
    return undefined;
  } catch (error) {
    if (!(error instanceof ProductError) || error.kind !== "provider") throw error;
    const { code, message, hint } = error;
    return { code, message, hint };
  }
}

async function start({ kernel, caller }: OperationContext, model: string): Promise<string> {
  const { store, clock, engine } = kernel;
  const input = { model };
  const runId = await store.write(() =>
    startRun(
      engine,
      {
        method: "model",
        title: `Test of ${model}`,
        input,
        jobs: [{ key: "test", handler: MODEL_TEST, step: "test", input }],
      },
      { projectId: null, startedBy: caller.userId },
      clock.now(),
    ),
  );
  kernel.wake();
  return runId;
}

/** False when the time was up, or when it cannot go on by itself. */
async function waitAtMost(
  { kernel, signal }: OperationContext,
  runId: string,
  mostMs: number,
): Promise<boolean> {
  const over = new AbortController();
  const timeUp = kernel.clock.sleep(mostMs, AbortSignal.any([signal, over.signal]));
  const waiting = new AbortController();
  try {
    const end = await Promise.race([
      waitForRun(kernel, runId, AbortSignal.any([signal, waiting.signal])),
      timeUp,
    ]);
    return end !== undefined && isEnded(end.state);
  } finally {
    over.abort();
    waiting.abort();
  }
}

async function giveUp(
  { kernel, caller }: OperationContext,
  runId: string,
  seconds: number,
): Promise<Tested["problem"]> {
  const { engine, clock, store } = kernel;
  const reason = await store.write(function* () {
    const { state, reason: why } = yield* getRunEnd(runId);
    if (isEnded(state)) return undefined;
    yield* cancelRun(engine, runId, caller.userId, clock.now());
    return (
      why ?? {
        code: "model_test_timeout",
        message: `It has not answered within ${seconds} s.`,
        hint: "Is the engine running (`serve`, `work`)? Give it more time with --timeout-seconds.",
      }
    );
  });
  kernel.wake();
  return reason;
}

function* readTest(runId: string): DatabaseWork<Omit<Tested, "model">> {
  const { state, reason } = yield* getRunEnd(runId);
  const isOk = state === "completed";
  const problem = isOk || reason === null ? {} : { problem: reason };
  const [exchange] = yield* listExchanges(runId, { order: "newest", limit: 1 });
  if (exchange === undefined) return { isOk, ...problem };
  const { reply, finish, rawFinish } = yield* getExchangeText(exchange.id);
  const { createdAt, finishedAt, inputTokens, outputTokens, costMicroUsd } = exchange;
  return {
    isOk,
    reply,
    latencyMs: finishedAt === undefined ? undefined : finishedAt - createdAt,
    finish,
    rawFinish,
    inputTokens,
    outputTokens,
    costMicroUsd,
    exchangeId: exchange.id,
    ...problem,
  };
}

function* getRunEnd(runId: string) {
  const run = yield* queryFirst(
    db.selectFrom("run").select(["state", "reason"]).where("id", "=", runId),
  );
  const state = run?.state ?? ("cancelled" as const);
  return { state, reason: JSON.parse(run?.reason ?? "null") as Reason | null };
}

function renderTested(test: z.output<typeof tested>): string {
  const { model, isOk, reply, problem, exchangeId } = test;
  const facts = fieldLines([
    ["took", test.latencyMs === undefined ? undefined : `${test.latencyMs} ms`],
    ["finish", finishText(test)],
    ["tokens", tokenText(test)],
    ["cost", test.costMicroUsd === undefined ? costUnknown(test) : money(test.costMicroUsd)],
    ["reply", reply === undefined || reply === "" ? undefined : oneLine(reply)],
    ["exchange", exchangeId],
  ]);
  if (isOk) return blocks(doneLine(`${model} answers.`), facts);
  const why = problem === undefined ? "" : `: ${problem.message} (${problem.code})`;
  return blocks(`✗ ${model} does not answer${why}`, problem?.hint, facts);
}

function finishText({ finish, rawFinish }: z.output<typeof tested>): string | undefined {
  return rawFinish === undefined || rawFinish === finish ? finish : `${finish} (${rawFinish})`;
}

function tokenText({ inputTokens, outputTokens }: z.output<typeof tested>): string | undefined {
  if (inputTokens === undefined && outputTokens === undefined) return undefined;
  return `${inputTokens ?? "?"} in, ${outputTokens ?? "?"} out`;
}

function costUnknown({ exchangeId }: z.output<typeof tested>): string | undefined {
  return exchangeId === undefined ? undefined : "unknown";
}
