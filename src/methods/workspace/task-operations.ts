/** Tasks: adding, taking and changing them. Their status moves by the transition table only. */

import { z } from "zod";
import { change } from "../../kernel/operation/change-work.ts";
import { defineOperation, type Operation } from "../../kernel/operation/operation.ts";
import {
  becauseField,
  expectedVersionField,
  idField,
  jsonValue,
} from "../../kernel/operation/operation-fields.ts";
import { requireRight } from "../../kernel/operation/project-rights.ts";
import { rendering } from "../../kernel/operation/rendering.ts";
import { resolveOptional, resolveProject } from "../../kernel/operation/resolve-names.ts";
import { doneLine } from "../../kernel/operation/state-marks.ts";
import { resolveSource, sourceInput } from "../../kernel/operation/thought-origin.ts";
import { lockName } from "../../kernel/store/lock-name.ts";
import { TASK_STATUSES } from "../../kernel/store/noun-tables.ts";
import { resolveId } from "../../kernel/store/resolve-id.ts";
import type { TaskPatch } from "../../kernel/store/task.ts";
import { getTask } from "../../kernel/store/task-lists.ts";
import { insertTask, updateTask } from "../../kernel/store/tasks.ts";
import { showTask } from "./shown-tasks.ts";
import { findNext, nextFields, taskListOperations } from "./task-list-operations.ts";
import { getNamedTask, moveTask, resolveAssignee } from "./task-moves.ts";
import { nextTask, taskFields, taskShape } from "./task-shape.ts";
import { taskStepOperations } from "./task-step-operations.ts";
import { renderNextTask, taskLine } from "./task-view.ts";
import { waitsForAgent } from "./waits-for-agent.ts";

const take = defineOperation({
  name: "task.take",
  summary: "Takes the next task and starts it in one step, so that no two work on the same.",
  effect: "writes",
  permission: "edit",
  projectScope: { project: "project" },
  input: z.object(nextFields),
  output: nextTask,
  surfaces: { cli: { render: rendering(nextTask, renderNextTask) }, mcp: "full" },
  run: (context, input) =>
    change(context, function* (act) {
      const { caller } = context;
      yield* lockName("task take");
      const task = yield* findNext(input, caller.userId, caller);
      if (task === undefined) return { asOf: act.now };
      yield* requireRight(caller, task.projectId, "edit");
      const patch = { status: "in_progress", assigneeId: caller.userId } as const;
      return { task: yield* showTask(yield* updateTask(task.id, patch, act)), asOf: act.now };
    }),
});

const add = defineOperation({
  name: "task.add",
  summary: "Adds a task.",
  effect: "writes",
  permission: "edit",
  projectScope: { project: "project", parent: "task" },
  input: z.object({
    title: taskFields.title,
    project: taskFields.project.optional(),
    summary: taskFields.summary.optional(),
    description: taskFields.description.optional(),
    extraPrompt: taskFields.extraPrompt.optional(),
    additionalInfo: taskFields.additionalInfo.optional(),
    urgency: taskFields.urgency.default("normal"),
    assignee: taskFields.assignee.optional(),
    parent: taskFields.parent.optional(),
    tags: taskFields.tags.default([]),
    input: taskFields.input.optional(),
    blocker: taskFields.blocker.default(false),
    openLoop: taskFields.openLoop.default(false),
    source: sourceInput.optional(),
  }),
  output: taskShape,
  surfaces: {
    cli: {
      positionals: ["title"],
      examples: [
        'task add "Write the release notes" --project Tidepool --urgency high',
        'task add "Two workers see an expired lease" --blocker --assignee me',
      ],
      render: rendering(taskShape, (task) => doneLine(`Added ${taskLine(task)}.`)),
      unserved: waitsForAgent,
    },
    mcp: "full",
  },
  run: (context, { project, assignee, parent, source, blocker, openLoop, ...fields }) => {
    const { caller, kernel } = context;
    const id = kernel.ids.next();
    return change(context, function* (act) {
      const parentId = yield* resolveOptional(parent, (text) => resolveId("task", text, caller));
      const projectId =
        (yield* resolveOptional(project, (text) => resolveProject(text, caller))) ??
        (parentId && (yield* getTask(parentId, caller)).projectId);
      const assigneeId = yield* resolveAssignee(assignee, projectId, caller);
      const drawnFrom = yield* resolveSource(source, caller);
      const flags = { isBlocker: blocker, isOpenLoop: openLoop };
      const ids = { id, projectId, parentId, assigneeId: assigneeId ?? undefined };
      return yield* showTask(
        yield* insertTask({ ...fields, ...flags, ...ids, source: drawnFrom }, act),
      );
    });
  },
});

const update = defineOperation({
  name: "task.update",
  summary: "Changes a task: words, status, urgency, who does it, where it belongs.",
  effect: "writes",
  permission: "edit",
  projectScope: { taskId: "task", parent: "task", project: "project" },
  input: z.object({
    taskId: idField("task"),
    title: taskFields.title.optional(),
    summary: taskFields.summary.nullable().optional(),
    description: taskFields.description.nullable().optional(),
    extraPrompt: taskFields.extraPrompt.nullable().optional(),
    additionalInfo: taskFields.additionalInfo.optional(),
    status: z
      .enum(TASK_STATUSES)
      .optional()
      .describe("Where it stands now; only steps of the transition table are taken."),
    holdReason: z.string().min(1).max(2000).optional().describe("Why it is on hold."),
    rerun: z.boolean().default(false).describe("Have a completed task done again."),
    urgency: taskFields.urgency.optional(),
    assignee: taskFields.assignee.nullable().optional(),
    parent: taskFields.parent.nullable().optional(),
    project: taskFields.project.nullable().optional(),
    tags: taskFields.tags.optional(),
    input: taskFields.input.optional(),
    output: jsonValue.optional().describe("What came of it, as JSON."),
    confidence: z.number().min(0).max(1).nullable().optional().describe("How sure, 0 to 1."),
    blocker: taskFields.blocker.optional(),
    openLoop: taskFields.openLoop.optional(),
    because: becauseField,
    expectedVersion: expectedVersionField,
  }),
  output: taskShape,
  surfaces: {
    cli: {
      positionals: ["taskId"],
      examples: [
        "task update 0199a1b2-c3d4 --status in_progress",
        'task update 0199a1b2-c3d4 --status on_hold --hold-reason "waits for the design"',
      ],
      render: rendering(taskShape, (task) => doneLine(`Changed ${taskLine(task)}.`)),
      unserved: waitsForAgent,
    },
    mcp: "core",
  },
  run: (context, { because, expectedVersion, rerun, taskId, ...fields }) =>
    change(
      context,
      function* (act) {
        const { caller } = context;
        const task = yield* getNamedTask(taskId, caller);
        const { assignee, parent, project, blocker, openLoop, ...words } = fields;
        const projectId = yield* resolveOptional(project, (text) => resolveProject(text, caller));
        const home = projectId === undefined ? task.projectId : (projectId ?? undefined);
        const patch: TaskPatch = {
          ...words,
          projectId,
          parentId: yield* resolveOptional(parent, (text) => resolveId("task", text, caller)),
          assigneeId: yield* resolveAssignee(assignee, home, caller),
          isBlocker: blocker,
          isOpenLoop: openLoop,
        };
        return yield* showTask(yield* moveTask(task, patch, act, { expectedVersion, rerun }));
      },
      because,
    ),
});

export const taskOperations: readonly Operation[] = [
  ...taskListOperations,
  take,
  add,
  update,
  ...taskStepOperations,
];
