/** Changing tasks. Reading them is in `task-lists.ts`, how their status may change in `task-transitions.ts`. */

import { ProductError } from "../base/errors.ts";
import {
  type Act,
  auditedTable,
  checkVersion,
  deleteAudited,
  type EventPlace,
  findManyForChange,
  getForChange,
  insertManyAudited,
  reviseAudited,
  updateAudited,
} from "./audited-rows.ts";
import { toCells, toJsonText, toJsonTextOrNull } from "./cells.ts";
import { type DatabaseWork, queryFirst } from "./database-work.ts";
import type { TaskStatus, TaskTable } from "./noun-tables.ts";
import { db } from "./query-builder.ts";
import { type Referable, refuseDependents, requireRow } from "./references.ts";
import { derivedCells, type NewTask, type Task, type TaskPatch, toTask } from "./task.ts";
import { checkTransition, type TransitionOptions } from "./task-transitions.ts";
import { requireSource, sourceCells } from "./thought-source.ts";

export const TASKS = auditedTable("task", {
  told: ["status", "urgency", "stage", "source_type"],
});

export function* insertTask(task: NewTask, act: Act): DatabaseWork<Task> {
  const [inserted] = yield* insertTasks([task], act);
  if (inserted === undefined) throw new TypeError("One task in, one task out.");
  return inserted;
}

/** Many at once cost one statement and one append to the log. A parent may come before its child. */
export function* insertTasks(tasks: readonly NewTask[], act: Act): DatabaseWork<readonly Task[]> {
  if (tasks.length === 0) return [];
  yield* requireReferences(tasks);
  const rows = tasks.map((task) => ({
    row: newRow(task, act),
    place: { projectId: task.projectId ?? null },
  }));
  return (yield* insertManyAudited(TASKS, rows, act)).map(toTask);
}

export interface TaskChange extends TransitionOptions {
  readonly expectedVersion?: number | undefined;
}

export function* updateTask(
  id: string,
  patch: TaskPatch,
  act: Act,
  { expectedVersion, rerun }: TaskChange = {},
): DatabaseWork<Task> {
  const before = yield* getForChange(TASKS, id);
  checkVersion("task", before, expectedVersion);
  yield* checkReferences(id, patch);
  const { next, place } = patched(before, patch, act, { rerun });
  return toTask(yield* updateAudited(TASKS, before, next, act, place));
}

export interface TaskRevision extends TransitionOptions {
  readonly id: string;
  readonly act: Act;
  /** What the task becomes from what it is then; each step is told as a change of its own. */
  steps(task: Readonly<TaskTable>): readonly TaskPatch[];
}

/**
 * Many at once, in this order: each task is read and written once, however often it is named and however many steps
 * it takes. Tasks that are not there are left out.
 */
export function* reviseTasks(revisions: readonly TaskRevision[], now: number): DatabaseWork<void> {
  const rows = yield* findManyForChange(
    TASKS,
    revisions.map(({ id }) => id),
  );
  const drafts = reviseAudited(TASKS, rows);
  for (const revision of revisions) {
    const { id, act, rerun } = revision;
    const task = drafts.row(id);
    for (const patch of task === undefined ? [] : revision.steps(task)) {
      yield* checkReferences(id, patch);
      const before = drafts.row(id);
      if (before === undefined) continue;
      const { next, place } = patched(before, patch, act, { rerun });
      drafts.change(id, next, act, place);
    }
  }
  yield* drafts.write(now);
}

function patched(
  before: TaskTable,
  { status = before.status, holdReason, ...fields }: TaskPatch,
  act: Act,
  options: TransitionOptions,
): { readonly next: Partial<TaskTable>; readonly place: EventPlace } {
  const isMove = status !== before.status;
  if (isMove) checkTransition(before.status, status, options);
  const edited = toCells(fields, JSON_FIELDS) as Partial<TaskTable>;
  const {
    description = before.description,
    is_blocker = before.is_blocker,
    is_open_loop = before.is_open_loop,
    urgency = before.urgency,
  } = edited;
  const next = {
    ...edited,
    ...statusCells(before, status, holdReason, act.now),
    ...derivedCells({ description, is_blocker, is_open_loop, urgency }),
  };
  const projectId = edited.project_id === undefined ? before.project_id : edited.project_id;
  return { next, place: { projectId, verb: isMove ? MOVED[status] : undefined } };
}

function* checkReferences(
  id: string,
  { projectId, assigneeId, parentId }: TaskPatch,
): DatabaseWork<void> {
  yield* requireRow("project", projectId);
  yield* requireRow("user", assigneeId);
  if (parentId) yield* refuseLoop(id, parentId);
}

/** Whatever happens to it from now on is the run's business. */
export function* giveTaskToRun(id: string, runId: string, act: Act): DatabaseWork<Task> {
  const before = yield* getForChange(TASKS, id);
  const place = { projectId: before.project_id, verb: "taken" };
  return toTask(yield* updateAudited(TASKS, before, { run_id: runId }, act, place));
}

export function* archiveTask(id: string, act: Act, expectedVersion?: number): DatabaseWork<Task> {
  return yield* setInactive(id, 1, act, expectedVersion);
}

export function* restoreTask(id: string, act: Act, expectedVersion?: number): DatabaseWork<Task> {
  return yield* setInactive(id, 0, act, expectedVersion);
}

/** Refused while it has children or is being worked on. */
export function* deleteTask(id: string, act: Act, expectedVersion?: number): DatabaseWork<void> {
  const before = yield* getForChange(TASKS, id);
  checkVersion("task", before, expectedVersion);
  if (before.status === "in_progress" || before.status === "waiting") {
    throw new ProductError("task_at_work", `The task "${id}" is ${before.status}.`, {
      kind: "conflict",
      hint: "Cancel it first.",
    });
  }
  yield* refuseDependents(
    "task",
    id,
    [{ what: "child tasks", table: "task", where: { parent_id: id } }],
    "Archive the task instead, or delete its children first.",
  );
  yield* deleteAudited(TASKS, before, act, { projectId: before.project_id });
}

const JSON_FIELDS = ["additionalInfo", "input", "output", "tags", "questions"] as const;

const MOVED: Readonly<Record<TaskStatus, string>> = {
  pending: "requeued",
  in_progress: "started",
  waiting: "parked",
  on_hold: "held",
  completed: "completed",
  failed: "failed",
  cancelled: "cancelled",
};

function newRow(task: NewTask, { actor, now }: Act): Omit<TaskTable, "row_hash"> {
  const row = {
    id: task.id,
    title: task.title,
    summary: task.summary ?? null,
    description: task.description ?? null,
    extra_prompt: task.extraPrompt ?? null,
    additional_info: toJsonTextOrNull(task.additionalInfo),
    urgency: task.urgency ?? "normal",
    parent_id: task.parentId ?? null,
    project_id: task.projectId ?? null,
    run_id: task.runId ?? null,
    workflow_id: task.workflowId ?? null,
    workflow_version: task.workflowVersion ?? null,
    stage: task.stage ?? null,
    assignee_id: task.assigneeId ?? null,
    tags: toJsonText(task.tags ?? []),
    input: toJsonTextOrNull(task.input),
    output: toJsonTextOrNull(task.output),
    confidence: task.confidence ?? null,
    questions: toJsonText(task.questions ?? []),
    is_blocker: task.isBlocker ? 1 : 0,
    is_open_loop: task.isOpenLoop ? 1 : 0,
    ...sourceCells(task.source),
    is_inactive: task.isInactive ? 1 : 0,
    created_by: actor,
    version: 1,
    created_at: now,
    updated_at: now,
  };
  const unborn = { status: undefined, hold_reason: null, started_at: null, finished_at: null };
  return {
    ...row,
    ...statusCells(unborn, task.status ?? "pending", task.holdReason, now),
    ...derivedCells(row),
  };
}

type StatusCells = Pick<TaskTable, "status" | "hold_reason" | "started_at" | "finished_at">;

function statusCells(
  before: Omit<StatusCells, "status"> & { readonly status: TaskStatus | undefined },
  status: TaskStatus,
  holdReason: string | undefined,
  now: number,
): StatusCells {
  const reason = holdReason ?? (before.status === "on_hold" ? before.hold_reason : null);
  if (status === "on_hold" && !reason) {
    throw new ProductError("hold_reason_missing", "A task is put on hold with a reason.", {
      hint: "Say what it waits for.",
    });
  }
  const holdCell = status === "on_hold" ? reason : null;
  if (status === before.status) {
    const { started_at, finished_at } = before;
    return { status, hold_reason: holdCell, started_at, finished_at };
  }
  const isFinished = status === "completed" || status === "failed" || status === "cancelled";
  return {
    status,
    hold_reason: holdCell,
    started_at: status === "in_progress" ? now : before.started_at,
    finished_at: isFinished ? now : null,
  };
}

function* setInactive(
  id: string,
  isInactive: 0 | 1,
  act: Act,
  expectedVersion: number | undefined,
): DatabaseWork<Task> {
  const before = yield* getForChange(TASKS, id);
  checkVersion("task", before, expectedVersion);
  const place = { projectId: before.project_id, verb: isInactive ? "archived" : "restored" };
  return toTask(yield* updateAudited(TASKS, before, { is_inactive: isInactive }, act, place));
}

/** Each thing pointed at is looked up once, however many tasks point at it. */
function* requireReferences(tasks: readonly NewTask[]): DatabaseWork<void> {
  const own = new Set(tasks.map(({ id }) => id));
  const wanted: readonly (readonly [Referable, (task: NewTask) => string | undefined])[] = [
    ["project", ({ projectId }) => projectId],
    ["user", ({ assigneeId }) => assigneeId],
    ["task", ({ parentId }) => parentId],
  ];
  for (const [noun, idOf] of wanted) {
    for (const id of new Set(tasks.map(idOf))) {
      if (noun !== "task" || id === undefined || !own.has(id)) yield* requireRow(noun, id);
    }
  }
  const sources = new Map(tasks.map(({ source }) => [`${source?.type} ${source?.id}`, source]));
  for (const source of sources.values()) yield* requireSource(source);
}

function* refuseLoop(id: string, parentId: string): DatabaseWork<void> {
  yield* requireRow("task", parentId);
  for (let above: string | null | undefined = parentId; above; ) {
    if (above === id) {
      throw new ProductError("task_parent_loop", `The task "${id}" cannot be below itself.`);
    }
    const current: string = above;
    const row: { parent_id: string | null } | undefined = yield* queryFirst(
      db.selectFrom("task").select("parent_id").where("id", "=", current),
    );
    above = row?.parent_id;
  }
}
