/** Moves tasks of a run along the table of statuses; steps between that the table asks for are taken. */

import { isJsonObject, type Json, type JsonObject } from "../../../kernel/base/json.ts";
import type { Act } from "../../../kernel/store/audited-rows.ts";
import type { DatabaseWork } from "../../../kernel/store/database-work.ts";
import type { TaskStatus, TaskTable } from "../../../kernel/store/noun-tables.ts";
import type { TaskPatch } from "../../../kernel/store/task.ts";
import { allowedTransitions } from "../../../kernel/store/task-transitions.ts";
import { reviseTasks, type TaskRevision } from "../../../kernel/store/tasks.ts";

export interface TaskMove extends Omit<TaskPatch, "status" | "additionalInfo" | "extraPrompt"> {
  readonly id: string;
  readonly status?: TaskStatus;
  /** Somebody asked for the work to be done again. */
  readonly rerun?: boolean;
  /** What is known of a task stays known when more is said. */
  readonly info?: JsonObject;
  /** Added to what was said before. */
  readonly instruction?: string;
  /** The engine unless given. */
  readonly by?: string;
}

export function moveTask(move: TaskMove, now: number): DatabaseWork<void> {
  return moveTasks([move], now);
}

/**
 * A status that a task has already, or that nothing leads to, stays: a subflow that waits does not become in progress
 * to be told its result. What is said beside it counts all the same, unless the task is over.
 */
export function moveTasks(moves: readonly TaskMove[], now: number): DatabaseWork<void> {
  return reviseTasks(
    moves.map((move) => toRevision(move, now)),
    now,
  );
}

function toRevision(move: TaskMove, now: number): TaskRevision {
  const { id, status, rerun = false, info, instruction, by = "engine", ...fields } = move;
  const act: Act = { actor: by, now };
  return {
    id,
    act,
    rerun,
    steps: (task) => {
      const way = status === undefined ? [] : wayTo(task.status, status, rerun);
      if (way === undefined && isOver(task.status)) return [];
      const patch: TaskPatch = {
        ...fields,
        ...(info === undefined ? {} : { additionalInfo: withInfo(task, info) }),
        ...(instruction === undefined ? {} : { extraPrompt: withInstruction(task, instruction) }),
      };
      const last = way?.at(-1);
      if (way === undefined || last === undefined)
        return Object.keys(patch).length > 0 ? [patch] : [];
      return [
        ...way.slice(0, -1).map((between) => ({ status: between })),
        { ...patch, status: last },
      ];
    },
  };
}

function isOver(status: TaskStatus): boolean {
  return status === "completed" || status === "failed" || status === "cancelled";
}

function withInfo({ additional_info }: TaskTable, more: JsonObject): JsonObject {
  const known = JSON.parse(additional_info ?? "{}") as Json;
  return isJsonObject(known) ? { ...known, ...more } : more;
}

function withInstruction({ extra_prompt }: TaskTable, instruction: string): string {
  return extra_prompt ? `${extra_prompt}\n\n${instruction}` : instruction;
}

/** What a task passes through without resting there. */
const PASSED: readonly TaskStatus[] = ["pending", "in_progress"];

/** A manual task that was just completed, for example, has been in progress for a moment. */
function wayTo(
  from: TaskStatus,
  to: TaskStatus,
  rerun: boolean,
): readonly TaskStatus[] | undefined {
  if (from === to) return [];
  let ways: readonly (readonly TaskStatus[])[] = [[]];
  for (let length = 0; length <= PASSED.length; length += 1) {
    const further: (readonly TaskStatus[])[] = [];
    for (const way of ways) {
      const next = allowedTransitions(way.at(-1) ?? from, { rerun });
      if (next.includes(to)) return [...way, to];
      for (const status of next) if (PASSED.includes(status)) further.push([...way, status]);
    }
    ways = further;
  }
  return undefined;
}
