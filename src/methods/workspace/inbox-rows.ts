/** The waits of all runs, as a caller may see and answer them. */

import { type Expression, expressionBuilder, type SqlBool, sql } from "kysely";
import type { z } from "zod";
import { ProductError } from "../../kernel/base/errors.ts";
import type { Json } from "../../kernel/base/json.ts";
import { isAllowed } from "../../kernel/operation/authorise.ts";
import type { Caller, Permission } from "../../kernel/operation/caller.ts";
import { nameOf, projectNames, userNames } from "../../kernel/operation/names.ts";
import { isBarred } from "../../kernel/operation/project-rights.ts";
import type { WaitAnswer } from "../../kernel/run/decision.ts";
import { LIMIT_REACHED } from "../../kernel/run/limits.ts";
import { HELD_JOB } from "../../kernel/run/settle.ts";
import { type DatabaseWork, query, queryFirst } from "../../kernel/store/database-work.ts";
import type { RunState } from "../../kernel/store/engine-tables.ts";
import {
  afterPlace,
  type Page,
  type PageRequest,
  planPage,
  toPage,
} from "../../kernel/store/page.ts";
import { db } from "../../kernel/store/query-builder.ts";
import { resolveId } from "../../kernel/store/resolve-id.ts";
import type { Tables } from "../../kernel/store/tables.ts";
import { seesWait, type Viewer } from "../../kernel/store/visibility.ts";
import type { waitSummary } from "./inbox-shape.ts";

export type ShownWait = z.input<typeof waitSummary>;

export interface WaitRecord extends ShownWait {
  readonly runState: RunState;
  readonly evidence: readonly Json[];
  readonly form: readonly Json[];
  readonly answer: WaitAnswer | undefined;
  readonly answeredBy: string | undefined;
  readonly answeredAt: number | undefined;
}

export interface WaitFilter extends PageRequest {
  /** All that the caller sees, not only what they may answer. */
  readonly isAll: boolean;
  readonly snoozed: "no" | "only" | "both";
  readonly projectId?: string | undefined;
  readonly runId?: string | undefined;
  readonly kind?: string | undefined;
  readonly assigneeId?: string | undefined;
  readonly now: number;
}

export function* listOpenEntries(
  filter: WaitFilter,
  caller: Caller,
): DatabaseWork<Page<WaitRecord> & { readonly total: number }> {
  const plan = planPage(filter);
  const conditions = [seesWait(caller), ...narrowed(filter, caller)];
  const rows = yield* query(
    selectWaits()
      .where((where) => where.and(conditions))
      .where((where) => afterPlace(where, plan, { at: "wait.created_at", id: "wait.id" }))
      .orderBy("wait.created_at", plan.direction)
      .orderBy("wait.id", plan.direction)
      .limit(plan.limit + 1),
  );
  const [counted] = yield* query(
    db
      .selectFrom("wait")
      .select(sql<number>`count(*)`.as("n"))
      .where((where) => where.and(conditions)),
  );
  const page = toPage(rows, plan, (row) => ({ at: row.created_at, id: row.id }), toWait);
  return { ...page, items: yield* withNames(page.items), total: counted?.n ?? 0 };
}

export function* getEntry(given: string, viewer: Viewer): DatabaseWork<WaitRecord> {
  const wait = yield* findEntry(yield* resolveEntry(given, viewer), viewer);
  if (wait === undefined) throw entryNotFound(given);
  return wait;
}

function* resolveEntry(given: string, viewer: Viewer): DatabaseWork<string> {
  try {
    return yield* resolveId("wait", given, viewer);
  } catch (error) {
    if (error instanceof ProductError && error.kind === "not_found") throw entryNotFound(given);
    throw error;
  }
}

function entryNotFound(given: string): ProductError {
  return new ProductError("wait_not_found", `There is no inbox entry "${given}".`, {
    kind: "not_found",
    hint: "List what there is with `inbox list`; ids may be shortened as long as they stay unique.",
    details: { id: given },
  });
}

/** Early answers are no entries yet: they are not found. */
function* findEntry(id: string, viewer: Viewer): DatabaseWork<WaitRecord | undefined> {
  const row = yield* queryFirst(
    selectWaits()
      .where("wait.id", "=", id)
      .where("wait.state", "<>", "early")
      .where(seesWait(viewer)),
  );
  if (row === undefined) return undefined;
  const [wait] = yield* withNames([toWait(row)]);
  return wait;
}

/** Letting work try again, skipping it or raising a limit steers a run; the rest answers a question. */
export function neededFor(kind: string): Permission {
  return kind === HELD_JOB || kind === LIMIT_REACHED ? "run" : "answer";
}

/** What is open for this caller to answer, as conditions. */
export function answerable(caller: Caller): Expression<SqlBool> {
  const where = expressionBuilder<Tables, "wait">();
  if (!isAllowed(caller, "answer")) return sql<SqlBool>`1 = 0`;
  const steering = [HELD_JOB, LIMIT_REACHED];
  const mine = where("wait.assignee_id", "=", caller.userId);
  return where.and([
    // What nobody has is meant for people: an agent must not wave through what a person is to look at.
    caller.isAgent ? mine : where.or([mine, where("wait.assignee_id", "is", null)]),
    ...(isAllowed(caller, "run") ? [] : [where("wait.kind", "not in", steering)]),
    where.not(isBarred(caller, "wait.project_id", "answer")),
    where.or([
      where("wait.kind", "not in", steering),
      where.not(isBarred(caller, "wait.project_id", "run")),
    ]),
  ]);
}

function narrowed(filter: WaitFilter, caller: Caller): Expression<SqlBool>[] {
  const where = expressionBuilder<Tables, "wait">();
  const { projectId, runId, kind, assigneeId, snoozed, now, isAll } = filter;
  const isAwake = where.or([
    where("wait.snoozed_until", "is", null),
    where("wait.snoozed_until", "<=", now),
  ]);
  return [
    where("wait.state", "=", "open"),
    ...(isAll ? [] : [answerable(caller)]),
    ...(snoozed === "both" ? [] : [snoozed === "no" ? isAwake : where.not(isAwake)]),
    ...(projectId === undefined ? [] : [where("wait.project_id", "=", projectId)]),
    ...(runId === undefined ? [] : [where("wait.run_id", "=", runId)]),
    ...(kind === undefined ? [] : [where("wait.kind", "=", kind)]),
    ...(assigneeId === undefined ? [] : [where("wait.assignee_id", "=", assigneeId)]),
  ];
}

function selectWaits() {
  return db
    .selectFrom("wait")
    .innerJoin("run", "run.id", "wait.run_id")
    .selectAll("wait")
    .select(["run.title as run_title", "run.method", "run.state as run_state"]);
}

type WaitRow =
  ReturnType<typeof selectWaits> extends { execute(): Promise<(infer Row)[]> } ? Row : never;

function* withNames(waits: readonly WaitRecord[]): DatabaseWork<WaitRecord[]> {
  const people = yield* userNames(waits.map(({ assigneeId }) => assigneeId));
  const projects = yield* projectNames(waits.map(({ projectId }) => projectId));
  return waits.map((wait) => ({
    ...wait,
    assigneeName: nameOf(people, wait.assigneeId),
    projectName: nameOf(projects, wait.projectId),
  }));
}

function toWait(row: WaitRow): WaitRecord {
  return {
    id: row.id,
    key: row.key,
    kind: row.kind,
    title: row.title,
    reason: row.reason,
    answers: JSON.parse(row.answers) as readonly string[],
    state: row.state === "early" ? "open" : row.state,
    runId: row.run_id,
    runTitle: row.run_title,
    method: row.method,
    projectId: row.project_id ?? undefined,
    assigneeId: row.assignee_id ?? undefined,
    snoozedUntil: row.snoozed_until ?? undefined,
    deadline: row.deadline ?? undefined,
    onDeadline: row.on_deadline ?? undefined,
    version: row.version,
    createdAt: row.created_at,
    runState: row.run_state,
    evidence: JSON.parse(row.evidence) as readonly Json[],
    form: JSON.parse(row.form) as readonly Json[],
    answer: row.answer === null ? undefined : (JSON.parse(row.answer) as WaitAnswer),
    answeredBy: row.answered_by ?? undefined,
    answeredAt: row.answered_at ?? undefined,
  };
}
