/** `ask`: one prompt, one contract, one result, kept as an exchange. */

import * as z from "zod";
import type { Json } from "../../kernel/base/json.ts";
import type { Caller } from "../../kernel/operation/caller.ts";
import type { Kernel } from "../../kernel/operation/kernel.ts";
import { defineOperation, type Operation } from "../../kernel/operation/operation.ts";
import { resolveProject } from "../../kernel/operation/resolve-names.ts";
import { waitForRun } from "../../kernel/operation/wait-for-run.ts";
import { startRun } from "../../kernel/run/start-run.ts";
import { askAnswerSchema } from "./ask-contract.ts";
import { ASK_TURN } from "./ask-handler.ts";
import { renderAnswer } from "./ask-view.ts";

const askInput = z.strictObject({
  request: z.string().min(1).max(100_000).describe("What you want to know, in your own words."),
  context: z
    .string()
    .max(1_000_000)
    .optional()
    .describe("Material to read; it is treated as data, not as instructions."),
  model: z.string().optional().describe("`provider/model`; the workspace's default unless given."),
  project: z.string().optional().describe("The project it belongs to: name or id."),
});

const askOutput = z.object({
  runId: z.string(),
  state: z.string(),
  answer: askAnswerSchema.optional(),
  exchangeId: z.string().optional(),
  reason: z.string().optional(),
});

export const askOperations: readonly Operation[] = [
  defineOperation({
    name: "ask.start",
    summary: "Ask a model one thing and come back for the answer later.",
    effect: "writes",
    permission: "run",
    projectScope: { project: "project" },
    input: askInput,
    output: z.object({ runId: z.string() }),
    surfaces: {
      cli: {
        positionals: ["request"],
        stdin: "context",
        follow: {
          stream: "runId",
          until: { "run.completed": "ok", "run.held": "waiting", "run.failed": "internal" },
        },
        examples: ['ask start "Summarise this" < notes.md'],
      },
      mcp: "full",
    },
    run: ({ kernel, caller }, input) => startAsk(kernel, caller, input),
  }),
  defineOperation({
    name: "ask.answer",
    summary: "Ask a model one thing and get the answer.",
    effect: "writes",
    permission: "run",
    projectScope: { project: "project" },
    input: askInput,
    output: askOutput,
    surfaces: {
      cli: {
        words: ["ask"],
        positionals: ["request"],
        stdin: "context",
        render: (output) => renderAnswer(askOutput.parse(output)),
        outcome: (output) => {
          const { state } = askOutput.parse(output);
          if (state === "completed") return "ok";
          return state === "failed" || state === "cancelled" ? "internal" : "waiting";
        },
        examples: [
          'ask "What should we do next?"',
          'ask "What does this say about risks?" < report.md',
        ],
      },
      mcp: "full",
    },
    run: async ({ kernel, caller, signal, report }, input) => {
      const { runId } = await startAsk(kernel, caller, input);
      report({ message: "Asked. Waiting for the answer…" });
      const { state, result, reason } = await waitForRun(kernel, runId, signal);
      const answer = askAnswerSchema.extend({ exchangeId: z.string() }).safeParse(result);
      return {
        runId,
        state,
        ...(answer.success ? { answer: answer.data, exchangeId: answer.data.exchangeId } : {}),
        ...(reason === undefined ? {} : { reason }),
      };
    },
  }),
];

/** What it gives is an answer, too: whoever asks again under the same key after a crash is led to the run. */
async function startAsk(
  kernel: Kernel,
  caller: Caller,
  input: z.output<typeof askInput>,
): Promise<{ readonly runId: string; readonly state: string }> {
  const { store, clock, engine, models } = kernel;
  const model = input.model ?? (await models.defaultModel());
  // Unknown models are refused here, before anything is written.
  await models.find(model);
  const turn: Json = { request: input.request, context: input.context ?? "", model };
  const title =
    input.request.length > 80 ? `${input.request.slice(0, 79).trimEnd()}…` : input.request;
  const started = await store.write(function* () {
    const projectId =
      input.project === undefined ? null : yield* resolveProject(input.project, caller);
    const runId = yield* startRun(
      engine,
      {
        method: "ask",
        title,
        input: turn,
        jobs: [{ key: "answer", handler: ASK_TURN, step: "answer", input: turn }],
      },
      { projectId, startedBy: caller.userId },
      clock.now(),
    );
    return { runId, state: "queued" };
  });
  kernel.wake();
  return started;
}
