/** Reads what is open in a run, and the values routing will ask for. As much as is under way, not as was done. */

import { conditionPaths } from "../../../kernel/base/condition.ts";
import type { Json, JsonObject } from "../../../kernel/base/json.ts";
import type { JsonPath } from "../../../kernel/base/json-path.ts";
import { type DatabaseWork, query, runSql } from "../../../kernel/store/database-work.ts";
import { sqlOverRows, sqlText } from "../../../kernel/store/sql-text.ts";
import { STARTED_AT_ONCE } from "../routing/containers.ts";
import { isDecision, isForeach } from "../routing/graph.ts";
import {
  type Container,
  type Facts,
  itemScope,
  type OpenRun,
  type Scope,
  type Visit,
} from "../routing/open-run.ts";
import type { WorkflowDefinition } from "../workflow/workflow-definition.ts";
import type { RunContext } from "./run-context.ts";
import { running, type StepVisitTable } from "./run-tables.ts";
import { namesIn, outputsOf } from "./scope-values.ts";

export interface LoadedRun {
  readonly open: OpenRun;
  readonly facts: Facts;
  readonly rows: ReadonlyMap<string, OpenRow>;
}

/** What a look needs to know of a visit that is not dealt with. */
export type OpenRow = Pick<
  StepVisitTable,
  | "id"
  | "step"
  | "scope"
  | "kind"
  | "from_id"
  | "outcome"
  | "is_held"
  | "is_resting"
  | "is_forced"
  | "is_overdue"
  | "attempt"
  | "waits"
  | "total"
>;

export function* loadOpenRun(run: RunContext): DatabaseWork<LoadedRun> {
  const { runId } = run;
  const rows = yield* runSql<OpenRow>(LIST_OPEN, [runId]);
  const visits = rows.filter(({ kind }) => kind !== "container").map(toVisit);
  const containers = yield* loadContainers(rows.filter(({ kind }) => kind === "container"));
  const arrivals = yield* query(
    running.selectFrom("join_arrival").selectAll().where("run_id", "=", runId).orderBy("visit_id"),
  );
  const marks = yield* query(
    running.selectFrom("join_mark").selectAll().where("run_id", "=", runId),
  );
  const failures = yield* query(
    running
      .selectFrom("step_visit")
      .select(["id", "step", "scope"])
      .where("run_id", "=", runId)
      .where("is_failure", "=", 1),
  );
  const open: OpenRun = {
    visits,
    containers,
    arrivals: arrivals.map(({ scope, step, visit_id, is_failed, place }) => ({
      scope,
      join: step,
      visitId: visit_id,
      isFailed: is_failed === 1,
      place,
    })),
    marks: marks.map(({ scope, step, is_forced, is_overdue }) => ({
      scope,
      join: step,
      isForced: is_forced === 1,
      isOverdue: is_overdue === 1,
    })),
    failures: failures.map(({ id, step, scope }) => ({ visitId: id, step, scope })),
    tasks: run.tasks,
    caps: run.caps,
  };
  const facts = yield* loadFacts(run, open);
  return { open, facts, rows: new Map(rows.map((row) => [row.id, row])) };
}

function toVisit(row: OpenRow): Visit {
  return {
    id: row.id,
    step: row.step,
    scope: row.scope,
    outcome: row.outcome ?? undefined,
    isResting: row.is_resting === 1,
    isHeld: row.is_held === 1,
  };
}

function* loadContainers(rows: readonly OpenRow[]): DatabaseWork<readonly Container[]> {
  if (rows.length === 0) return [];
  const ids = JSON.stringify(rows.map(({ id }) => ({ id })));
  const counts = yield* runSql<{ container_id: string; state: string; count: number }>(
    COUNT_ITEMS,
    [ids],
  );
  const live = yield* runSql<{ container_id: string; position: number }>(LIST_LIVE, [ids]);
  const containers: Container[] = [];
  for (const row of rows) {
    const count = (state: string) =>
      counts.find((each) => each.container_id === row.id && each.state === state)?.count ?? 0;
    const pending = count("pending");
    const next =
      pending === 0
        ? []
        : yield* query(
            running
              .selectFrom("foreach_item")
              .select(["position", "value", "attempts"])
              .where("container_id", "=", row.id)
              .where("state", "=", "pending")
              .orderBy("position")
              .limit(STARTED_AT_ONCE),
          );
    containers.push({
      id: row.id,
      step: row.step,
      scope: row.scope,
      from: row.from_id ?? "",
      total: row.total ?? 0,
      completed: count("completed"),
      failed: count("failed"),
      skipped: count("skipped"),
      pending,
      next: next.map(({ position, value, attempts }) => ({
        index: position,
        value: JSON.parse(value) as Json,
        attempts,
      })),
      live: live.filter((each) => each.container_id === row.id).map(({ position }) => position),
      isHeld: row.is_held === 1,
      isForced: row.is_forced === 1,
      isOverdue: row.is_overdue === 1,
    });
  }
  return containers;
}

/** Values of what is done and not routed, and of items that may start; only where something is decided by them. */
function* loadFacts(run: RunContext, open: OpenRun): DatabaseWork<Facts> {
  const done = open.visits.filter(({ outcome, isHeld }) => outcome !== undefined && !isHeld);
  const starting = open.containers.filter(({ next }) => next.length > 0);
  const asking = done.filter(({ step }) => asksAfter(run, step));
  const askingItems = starting.filter(({ step }) => {
    const foreach = run.graph.step(step);
    // Where the first step of the body is the foreach's own, nothing is decided before it.
    return isForeach(foreach) && foreach.prompt === undefined && asksAfter(run, step);
  });
  const outputs = yield* outputsOf(run, [
    ...asking.map(({ id }) => id),
    ...askingItems.map(({ from }) => from),
  ]);
  const steps = stepsAskedFor(run.definition);
  const names = new Map<Scope, JsonObject>();
  const asked = askingItems.flatMap(({ id, next }) =>
    next.map(({ index }) => itemScope(id, index)),
  );
  for (const scope of new Set([...asking.map((visit) => visit.scope), ...asked])) {
    names.set(scope, yield* namesIn(run, scope, steps));
  }
  const again = starting.flatMap(({ id, next }) =>
    next.filter(({ attempts }) => attempts > 0).map(({ index }) => itemScope(id, index)),
  );
  // Joins are visited where their foreach stands, or where their branches arrived.
  const joining = [...open.containers, ...open.arrivals].map(({ scope }) => scope);
  const scopes = new Set([...done.map(({ scope }) => scope), ...again, ...joining]);
  const counts = yield* countVisits(run.runId, [...scopes]);
  return {
    runInput: run.input.input,
    outputOf: (visitId) => outputs.get(visitId) ?? null,
    namesIn: (scope) => names.get(scope) ?? {},
    visitsOf: (scope, step) => counts.get(`${scope} ${step}`) ?? 0,
  };
}

/** Whether what follows a step depends on values. */
function asksAfter({ graph }: RunContext, stepId: string): boolean {
  return graph.targetsOf(stepId).some((target) => {
    const step = graph.step(target);
    return isDecision(step) || isForeach(step);
  });
}

function* countVisits(
  runId: string,
  scopes: readonly Scope[],
): DatabaseWork<ReadonlyMap<string, number>> {
  const rows = yield* runSql<{ scope: string; step: string; count: number }>(COUNT_VISITS, [
    JSON.stringify(scopes.map((scope) => ({ run_id: runId, scope }))),
  ]);
  return new Map(rows.map(({ scope, step, count }) => [`${scope} ${step}`, count]));
}

const asked = new WeakMap<WorkflowDefinition, readonly string[]>();

/** The steps whose outputs a condition or an items path names. */
function stepsAskedFor(definition: WorkflowDefinition): readonly string[] {
  const known = asked.get(definition);
  if (known) return known;
  const paths: JsonPath[] = definition.steps.flatMap((step) => {
    if (isDecision(step))
      return step.branches.flatMap(({ condition }) => conditionPaths(condition));
    return isForeach(step) ? [step.items] : [];
  });
  const steps = stepsIn(paths);
  asked.set(definition, steps);
  return steps;
}

export function stepsIn(paths: readonly JsonPath[]): readonly string[] {
  const named = paths.flatMap(([first, second]) =>
    first === "steps" && typeof second === "string" ? [second] : [],
  );
  return [...new Set(named)];
}

const LIST_OPEN = sqlText(
  `select id, step, scope, kind, from_id, outcome, is_held, is_resting, is_forced, is_overdue, attempt, waits, total
   from step_visit where run_id = ? and is_routed = 0 order by id`,
);
const COUNT_ITEMS = sqlOverRows(
  { id: "text" },
  "select container_id, state, count(*) as count from foreach_item where container_id in (select id from {rows}) group by container_id, state",
);
const LIST_LIVE = sqlOverRows(
  { id: "text" },
  "select container_id, position from foreach_item where state = 'live' and container_id in (select id from {rows}) order by container_id, position",
);
const COUNT_VISITS = sqlOverRows(
  { run_id: "text", scope: "text" },
  `select v.scope, v.step, count(*) as count from step_visit v join {rows} on v.run_id = x.run_id and v.scope = x.scope
   group by v.scope, v.step`,
);
