/** Where a task may go from where it stands, and what that is called. The table is the server's own. */

import { TASK_TRANSITIONS } from "../../../src/kernel/store/task-transitions.ts";
import type { Item } from "../api/operation.ts";
import { performChange } from "../data/use-change.ts";
import { reportProblem } from "../shell/problems.ts";
import { toast } from "../shell/toasts.tsx";

export type TaskLine = Item<"task.list">;
export type TaskStatus = TaskLine["status"];

const VERBS: Readonly<Record<TaskStatus, string>> = {
  pending: "Put back to do",
  in_progress: "Start",
  waiting: "Set to waiting",
  on_hold: "Put on hold",
  completed: "Complete",
  failed: "Mark as failed",
  cancelled: "Cancel for good",
};

export function mayBecome(status: TaskStatus): readonly TaskStatus[] {
  return TASK_TRANSITIONS[status];
}

export function moveVerb(status: TaskStatus): string {
  return VERBS[status];
}

/** Where a task is known by: enough to change it without changing what somebody else changed. */
export type MovedTask = Pick<TaskLine, "id" | "title" | "version" | "status">;

export function moveTask(task: MovedTask, status: TaskStatus, holdReason?: string): void {
  performChange("task.update", {
    taskId: task.id,
    status,
    expectedVersion: task.version,
    ...(holdReason === undefined ? {} : { holdReason }),
  })
    .then((moved) => {
      const isBack = mayBecome(status).includes(task.status) && task.status !== "on_hold";
      const undo = () => moveTask(moved, task.status);
      toast(`${TOLD[status]}: ${task.title}`, isBack ? { undo } : {});
    })
    .catch(reportProblem);
}

const TOLD: Readonly<Record<TaskStatus, string>> = {
  pending: "To do again",
  in_progress: "In progress",
  waiting: "Waiting",
  on_hold: "On hold",
  completed: "Done",
  failed: "Failed",
  cancelled: "Cancelled",
};

export function assignTask(task: MovedTask, assignee: string | null, name: string): void {
  performChange("task.update", { taskId: task.id, assignee, expectedVersion: task.version })
    .then(() => toast(assignee === null ? "Nobody has it now" : `Now for ${name}`))
    .catch(reportProblem);
}
