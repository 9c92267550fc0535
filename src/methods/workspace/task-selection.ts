/** Which tasks are meant, from the words of a caller or of a saved view. */

import type { z } from "zod";
import { ProductError } from "../../kernel/base/errors.ts";
import type { Caller } from "../../kernel/operation/caller.ts";
import {
  resolveOptional,
  resolveProject,
  resolveUser,
} from "../../kernel/operation/resolve-names.ts";
import type { DatabaseWork } from "../../kernel/store/database-work.ts";
import { type TaskStatus, URGENCIES, type Urgency } from "../../kernel/store/noun-tables.ts";
import type { Page } from "../../kernel/store/page.ts";
import type { Task } from "../../kernel/store/task.ts";
import { listTasks, type TaskSelection } from "../../kernel/store/task-lists.ts";
import type { selectionFields, taskOrder } from "./task-shape.ts";

export const OPEN_STATUSES: readonly TaskStatus[] = [
  "pending",
  "in_progress",
  "waiting",
  "on_hold",
];

export type TaskWords = z.output<z.ZodObject<typeof selectionFields>>;
export type TaskOrder = z.output<typeof taskOrder>;

export function* selectTasks(words: TaskWords, caller: Caller): DatabaseWork<TaskSelection> {
  const { status, urgency, assignee, tag, text, blocker, openLoop } = words;
  return {
    projectId: yield* resolveOptional(words.project, (text) => resolveProject(text, caller)),
    statuses: status,
    urgencies: urgency,
    assigneeId:
      assignee === "nobody"
        ? null
        : yield* resolveOptional(assignee, (text) => resolveUser(text, caller)),
    tags: tag,
    text,
    hasBlocker: blocker,
    hasOpenLoop: openLoop,
  };
}

export interface TaskPageRequest {
  readonly order: TaskOrder;
  readonly limit: number;
  readonly cursor?: string | undefined;
}

/** Like `listTasks`, and also by urgency, one urgency after the other. */
export function* listInOrder(
  selection: TaskSelection,
  caller: Caller,
  { order, limit, cursor }: TaskPageRequest,
): DatabaseWork<Page<Task>> {
  if (order !== "urgent") {
    return yield* listTasks({ ...selection, viewer: caller, order, limit, cursor });
  }
  const wanted = MOST_URGENT_FIRST.filter((each) => selection.urgencies?.includes(each) ?? true);
  const place = parsePlace(cursor, wanted);
  const items: Task[] = [];
  for (let index = place.index; index < wanted.length; index += 1) {
    const urgencies = wanted.slice(index, index + 1);
    const page = yield* listTasks({
      ...selection,
      urgencies,
      viewer: caller,
      order: "oldest",
      limit: limit - items.length,
      cursor: index === place.index ? place.cursor : undefined,
    });
    items.push(...page.items);
    if (page.nextCursor !== undefined)
      return { items, nextCursor: `${wanted[index] ?? ""}~${page.nextCursor}` };
    const next = wanted[index + 1];
    if (items.length === limit && next !== undefined) return { items, nextCursor: `${next}~` };
  }
  return { items };
}

const MOST_URGENT_FIRST: readonly Urgency[] = URGENCIES.toReversed();

interface UrgentPlace {
  readonly index: number;
  readonly cursor: string | undefined;
}

function parsePlace(cursor: string | undefined, wanted: readonly Urgency[]): UrgentPlace {
  if (cursor === undefined) return { index: 0, cursor: undefined };
  const [urgency = "", rest = ""] = cursor.split("~");
  const index = wanted.findIndex((each) => each === urgency);
  if (index === -1 || !cursor.includes("~")) {
    throw new ProductError("cursor_invalid", `"${cursor}" is not a place in this list.`, {
      hint: "Leave it out to read from the beginning, or use the cursor the last page came with.",
    });
  }
  return { index, cursor: rest === "" ? undefined : rest };
}
