/** Which task is next for somebody: what is theirs first, then what nobody has; the oldest first unless a view says otherwise. */

import type { Caller } from "../../kernel/operation/caller.ts";
import type { DatabaseWork } from "../../kernel/store/database-work.ts";
import type { Task } from "../../kernel/store/task.ts";
import type { TaskSelection } from "../../kernel/store/task-lists.ts";
import { listInOrder, type TaskOrder } from "./task-selection.ts";

export interface NextTaskRequest {
  readonly selection: TaskSelection;
  readonly order: TaskOrder;
  readonly assigneeId: string;
  readonly alsoUnassigned: boolean;
}

export function* findNextTask(
  { selection, order, assigneeId, alsoUnassigned }: NextTaskRequest,
  caller: Caller,
): DatabaseWork<Task | undefined> {
  const whose =
    selection.assigneeId === undefined
      ? [assigneeId, ...(alsoUnassigned ? [null] : [])]
      : [selection.assigneeId];
  for (const each of whose) {
    const pending = { ...selection, statuses: ["pending" as const], assigneeId: each };
    const task = yield* firstFree(pending, order, caller);
    if (task !== undefined) return task;
  }
  return undefined;
}

/** Tasks of a run are handed out by the engine, not here. */
function* firstFree(
  selection: TaskSelection,
  order: TaskOrder,
  caller: Caller,
): DatabaseWork<Task | undefined> {
  let cursor: string | undefined;
  do {
    const page = yield* listInOrder(selection, caller, { order, limit: 50, cursor });
    const free = page.items.find(({ runId }) => runId === undefined);
    if (free !== undefined) return free;
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return undefined;
}
