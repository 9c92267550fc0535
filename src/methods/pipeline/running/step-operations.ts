/** The steps of a run: where they stand, and what people do with them. */

import { z } from "zod";
import { ProductError } from "../../../kernel/base/errors.ts";
import { change } from "../../../kernel/operation/change-work.ts";
import {
  defineOperation,
  type Operation,
  type OperationContext,
} from "../../../kernel/operation/operation.ts";
import { idField } from "../../../kernel/operation/operation-fields.ts";
import { withoutRedactedPassages } from "../../../kernel/operation/redacted-view.ts";
import { rendering } from "../../../kernel/operation/rendering.ts";
import { actOnRun } from "../../../kernel/run/act-on-run.ts";
import type { Decision } from "../../../kernel/run/decision.ts";
import { type DatabaseWork, queryFirst } from "../../../kernel/store/database-work.ts";
import { resolveId } from "../../../kernel/store/resolve-id.ts";
import { RUN_FOLLOWED } from "./run-followed.ts";
import { runGraphOperations } from "./run-graph-operations.ts";
import { running } from "./run-tables.ts";
import { forceJoin, rerunFrom, retryStep, skipStep, stuckSteps } from "./step-acts.ts";
import { outlineOf } from "./step-outline.ts";
import { outlineShape } from "./step-shape.ts";
import { renderOutline } from "./step-view.ts";

const stepField = z.string().min(1).max(200).describe("The step's id in the diagram.");
const taskField = idField("task").describe("The task that stands for the step.");

const list = defineOperation({
  name: "step.list",
  summary: "Shows where a run of a workflow stands, step by step.",
  effect: "reads",
  permission: "read",
  projectScope: { runId: "run" },
  input: z.object({ runId: idField("run") }),
  output: outlineShape,
  surfaces: {
    cli: {
      positionals: ["runId"],
      render: rendering(outlineShape, renderOutline),
      follow: RUN_FOLLOWED,
      examples: ["step list 0199a1b2", "step list 0199a1b2 --follow"],
    },
    mcp: "full",
  },
  run: ({ kernel, caller }, { runId }) =>
    kernel.store.read(function* () {
      const id = yield* resolveId("run", runId, caller);
      return yield* shownOutline(id, kernel.clock.now());
    }),
});

/** Only the words of people and models are redacted; steps and counts are the workflow's own. */
function* shownOutline(runId: string, asOf: number): DatabaseWork<z.input<typeof outlineShape>> {
  const outline = yield* outlineOf(runId);
  const place = yield* queryFirst(
    running.selectFrom("run").select("project_id").where("id", "=", runId),
  );
  const shown = yield* withoutRedactedPassages(
    { reason: outline.reason, steps: [...outline.steps] },
    place?.project_id ?? undefined,
  );
  return { ...outline, ...shown, asOf };
}

interface StepAct {
  readonly runId: string;
  readonly reopens?: boolean;
  readonly decide: (by: string, key: string) => DatabaseWork<Decision>;
}

/** One transaction: refused with the reason, or done; then the run is shown as it stands. */
async function act(
  context: OperationContext,
  find: () => DatabaseWork<readonly StepAct[]>,
): Promise<z.input<typeof outlineShape>> {
  const { kernel } = context;
  const outline = await change(context, function* ({ actor, now }) {
    const acts = yield* find();
    for (const { runId, reopens = false, decide } of acts) {
      const key = `act:${kernel.ids.next()}`;
      yield* actOnRun(kernel.engine, { runId, actor, reopens }, () => decide(actor, key), now);
    }
    return yield* shownOutline(acts[0]?.runId ?? "", now);
  });
  kernel.wake();
  return outline;
}

function* runOfTask(taskId: string): DatabaseWork<string> {
  const row = yield* queryFirst(
    running.selectFrom("step_visit").select("run_id").where("id", "=", taskId),
  );
  if (row) return row.run_id;
  throw new ProductError("task_not_in_run", "This task is no step of a workflow's run.", {
    kind: "conflict",
    hint: "`task list --run` shows the tasks of a run.",
  });
}

const retry = defineOperation({
  name: "step.retry",
  summary: "Does a held or failed step again; given a run, all of them.",
  effect: "writes",
  permission: "run",
  input: z.object({
    target: z.string().min(1).max(100).describe("A task, or a run for all its stuck steps."),
    instruction: z
      .string()
      .max(20_000)
      .optional()
      .describe("What to do differently; goes into the next prompt."),
  }),
  output: outlineShape,
  surfaces: {
    cli: {
      positionals: ["target"],
      render: rendering(outlineShape, renderOutline),
      examples: ['step retry 0199a1b2 --instruction "Only look at src/"'],
    },
    mcp: "full",
  },
  run: (context, { target, instruction }) =>
    act(context, function* () {
      const { runId, tasks } = yield* stuckOf(target, context);
      return tasks.map((taskId) => ({
        runId,
        reopens: true,
        decide: () => retryStep(taskId, instruction),
      }));
    }),
});

function* stuckOf(
  target: string,
  { caller }: OperationContext,
): DatabaseWork<{ readonly runId: string; readonly tasks: readonly string[] }> {
  const run = yield* tryResolve("run", target, caller);
  if (run === undefined) {
    const taskId = yield* resolveId("task", target, caller);
    return { runId: yield* runOfTask(taskId), tasks: [taskId] };
  }
  const tasks = yield* stuckSteps(run);
  if (tasks.length > 0) return { runId: run, tasks };
  throw new ProductError("run_not_stuck", "No step of this run is held or failed.", {
    kind: "conflict",
    hint: "`step list` shows where it stands.",
  });
}

function* tryResolve(
  noun: "run",
  given: string,
  caller: OperationContext["caller"],
): DatabaseWork<string | undefined> {
  try {
    return yield* resolveId(noun, given, caller);
  } catch (error) {
    if (error instanceof ProductError && error.kind === "not_found") return undefined;
    throw error;
  }
}

const skip = defineOperation({
  name: "step.skip",
  summary: "Goes on without a step; inside a foreach, without the item.",
  effect: "writes",
  permission: "run",
  projectScope: { taskId: "task" },
  input: z.object({ taskId: taskField }),
  output: outlineShape,
  surfaces: {
    cli: {
      positionals: ["taskId"],
      render: rendering(outlineShape, renderOutline),
      examples: ["step skip 0199a1b2"],
    },
    mcp: "full",
  },
  run: (context, { taskId }) =>
    act(context, function* () {
      const id = yield* resolveId("task", taskId, context.caller);
      return [{ runId: yield* runOfTask(id), decide: (by) => skipStep(id, by) }];
    }),
});

const rerun = defineOperation({
  name: "step.rerun",
  summary: "Runs a step again with what it was given, and everything after it.",
  effect: "writes",
  permission: "run",
  projectScope: { runId: "run" },
  input: z.object({ runId: idField("run"), step: stepField }),
  output: outlineShape,
  surfaces: {
    cli: {
      positionals: ["runId", "step"],
      render: rendering(outlineShape, renderOutline),
      examples: ["step rerun 0199a1b2 D"],
    },
    mcp: "full",
  },
  run: (context, { runId, step }) =>
    act(context, function* () {
      const id = yield* resolveId("run", runId, context.caller);
      const nextId = () => context.kernel.ids.next();
      return [{ runId: id, reopens: true, decide: (_by, key) => rerunFrom(id, step, key, nextId) }];
    }),
});

const force = defineOperation({
  name: "step.force",
  summary: "Lets a join go on with what there is; work still on its way to it is dropped.",
  effect: "destroys",
  permission: "run",
  projectScope: { runId: "run" },
  input: z.object({ runId: idField("run"), step: stepField.describe("The join, or its foreach.") }),
  output: outlineShape,
  surfaces: {
    cli: {
      positionals: ["runId", "step"],
      render: rendering(outlineShape, renderOutline),
      examples: ["step force 0199a1b2 D"],
    },
    mcp: "full",
  },
  run: (context, { runId, step }) =>
    act(context, function* () {
      const id = yield* resolveId("run", runId, context.caller);
      return [{ runId: id, decide: (_by, key) => forceJoin(id, step, key) }];
    }),
});

export const stepOperations: readonly Operation[] = [
  list,
  ...runGraphOperations,
  retry,
  skip,
  rerun,
  force,
];
