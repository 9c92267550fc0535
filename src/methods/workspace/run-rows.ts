/** Reading runs and what they own, always through what the caller may see. */

import { type Expression, type Selectable, type SqlBool, sql } from "kysely";
import type { z } from "zod";
import { notFound } from "../../kernel/base/errors.ts";
import type { Json } from "../../kernel/base/json.ts";
import type { Caller } from "../../kernel/operation/caller.ts";
import { nameOf, projectNames, userNames } from "../../kernel/operation/names.ts";
import { withoutRedacted } from "../../kernel/operation/redacted-view.ts";
import type { RunLimits } from "../../kernel/run/limits.ts";
import { type DatabaseWork, query, queryFirst } from "../../kernel/store/database-work.ts";
import type { RunState, RunTable } from "../../kernel/store/engine-tables.ts";
import { afterId, type Page, type PageRequest, planPage, toPage } from "../../kernel/store/page.ts";
import { db } from "../../kernel/store/query-builder.ts";
import { seesRun, type Viewer } from "../../kernel/store/visibility.ts";
import { failureText } from "./failure-text.ts";
import type { runShape, stepShape } from "./run-shape.ts";

type RunRow = Selectable<RunTable>;
export type ShownRun = z.input<typeof runShape>;

export interface RunFilter extends PageRequest {
  readonly projectId?: string | undefined;
  readonly states?: readonly RunState[] | undefined;
  readonly method?: string | undefined;
  readonly startedBy?: string | undefined;
  readonly parentRunId?: string | undefined;
  readonly isArchived: boolean | "both";
}

export function* listRuns(filter: RunFilter, caller: Caller): DatabaseWork<Page<ShownRun>> {
  const plan = planPage(filter);
  const rows = yield* query(
    db
      .selectFrom("run")
      .selectAll("run")
      .where(seesRun(caller))
      .where((where) => where.and(conditions(filter)))
      .where((where) => afterId(where, plan, "run.id"))
      .orderBy("run.id", plan.direction)
      .limit(plan.limit + 1),
  );
  const page = toPage(rows, plan, (row) => ({ at: row.created_at, id: row.id }), toRun);
  return { ...page, items: yield* withNames(yield* readable(page.items)) };
}

export function* getRun(id: string, viewer: Viewer): DatabaseWork<ShownRun> {
  const row = yield* queryFirst(
    db.selectFrom("run").selectAll("run").where("run.id", "=", id).where(seesRun(viewer)),
  );
  if (row === undefined) throw notFound("run", id);
  const [run] = yield* withNames(yield* readable([toRun(row)]));
  if (run === undefined) throw notFound("run", id);
  return run;
}

/** How far each step of a run is. */
export function* listSteps(runId: string): DatabaseWork<readonly z.input<typeof stepShape>[]> {
  const rows = yield* query(
    db
      .selectFrom("job")
      .select([
        "step",
        "state",
        sql<number>`count(*)`.as("n"),
        sql<number>`min(created_at)`.as("first"),
        sql<string>`min(id)`.as("id"),
        sql<string | null>`max(failure)`.as("failure"),
      ])
      .where("run_id", "=", runId)
      .groupBy(["step", "state"]),
  );
  const steps = new Map<string, StepDraft>();
  for (const row of rows) {
    const step = steps.get(row.step) ?? { ...NO_STEP, step: row.step, first: row.id };
    steps.set(row.step, addTo(step, row));
  }
  return [...steps.values()].toSorted((a, b) => (a.first < b.first ? -1 : 1));
}

interface StepDraft extends z.output<typeof stepShape> {
  readonly first: string;
}

const NO_STEP = {
  total: 0,
  done: 0,
  active: 0,
  held: 0,
  failed: 0,
  cancelled: 0,
  lastFailure: undefined,
};

const COUNTED_AS = {
  ready: "active",
  parked: "active",
  blocked: "active",
  leased: "active",
  held: "held",
  done: "done",
  failed: "failed",
  cancelled: "cancelled",
} as const;

function addTo(
  step: StepDraft,
  row: { state: keyof typeof COUNTED_AS; n: number; id: string; failure: string | null },
): StepDraft {
  const column = COUNTED_AS[row.state];
  return {
    ...step,
    total: step.total + row.n,
    [column]: step[column] + row.n,
    first: row.id < step.first ? row.id : step.first,
    lastFailure: failureText(row.failure) ?? step.lastFailure,
  };
}

function conditions(filter: RunFilter): Expression<SqlBool>[] {
  const { projectId, states, method, startedBy, parentRunId, isArchived } = filter;
  const equal = (column: string, value: string | number | undefined) =>
    value === undefined ? [] : [sql<SqlBool>`${sql.ref(column)} = ${value}`];
  return [
    ...equal("run.project_id", projectId),
    ...equal("run.method", method),
    ...equal("run.started_by", startedBy),
    ...equal("run.parent_run_id", parentRunId),
    ...equal("run.is_archived", isArchived === "both" ? undefined : Number(isArchived)),
    ...(states === undefined || states.length === 0
      ? []
      : [sql<SqlBool>`${sql.ref("run.state")} in (${sql.join([...states])})`]),
  ];
}

/** Titles, inputs and results repeat what people and models said. */
function readable(runs: readonly ShownRun[]): DatabaseWork<readonly ShownRun[]> {
  return withoutRedacted(runs, ["title", "input", "result", "reason"]);
}

function* withNames(runs: readonly ShownRun[]): DatabaseWork<ShownRun[]> {
  const people = yield* userNames(runs.map(({ startedBy }) => startedBy));
  const projects = yield* projectNames(runs.map(({ projectId }) => projectId));
  return runs.map((run) => ({
    ...run,
    startedByName: nameOf(people, run.startedBy),
    projectName: nameOf(projects, run.projectId),
  }));
}

function toRun(row: RunRow): ShownRun {
  return {
    id: row.id,
    title: row.title,
    method: row.method,
    state: row.state,
    reason: row.reason === null ? undefined : (JSON.parse(row.reason) as ShownRun["reason"]),
    projectId: row.project_id ?? undefined,
    parentRunId: row.parent_run_id ?? undefined,
    startedBy: row.started_by,
    openWaits: row.open_waits,
    turns: row.turns,
    inputTokens: row.input_tokens,
    outputTokens: row.output_tokens,
    costMicroUsd: row.cost_micro_usd,
    hasUnknownCost: row.has_unknown_cost === 1,
    isArchived: row.is_archived === 1,
    version: row.version,
    createdAt: row.created_at,
    startedAt: row.started_at ?? undefined,
    finishedAt: row.finished_at ?? undefined,
    input: JSON.parse(row.input) as Json,
    result: row.result === null ? undefined : (JSON.parse(row.result) as Json),
    limits: JSON.parse(row.limits) as RunLimits,
    jobs: row.jobs,
    openJobs: row.open_jobs,
    heldJobs: row.held_jobs,
  };
}
