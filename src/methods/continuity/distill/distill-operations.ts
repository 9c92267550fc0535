/** `distill`: what of a conversation a project should keep, proposed by a model and reviewed like any harvest. */

import { z } from "zod";
import { ProductError } from "../../../kernel/base/errors.ts";
import type { Json } from "../../../kernel/base/json.ts";
import { estimateTokens } from "../../../kernel/model/estimate-tokens.ts";
import type { Caller } from "../../../kernel/operation/caller.ts";
import {
  defineOperation,
  type Operation,
  type OperationContext,
} from "../../../kernel/operation/operation.ts";
import { idField, projectField } from "../../../kernel/operation/operation-fields.ts";
import { requireRight, requireRightOn } from "../../../kernel/operation/project-rights.ts";
import { rendering } from "../../../kernel/operation/rendering.ts";
import { resolveOptional, resolveProject } from "../../../kernel/operation/resolve-names.ts";
import { waitForRun } from "../../../kernel/operation/wait-for-run.ts";
import { startRun } from "../../../kernel/run/start-run.ts";
import { listProjectsOfConversation } from "../../../kernel/store/conversation-links.ts";
import { type Conversation, getConversation } from "../../../kernel/store/conversations.ts";
import type { DatabaseWork } from "../../../kernel/store/database-work.ts";
import { findProject } from "../../../kernel/store/projects.ts";
import { loadRedactionScope } from "../../../kernel/store/redaction-scope.ts";
import { resolveId } from "../../../kernel/store/resolve-id.ts";
import { toDetail } from "../harvest/harvest-output.ts";
import { reviewHint } from "../harvest/harvest-review-operations.ts";
import { candidateShape, harvestHead } from "../harvest/harvest-shape.ts";
import { getHarvest } from "../harvest/harvests.ts";
import { readMatchingContext } from "../harvest/propose-harvest.ts";
import { PLAN_MOVE, type PlanInput } from "./distill-handlers.ts";
import { renderDistilled } from "./distill-view.ts";
import { planWindows, USUAL_WINDOW } from "./plan-windows.ts";
import { readSizes } from "./read-sizes.ts";

export const distilled = z.object({
  conversationId: z.string(),
  runId: z.string(),
  state: z.string(),
  windows: z.number().describe("In how many parts the conversation is read."),
  harvestId: z
    .string()
    .optional()
    .describe("Absent as long as there is none, and where nothing was found."),
  harvest: harvestHead.optional(),
  candidates: z.array(candidateShape).readonly(),
  dropped: z.number().describe("Proposals whose quote does not stand in the conversation."),
  reason: z.string().optional().describe("Why there is no result."),
});

const start = defineOperation({
  name: "distill.start",
  summary:
    "Has a model propose what of a conversation a project should keep: decisions, tasks, highlights, each with its quote.",
  effect: "writes",
  permission: "run",
  projectScope: { conversationId: "conversation", project: "project" },
  input: z.object({
    conversationId: idField("conversation"),
    project: projectField
      .optional()
      .describe("Where what is accepted will belong; the conversation's own project unless given."),
    model: z
      .string()
      .max(200)
      .optional()
      .describe("`provider/model`; the workspace's default unless given."),
    windowTokens: z
      .int()
      .min(500)
      .max(200_000)
      .default(USUAL_WINDOW.tokens)
      .describe("How much of a long conversation is read at once."),
    wait: z
      .boolean()
      .default(true)
      .describe(
        "Whether to wait for the proposals; without, it comes back as soon as the run has started.",
      ),
  }),
  output: distilled,
  surfaces: {
    cli: {
      words: ["distill"],
      positionals: ["conversationId"],
      examples: [
        "distill 0199a1b2-c3d4",
        "distill 0199a1b2-c3d4 --project Tidepool --model anthropic/claude-sonnet-4-5",
      ],
      render: rendering(distilled, renderDistilled),
      outcome: (output) => outcomeOf(distilled.parse(output).state),
      review: reviewHint,
      follow: {
        stream: "runId",
        until: { "run.completed": "ok", "run.held": "waiting", "run.failed": "internal" },
      },
    },
    mcp: "full",
  },
  run: async (context, input) => {
    const { kernel, caller, signal, report } = context;
    const begun = await begin(context, input);
    const nothing = { ...begun, candidates: [], dropped: 0 };
    if (!input.wait) return { ...nothing, state: "queued" };
    report({ message: `Reading in ${begun.windows} part${begun.windows === 1 ? "" : "s"}…` });
    const { state, result, reason } = await waitForRun(kernel, begun.runId, signal);
    const { data: done } = resultShape.safeParse(result);
    if (done === undefined || done.harvestId === null) {
      return {
        ...nothing,
        state,
        dropped: done?.dropped ?? 0,
        ...(reason === undefined ? {} : { reason }),
      };
    }
    const { harvestId, dropped } = done;
    const shown = { context: readMatchingContext(kernel.library), asOf: kernel.clock.now() };
    const detail = await kernel.store.read(function* () {
      return yield* toDetail(yield* getHarvest(harvestId, caller), shown);
    });
    return { ...begun, ...detail, state, dropped };
  },
});

const resultShape = z.object({
  harvestId: z.string().nullable(),
  candidates: z.number(),
  dropped: z.number(),
});

export const distillOperations: readonly Operation[] = [start];

interface Request {
  readonly conversationId: string;
  readonly project?: string | undefined;
  readonly model?: string | undefined;
  readonly windowTokens: number;
}

async function begin(context: OperationContext, request: Request) {
  const { kernel, caller } = context;
  const model = request.model ?? (await kernel.models.defaultModel());
  // Unknown models are refused here, before anything is written.
  await kernel.models.find(model);
  const { conversation, projectId } = await kernel.store.read(() => findSubject(request, caller));
  const sizes = await readSizes(kernel.store, conversation.id, projectId, estimateTokens);
  const tokens = request.windowTokens;
  const overlap = Math.floor((tokens * USUAL_WINDOW.overlap) / USUAL_WINDOW.tokens);
  const windows = planWindows(sizes, { tokens, overlap });
  if (windows.length === 0) throw nothingToRead(conversation.id);
  const about = { conversationId: conversation.id, projectId: projectId ?? null, model };
  const input: PlanInput = { ...about, windows: [...windows] };
  const runId = await kernel.store.write(() =>
    startRun(
      kernel.engine,
      {
        method: "continuity",
        title: `Distill a conversation with ${model}`,
        input: about,
        jobs: [
          {
            key: "plan",
            handler: PLAN_MOVE,
            step: "plan",
            input: JSON.parse(JSON.stringify(input)) as Json,
          },
        ],
      },
      { projectId: projectId ?? null, startedBy: caller.userId },
      kernel.clock.now(),
    ),
  );
  kernel.wake();
  return { conversationId: conversation.id, runId, windows: windows.length };
}

interface Subject {
  readonly conversation: Conversation;
  readonly projectId: string | undefined;
}

function* findSubject(request: Request, caller: Caller): DatabaseWork<Subject> {
  const id = yield* resolveId("conversation", request.conversationId, caller);
  const conversation = yield* getConversation(id, caller);
  const given = yield* resolveOptional(request.project, (text) => resolveProject(text, caller));
  const projectId = given ?? (yield* onlyProject(id, caller));
  if (projectId === undefined) {
    const { createdBy } = conversation;
    yield* requireRightOn(caller, { conversationId: id, createdBy }, "run");
  } else yield* requireRight(caller, projectId, "run");
  const scope = yield* loadRedactionScope(projectId === undefined ? undefined : [projectId]);
  if (scope.conversationIds.has(id)) throw conversationRedacted(id);
  return { conversation, projectId };
}

/** With several, nobody could say where a task belongs. */
function* onlyProject(conversationId: string, caller: Caller): DatabaseWork<string | undefined> {
  const seen: string[] = [];
  for (const id of yield* listProjectsOfConversation(conversationId)) {
    if ((yield* findProject(id, caller)) !== undefined) seen.push(id);
  }
  return seen.length === 1 ? seen[0] : undefined;
}

function conversationRedacted(id: string): ProductError {
  return new ProductError("conversation_redacted", `The conversation "${id}" is redacted.`, {
    kind: "conflict",
    hint: "Lift the redaction, or distill another conversation.",
    details: { id },
  });
}

function nothingToRead(id: string): ProductError {
  return new ProductError("distill_nothing", "There is nothing in this conversation to read.", {
    hint: "It has no messages of people or models, or all of them are redacted.",
    details: { id },
  });
}

function outcomeOf(state: string): "ok" | "waiting" | "internal" {
  if (state === "completed" || state === "queued") return "ok";
  return state === "held" || state === "paused" ? "waiting" : "internal";
}
