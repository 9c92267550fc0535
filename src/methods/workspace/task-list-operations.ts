/** Reading tasks: lists, one with its parts, and the next one to do. */

import { z } from "zod";
import type { Caller } from "../../kernel/operation/caller.ts";
import { nameOf, userNames } from "../../kernel/operation/names.ts";
import { defineOperation, type Operation } from "../../kernel/operation/operation.ts";
import {
  archivedField,
  idField,
  isArchivedFilter,
  pageFields,
} from "../../kernel/operation/operation-fields.ts";
import { rendering } from "../../kernel/operation/rendering.ts";
import {
  resolveOptional,
  resolveProject,
  resolveUser,
} from "../../kernel/operation/resolve-names.ts";
import type { DatabaseWork } from "../../kernel/store/database-work.ts";
import { resolveId } from "../../kernel/store/resolve-id.ts";
import type { Task } from "../../kernel/store/task.ts";
import { countParts, getTask, listTasks, wordsOf } from "../../kernel/store/task-lists.ts";
import { allowedTransitions } from "../../kernel/store/task-transitions.ts";
import { findNextTask } from "./next-task.ts";
import { getView, selectionOf, viewName } from "./saved-views.ts";
import { showTask, showTasks } from "./shown-tasks.ts";
import { listInOrder, OPEN_STATUSES, selectTasks } from "./task-selection.ts";
import {
  nextTask,
  selectionFields,
  taskDetail,
  taskFields,
  taskList,
  taskOrder,
} from "./task-shape.ts";
import { renderNextTask, renderTask, renderTaskList } from "./task-view.ts";

const list = defineOperation({
  name: "task.list",
  summary: "Lists tasks, the open ones unless you ask for others.",
  effect: "reads",
  permission: "read",
  input: z.object({
    ...selectionFields,
    parent: taskFields.parent.optional().describe("Only parts of this task."),
    top: z.boolean().optional().describe("Only those that are part of no other, or only parts."),
    run: z.string().min(1).max(100).optional().describe("Only of this run."),
    step: z.boolean().optional().describe("Only steps of workflows, or only others."),
    closed: z.boolean().default(false).describe("Also finished, failed and cancelled ones."),
    view: viewName.optional().describe("Begin with this saved view; other filters narrow it."),
    archived: archivedField,
    order: taskOrder.optional(),
    ...pageFields,
  }),
  output: taskList,
  surfaces: {
    cli: {
      examples: [
        "task list --project Tidepool --assignee me",
        "task list --urgency urgent --urgency high --order oldest",
        "task list --blocker --closed",
      ],
      render: rendering(taskList, renderTaskList),
    },
    mcp: "full",
  },
  run: ({ kernel, caller }, input) =>
    kernel.store.read(function* () {
      const view = input.view === undefined ? undefined : yield* getView(input.view);
      const wanted = yield* selectTasks(input, caller);
      const selection = {
        ...(view && selectionOf(view, caller.userId)),
        ...present(wanted),
        parentId: yield* resolveOptional(input.parent, (id) => resolveId("task", id, caller)),
        runId: yield* resolveOptional(input.run, (id) => resolveId("run", id, caller)),
        isTop: input.top,
        isStep: input.step,
        isInactive: isArchivedFilter(input.archived),
      };
      const statuses = selection.statuses ?? (input.closed ? undefined : OPEN_STATUSES);
      const { items, nextCursor } = yield* listInOrder({ ...selection, statuses }, caller, {
        order: input.order ?? view?.order ?? "newest",
        limit: input.limit,
        cursor: input.cursor,
      });
      const shown = stillWith(selection.text, yield* showTasks(items));
      const parts = yield* countParts(
        shown.map(({ id }) => id),
        caller,
      );
      const withParts = shown.map((task) => {
        const count = parts.get(task.id);
        return count === undefined ? task : { ...task, parts: count };
      });
      return { items: withParts, nextCursor, asOf: kernel.clock.now() };
    }),
});

const show = defineOperation({
  name: "task.show",
  summary: "Shows a task with its parts and what may become of it.",
  effect: "reads",
  permission: "read",
  input: z.object({ taskId: idField("task") }),
  output: taskDetail,
  surfaces: {
    cli: { positionals: ["taskId"], render: rendering(taskDetail, renderTask) },
    mcp: "full",
  },
  run: ({ kernel, caller }, { taskId }) =>
    kernel.store.read(function* () {
      const id = yield* resolveId("task", taskId, caller);
      const found = yield* getTask(id, caller);
      const parts = yield* listTasks({
        viewer: caller,
        parentId: id,
        order: "oldest",
        limit: 200,
        isInactive: "both",
      });
      const names = yield* userNames([found.createdBy]);
      return {
        task: yield* showTask(found),
        createdByName: nameOf(names, found.createdBy),
        children: yield* showTasks(parts.items),
        mayBecome: allowedTransitions(found.status),
        asOf: kernel.clock.now(),
      };
    }),
});

export const nextFields = {
  project: selectionFields.project,
  view: viewName.optional().describe("Choose by this saved view: its filters and its order."),
  unassigned: z
    .boolean()
    .default(true)
    .describe("Also offer tasks that nobody has, after those that are yours."),
};

const next = defineOperation({
  name: "task.next",
  summary:
    "Gives the next task to work on, if there is one: yours first, then what nobody has, oldest first.",
  effect: "reads",
  permission: "read",
  input: z.object({
    ...nextFields,
    assignee: taskFields.assignee.optional().describe("For whom; for you if left out."),
  }),
  output: nextTask,
  surfaces: {
    cli: {
      examples: ["task next", "task next --view blockers", 'task next --assignee "Code reviewer"'],
      render: rendering(nextTask, renderNextTask),
    },
    mcp: "core",
  },
  run: ({ kernel, caller }, input) =>
    kernel.store.read(function* () {
      const assigneeId =
        (yield* resolveOptional(input.assignee, (text) => resolveUser(text, caller))) ??
        caller.userId;
      const task = yield* findNext(input, assigneeId, caller);
      return { task: task && (yield* showTask(task)), asOf: kernel.clock.now() };
    }),
});

export const taskListOperations: readonly Operation[] = [list, show, next];

export function* findNext(
  input: z.output<z.ZodObject<typeof nextFields>>,
  assigneeId: string,
  caller: Caller,
): DatabaseWork<Task | undefined> {
  const view = input.view === undefined ? undefined : yield* getView(input.view);
  const projectId = yield* resolveOptional(input.project, (text) => resolveProject(text, caller));
  const selection = view === undefined ? {} : selectionOf(view, assigneeId);
  return yield* findNextTask(
    {
      selection: projectId === undefined ? selection : { ...selection, projectId },
      order: view?.order ?? "oldest",
      assigneeId,
      alsoUnassigned: input.unassigned,
    },
    caller,
  );
}

/** Words that stand only where something is redacted must not be found out by asking for them. */
function stillWith<Shown extends Pick<Task, "title" | "summary" | "description">>(
  text: string | undefined,
  tasks: readonly Shown[],
): Shown[] {
  const words = wordsOf(text ?? "").map((word) => word.toLowerCase());
  return tasks.filter(({ title, summary = "", description = "" }) => {
    const read = `${title} ${summary} ${description}`.toLowerCase();
    return words.every((word) => read.includes(word));
  });
}

/** What was said; what was left out must not hide what a view says. */
function present<Value extends object>(value: Value): Partial<Value> {
  return Object.fromEntries(
    Object.entries(value).filter(([, member]) => member !== undefined),
  ) as Partial<Value>;
}
