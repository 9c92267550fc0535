/** The one table of how a task's status may change. All else is refused, with the reason. */

import { ProductError } from "../base/errors.ts";
import type { TaskStatus } from "./noun-tables.ts";

export const TASK_TRANSITIONS: Readonly<Record<TaskStatus, readonly TaskStatus[]>> = {
  pending: ["in_progress", "on_hold", "cancelled"],
  in_progress: ["waiting", "on_hold", "completed", "failed", "pending", "cancelled"],
  waiting: ["completed", "failed", "on_hold", "cancelled"],
  on_hold: ["pending", "completed", "failed", "cancelled"],
  failed: ["pending"],
  completed: [],
  cancelled: [],
};

/** Allowed only where somebody asked for the work to be done again. */
export const RERUN_TRANSITIONS: Readonly<Partial<Record<TaskStatus, readonly TaskStatus[]>>> = {
  completed: ["pending"],
};

export interface TransitionOptions {
  readonly rerun?: boolean | undefined;
}

export function allowedTransitions(
  from: TaskStatus,
  { rerun = false }: TransitionOptions = {},
): readonly TaskStatus[] {
  return rerun
    ? [...TASK_TRANSITIONS[from], ...(RERUN_TRANSITIONS[from] ?? [])]
    : TASK_TRANSITIONS[from];
}

/** Throws when a task may not go from one status to the other. */
export function checkTransition(
  from: TaskStatus,
  to: TaskStatus,
  options: TransitionOptions = {},
): void {
  const allowed = allowedTransitions(from, options);
  if (allowed.includes(to)) return;
  const needsRerun = RERUN_TRANSITIONS[from]?.includes(to) === true;
  throw new ProductError("task_transition", reasonAgainst(from, to, allowed, needsRerun), {
    kind: "conflict",
    hint: needsRerun
      ? "Rerun the task to have the work done again."
      : "Choose one of the allowed statuses.",
    details: { from, to, allowed },
  });
}

function reasonAgainst(
  from: TaskStatus,
  to: TaskStatus,
  allowed: readonly TaskStatus[],
  needsRerun: boolean,
): string {
  if (from === to) return `The task is already ${from}.`;
  if (needsRerun) return `A task that is ${from} becomes ${to} only by a rerun.`;
  if (allowed.length === 0) return `A task that is ${from} is final and cannot become ${to}.`;
  return `A task that is ${from} cannot become ${to}; it may become ${allowed.join(", ")}.`;
}
