/** Reading tasks. */

import { type Expression, type SqlBool, sql } from "kysely";
import { notFound } from "../base/errors.ts";
import { canonicalJson } from "../base/json.ts";
import { type DatabaseWork, query, queryFirst } from "./database-work.ts";
import type { SourceType, TaskStatus, TaskTable, Urgency } from "./noun-tables.ts";
import { afterPlace, type Page, type PageRequest, planPage, toPage } from "./page.ts";
import { db } from "./query-builder.ts";
import { type Task, toTask } from "./task.ts";
import { seesTask, type Viewer } from "./visibility.ts";

export function* findTask(id: string, viewer: Viewer): DatabaseWork<Task | undefined> {
  const row = yield* queryFirst(
    db.selectFrom("task").selectAll().where("id", "=", id).where(seesTask(viewer)),
  );
  return row && toTask(row);
}

export function* getTask(id: string, viewer: Viewer): DatabaseWork<Task> {
  const task = yield* findTask(id, viewer);
  if (task === undefined) throw notFound("task", id);
  return task;
}

export interface TaskFilter extends PageRequest, TaskSelection {
  readonly viewer: Viewer;
}

/** What saved views are made of. */
export interface TaskSelection {
  readonly projectId?: string | undefined;
  readonly statuses?: readonly TaskStatus[] | undefined;
  readonly urgencies?: readonly Urgency[] | undefined;
  /** `null` finds tasks that nobody has. */
  readonly assigneeId?: string | null | undefined;
  readonly runId?: string | undefined;
  /** Steps of workflows, or all others; a task that an agent does in a run of its own is none. */
  readonly isStep?: boolean | undefined;
  readonly workflowId?: string | undefined;
  readonly stage?: string | undefined;
  readonly parentId?: string | undefined;
  /** Part of no other task, or part of one. */
  readonly isTop?: boolean | undefined;
  /** All of them. */
  readonly tags?: readonly string[] | undefined;
  /** Words that all stand in its title, summary or description, as parts of words too. */
  readonly text?: string | undefined;
  readonly source?: { readonly type: SourceType; readonly id: string } | undefined;
  readonly hasBlocker?: boolean | undefined;
  readonly hasOpenLoop?: boolean | undefined;
  /** False unless asked; `"both"` shows all. */
  readonly isInactive?: boolean | "both" | undefined;
}

export function* listTasks(filter: TaskFilter): DatabaseWork<Page<Task>> {
  const plan = planPage(filter);
  const rows = yield* query(
    db
      .selectFrom("task")
      .selectAll()
      .where(seesTask(filter.viewer))
      .where((where) => where.and(taskConditions(filter)))
      .where((where) => afterPlace(where, plan, { at: "created_at", id: "id" }))
      .orderBy("created_at", plan.direction)
      .orderBy("id", plan.direction)
      .limit(plan.limit + 1),
  );
  return toPage(rows, plan, (row: TaskTable) => ({ at: row.created_at, id: row.id }), toTask);
}

/** How many tasks of a selection there are in each status. */
export function* countTasks(
  filter: TaskSelection & { readonly viewer: Viewer },
): DatabaseWork<Readonly<Partial<Record<TaskStatus, number>>>> {
  const rows = yield* query(
    db
      .selectFrom("task")
      .select(["status", sql<number>`count(*)`.as("n")])
      .where(seesTask(filter.viewer))
      .where((where) => where.and(taskConditions(filter)))
      .groupBy("status"),
  );
  return Object.fromEntries(rows.map(({ status, n }) => [status, n]));
}

/** How many parts each of these tasks has, archived ones aside; those without any are left out. */
export function* countParts(
  ids: readonly string[],
  viewer: Viewer,
): DatabaseWork<ReadonlyMap<string, number>> {
  if (ids.length === 0) return new Map();
  const rows = yield* query(
    db
      .selectFrom("task")
      .select(["parent_id", sql<number>`count(*)`.as("n")])
      .where("parent_id", "in", [...ids])
      .where("is_inactive", "=", 0)
      .where(seesTask(viewer))
      .groupBy("parent_id"),
  );
  return new Map(rows.map(({ parent_id, n }) => [parent_id ?? "", n]));
}

/** For any query over `task`, whatever else it reads. */
export function taskConditions(selection: TaskSelection): Expression<SqlBool>[] {
  const { isInactive = false, source, tags = [], text = "", assigneeId } = selection;
  return [
    ...equals("project_id", selection.projectId),
    ...equals("run_id", selection.runId),
    ...equals("workflow_id", selection.workflowId),
    ...equals("stage", selection.stage),
    ...equals("parent_id", selection.parentId),
    ...isNull("parent_id", selection.isTop),
    ...isNull("workflow_id", selection.isStep === undefined ? undefined : !selection.isStep),
    ...equals("has_blocker", selection.hasBlocker),
    ...equals("has_open_loop", selection.hasOpenLoop),
    ...equals("is_inactive", isInactive === "both" ? undefined : isInactive),
    ...equals("source_type", source?.type),
    ...equals("source_id", source?.id),
    ...(assigneeId === null
      ? [sql<SqlBool>`task.assignee_id is null`]
      : equals("assignee_id", assigneeId)),
    ...among("status", selection.statuses),
    ...among("urgency", selection.urgencies),
    ...tags.map(hasTag),
    ...wordsOf(text).map(hasWord),
  ];
}

function equals(column: string, value: string | boolean | undefined): Expression<SqlBool>[] {
  if (value === undefined) return [];
  const cell = typeof value === "boolean" ? Number(value) : value;
  return [sql<SqlBool>`${sql.ref(`task.${column}`)} = ${cell}`];
}

function isNull(column: string, wanted: boolean | undefined): Expression<SqlBool>[] {
  if (wanted === undefined) return [];
  const cell = sql.ref(`task.${column}`);
  return [wanted ? sql<SqlBool>`${cell} is null` : sql<SqlBool>`${cell} is not null`];
}

function among(column: string, values: readonly string[] | undefined): Expression<SqlBool>[] {
  if (values === undefined) return [];
  if (values.length === 0) return [sql<SqlBool>`1 = 0`];
  return [sql<SqlBool>`${sql.ref(`task.${column}`)} in (${sql.join([...values])})`];
}

/** The list is canonical JSON, in which an unescaped quote only ever begins or ends an element. */
function hasTag(tag: string): Expression<SqlBool> {
  const list = sql`',' || substr(task.tags, 2, length(task.tags) - 2) || ','`;
  return sql<SqlBool>`replace(${list}, ${`,${canonicalJson(tag)},`}, '') <> ${list}`;
}

export function wordsOf(text: string): readonly string[] {
  return text.split(/\s+/u).filter((word) => word !== "");
}

/** Also as it is written: beyond plain letters SQLite knows no case. */
function hasWord(word: string): Expression<SqlBool> {
  const text = sql`task.title || ' ' || coalesce(task.summary, '') || ' ' || coalesce(task.description, '')`;
  const pattern = (part: string) => `%${part.replaceAll(/[!%_]/g, "!$&")}%`;
  return sql<SqlBool>`(lower(${text}) like ${pattern(word.toLowerCase())} escape '!' or ${text} like ${pattern(word)} escape '!')`;
}
