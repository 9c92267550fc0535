/** Changing tasks with care: who may, to whom they may be handed, and what a live run keeps to itself. */

import { ProductError } from "../../kernel/base/errors.ts";
import type { Caller } from "../../kernel/operation/caller.ts";
import { requireSeeing } from "../../kernel/operation/project-rights.ts";
import { resolveOptional, resolveUser } from "../../kernel/operation/resolve-names.ts";
import { isEnded } from "../../kernel/run/run-state.ts";
import type { Act } from "../../kernel/store/audited-rows.ts";
import { type DatabaseWork, queryFirst } from "../../kernel/store/database-work.ts";
import { db } from "../../kernel/store/query-builder.ts";
import { resolveId } from "../../kernel/store/resolve-id.ts";
import type { Task, TaskPatch } from "../../kernel/store/task.ts";
import { getTask } from "../../kernel/store/task-lists.ts";
import { type TaskChange, updateTask } from "../../kernel/store/tasks.ts";
import { getUser } from "../../kernel/store/users.ts";

export function* getNamedTask(given: string, caller: Caller): DatabaseWork<Task> {
  return yield* getTask(yield* resolveId("task", given, caller), caller);
}

export function* moveTask(
  task: Task,
  patch: TaskPatch,
  act: Act,
  options: TaskChange,
): DatabaseWork<Task> {
  const isMove = patch.status !== undefined && patch.status !== task.status;
  if (isMove && task.runId !== undefined) yield* refuseLiveRun(task, task.runId);
  return yield* updateTask(task.id, patch, act, options);
}

export function* resolveAssignee(
  given: string | null | undefined,
  projectId: string | undefined,
  caller: Caller,
): DatabaseWork<string | null | undefined> {
  const userId = yield* resolveOptional(given, (text) => resolveUser(text, caller));
  if (typeof userId === "string") yield* requireSeeing(yield* getUser(userId), projectId);
  return userId;
}

/** While a run is alive its tasks are moved by it; moving one behind its back would leave the run waiting for ever. */
function* refuseLiveRun({ id }: Task, runId: string): DatabaseWork<void> {
  const run = yield* queryFirst(db.selectFrom("run").select("state").where("id", "=", runId));
  if (run === undefined || isEnded(run.state)) return;
  throw new ProductError(
    "task_of_run",
    `The task "${id}" is moved by its run, which is ${run.state}.`,
    {
      kind: "conflict",
      hint: `Answer what it waits for (\`inbox list\`), or steer the run: \`run show ${runId}\`.`,
      details: { runId },
    },
  );
}
