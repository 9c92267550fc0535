/** The common steps of a task in words of their own, and its archive. */

import { z } from "zod";
import type { Caller } from "../../kernel/operation/caller.ts";
import { change } from "../../kernel/operation/change-work.ts";
import { lifecycleOperations } from "../../kernel/operation/lifecycle-operations.ts";
import { defineOperation, type Operation } from "../../kernel/operation/operation.ts";
import {
  becauseField,
  expectedVersionField,
  idField,
  jsonValue,
  textField,
} from "../../kernel/operation/operation-fields.ts";
import { rendering } from "../../kernel/operation/rendering.ts";
import { doneLine } from "../../kernel/operation/state-marks.ts";
import type { TaskPatch } from "../../kernel/store/task.ts";
import { archiveTask, deleteTask, restoreTask } from "../../kernel/store/tasks.ts";
import { showTask } from "./shown-tasks.ts";
import { getNamedTask, moveTask } from "./task-moves.ts";
import { taskShape } from "./task-shape.ts";
import { taskLine } from "./task-view.ts";

/** Each step takes the task and what belongs to the step. */
function stepOperation<Extra extends z.ZodRawShape>(
  step: {
    readonly verb: string;
    readonly summary: string;
    readonly extra: Extra;
    readonly positionals: readonly string[];
    readonly examples: readonly string[];
  },
  patchOf: (given: z.output<z.ZodObject<Extra>>, caller: Caller) => TaskPatch,
): Operation {
  const { verb, summary, extra, positionals, examples } = step;
  const target = z.object({
    taskId: idField("task"),
    because: becauseField,
    expectedVersion: expectedVersionField,
  });
  const own = z.object(extra);
  return defineOperation({
    name: `task.${verb}`,
    summary,
    effect: "writes",
    permission: "edit",
    projectScope: { taskId: "task" },
    input: z.object({ ...target.shape, ...extra }),
    output: taskShape,
    surfaces: {
      cli: {
        positionals,
        examples,
        render: rendering(taskShape, (task) => doneLine(`Changed ${taskLine(task)}.`)),
      },
      mcp: "full",
    },
    run: (context, input) => {
      const { taskId, because, expectedVersion } = target.parse(input);
      const patch = patchOf(own.parse(input), context.caller);
      return change(
        context,
        function* (act) {
          const task = yield* getNamedTask(taskId, context.caller);
          return yield* showTask(yield* moveTask(task, patch, act, { expectedVersion }));
        },
        because,
      );
    },
  });
}

const steps: readonly Operation[] = [
  stepOperation(
    {
      verb: "start",
      summary: "Starts a task: it is yours and in progress.",
      extra: {},
      positionals: ["taskId"],
      examples: ["task start 0199a1b2-c3d4"],
    },
    (_, { userId }) => ({ status: "in_progress", assigneeId: userId }),
  ),
  stepOperation(
    {
      verb: "complete",
      summary: "Completes a task, with what came of it.",
      extra: {
        output: jsonValue.optional().describe("What came of it, as JSON."),
        summary: textField(5000).optional().describe("What came of it, in words."),
      },
      positionals: ["taskId"],
      examples: ['task complete 0199a1b2-c3d4 --summary "Merged as #482"'],
    },
    ({ output, summary }) => ({ status: "completed", output, summary }),
  ),
  stepOperation(
    {
      verb: "hold",
      summary: "Puts a task on hold, with the reason.",
      extra: { reason: z.string().min(1).max(2000).describe("What it waits for.") },
      positionals: ["taskId", "reason"],
      examples: ['task hold 0199a1b2-c3d4 "waits for the design"'],
    },
    ({ reason }) => ({ status: "on_hold", holdReason: reason }),
  ),
  stepOperation(
    {
      verb: "cancel",
      summary: "Cancels a task for good.",
      extra: {},
      positionals: ["taskId"],
      examples: ["task cancel 0199a1b2-c3d4"],
    },
    () => ({ status: "cancelled" }),
  ),
];

const lifecycle = lifecycleOperations({
  noun: "task",
  permission: "edit",
  output: taskShape,
  *find(given, caller) {
    return (yield* getNamedTask(given, caller)).id;
  },
  *archive(id, act, expectedVersion) {
    return yield* showTask(yield* archiveTask(id, act, expectedVersion));
  },
  *restore(id, act, expectedVersion) {
    return yield* showTask(yield* restoreTask(id, act, expectedVersion));
  },
  remove: deleteTask,
});

export const taskStepOperations: readonly Operation[] = [...steps, ...lifecycle];
