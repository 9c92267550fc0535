/** Has an agent do a task now, or says why that cannot be. */

import { ProductError } from "../../../kernel/base/errors.ts";
import { change } from "../../../kernel/operation/change-work.ts";
import type { OperationContext } from "../../../kernel/operation/operation.ts";
import { getForChange } from "../../../kernel/store/audited-rows.ts";
import { type DatabaseWork, queryFirst } from "../../../kernel/store/database-work.ts";
import { resolveId } from "../../../kernel/store/resolve-id.ts";
import { type Task, toTask } from "../../../kernel/store/task.ts";
import { TASKS } from "../../../kernel/store/tasks.ts";
import { findUser, type User } from "../../../kernel/store/users.ts";
import { starters } from "../starters/starter-tables.ts";
import { isUnbound } from "./free-tasks.ts";
import { startTask } from "./start-task.ts";

export async function runTask(
  context: OperationContext,
  { taskId, model }: { readonly taskId: string; readonly model?: string | undefined },
) {
  const { kernel, caller } = context;
  if (model !== undefined) await kernel.models.find(model);
  const usual = await kernel.models.defaultModel();
  const started = await change(context, function* (act) {
    const id = yield* resolveId("task", taskId, caller);
    const task = toTask(yield* getForChange(TASKS, id));
    const agent = yield* requireAgent(task);
    yield* requireFree(task);
    const runId = yield* startTask(
      kernel.engine,
      task,
      { agentId: agent.id, model: model ?? agent.model ?? usual, startedBy: caller.userId },
      act,
    );
    return { runId, taskId: id, title: task.title, agentName: agent.displayName };
  });
  kernel.wake();
  return started;
}

function* requireAgent({ assigneeId }: Task): DatabaseWork<User> {
  const assignee = assigneeId === undefined ? undefined : yield* findUser(assigneeId);
  if (!assignee?.isAgent) {
    const whose = assignee === undefined ? "nobody's" : `${assignee.displayName}'s`;
    throw new ProductError("task_not_for_agent", `The task is ${whose}; only agents are run.`, {
      kind: "conflict",
      hint: "Give it to one: `task update … --assignee AGENT`. `agent list` shows them.",
    });
  }
  if (assignee.isActive) return assignee;
  throw new ProductError("agent_inactive", `${assignee.displayName} is out of service.`, {
    kind: "conflict",
    hint: "Bring it back with `agent restore`, or give the task to another one.",
  });
}

function* requireFree({ id, status, runId, isInactive, projectId }: Task): DatabaseWork<void> {
  if (isInactive) throw refused("task_archived", "The task is archived.", "`task restore` first.");
  const project =
    projectId === undefined
      ? undefined
      : yield* queryFirst(
          starters.selectFrom("project").select("is_archived").where("id", "=", projectId),
        );
  if (project?.is_archived === 1) {
    throw refused("project_archived", "Its project is archived.", "`project restore` first.");
  }
  const unbound = yield* queryFirst(
    starters.selectFrom("task").select("id").where("id", "=", id).where(isUnbound),
  );
  if (unbound === undefined) {
    throw refused("task_of_run", "The task is done by its run.", `\`run show ${runId}\` shows it.`);
  }
  if (status === "pending") return;
  throw refused(
    "task_not_pending",
    `The task is ${status.replace("_", " ")}; only pending ones are taken up.`,
    "`task update … --status pending`, with --rerun for a completed one.",
  );
}

function refused(code: string, message: string, hint: string): ProductError {
  return new ProductError(code, message, { kind: "conflict", hint });
}
