/** Writes what a look has planned: visits and their tasks, items, arrivals, and what became of each. */

import type { Json } from "../../../kernel/base/json.ts";
import { lookUp } from "../../../kernel/base/json-path.ts";
import type { EffectKind } from "../../../kernel/run/handler.ts";
import {
  type DatabaseWork,
  query,
  writeRows,
  writeSql,
} from "../../../kernel/store/database-work.ts";
import { insertText, sqlForRows, sqlText } from "../../../kernel/store/sql-text.ts";
import type { NewTask } from "../../../kernel/store/task.ts";
import { insertTasks } from "../../../kernel/store/tasks.ts";
import { findAssignees } from "../catalogue/assignees.ts";
import { valuesAfterOutput } from "../routing/draft.ts";
import { isForeach } from "../routing/graph.ts";
import { itemScope, placeInForeach, type Scope } from "../routing/open-run.ts";
import type { NewContainer, NewVisit } from "../routing/route-plan.ts";
import { assigneeOf, isManual } from "./begin-job.ts";
import { stepsIn } from "./load-open-run.ts";
import { moveTasks, type TaskMove } from "./move-task.ts";
import { newTaskOf } from "./new-task.ts";
import { ROUTED, type RoutedData } from "./routed-effect.ts";
import { loadRun, type RunContext } from "./run-context.ts";
import { running } from "./run-tables.ts";
import { firstOfItems, namesIn, outputsOf } from "./scope-values.ts";

export const routedEffectKind: EffectKind = {
  kind: ROUTED,
  *apply({ data, job, now }) {
    const run = yield* loadRun(job.runId);
    const plan = data as unknown as RoutedData;
    const act = { actor: "engine", now };
    yield* addContainers(run, plan.containers);
    yield* writeRows(
      INSERT_VISITS,
      plan.visits.map((visit) => visitRow(run, visit)),
    );
    yield* insertTasks(yield* newTasks(run, plan), act);
    yield* writeArrivals(run, plan);
    yield* settleVisits(run, plan, now);
    // A failure that an item has taken up may have been written just now.
    yield* writeItems(run, plan);
    yield* writeSql(COUNT_LOOK, [plan.visits.length + plan.containers.length, job.runId]);
  },
};

function visitRow(run: RunContext, visit: NewVisit) {
  const step = run.graph.step(visit.step);
  return {
    id: visit.id,
    run_id: run.runId,
    scope: visit.scope,
    step: visit.step,
    iteration: visit.iteration,
    kind: visit.kind,
    from_id: visit.from,
    sources: JSON.stringify(visit.sources),
    outcome: visit.failed ? "failed" : null,
    is_routed: visit.failed ? 1 : 0,
    is_failure: visit.failed && !visit.failed.isAbsorbed ? 1 : 0,
    is_resting: isManual(step) && !run.input.isDry ? 1 : 0,
    total: null,
  };
}

function* addContainers(run: RunContext, containers: readonly NewContainer[]): DatabaseWork<void> {
  for (const container of containers) {
    yield* writeRows(INSERT_VISITS, [
      {
        id: container.id,
        run_id: run.runId,
        scope: container.scope,
        step: container.step,
        iteration: container.iteration,
        kind: "container",
        from_id: container.from,
        sources: "[]",
        outcome: null,
        is_routed: 0,
        is_failure: 0,
        is_resting: 0,
        total: container.total,
      },
    ]);
    const values = yield* itemsOf(run, container);
    yield* writeRows(
      INSERT_ITEMS,
      values.map((value, position) => ({
        container_id: container.id,
        position,
        value: JSON.stringify(value),
      })),
    );
  }
}

/** The same path over the same values as when the look counted them. */
function* itemsOf(run: RunContext, container: NewContainer): DatabaseWork<readonly Json[]> {
  const step = run.graph.step(container.step);
  if (!isForeach(step) || container.total === 0) return [];
  const outputs = yield* outputsOf(run, [container.from]);
  const names = yield* namesIn(run, container.scope, stepsIn([step.items]));
  const values = valuesAfterOutput(names, run.input.input, outputs.get(container.from) ?? null);
  const found = lookUp(values, step.items);
  const items = found.found && Array.isArray(found.value) ? (found.value as readonly Json[]) : [];
  if (items.length !== container.total) {
    throw new Error(`"${step.id}" had ${container.total} items and has ${items.length} now.`);
  }
  return items;
}

function* newTasks(run: RunContext, plan: RoutedData): DatabaseWork<readonly NewTask[]> {
  const all = [...plan.containers, ...plan.visits];
  const steps = new Map(all.map(({ step }) => [step, run.graph.step(step)]));
  const named = [...steps.values()].flatMap((step) => assigneeOf(step) ?? []);
  const assignees = yield* findAssignees(named);
  const inputs = yield* inputsOf(run, plan);
  const notes = yield* notesOf(plan.visits);
  const totals = yield* totalsOf(all.map(({ scope }) => scope));
  return all.map((visit) => {
    const step = run.graph.step(visit.step);
    const assignee = assignees.get(assigneeOf(step) ?? "");
    return newTaskOf(run, visit, {
      assigneeId: assignee?.id,
      input: inputs.get(visit.id),
      description: notes.get(visit.from),
      total: totals.get(placeInForeach(visit.scope)?.containerId ?? ""),
    });
  });
}

/** What a task goes on from is shown with it; what a foreach spreads over its items is not repeated for each. */
function* inputsOf(
  run: RunContext,
  { visits }: RoutedData,
): DatabaseWork<ReadonlyMap<string, Json>> {
  const first = yield* firstOfItems(
    visits.map(({ from, ...visit }) => ({ ...visit, from_id: from })),
  );
  const shown = visits.filter(({ id, kind }) => kind !== "join" && !first.has(id));
  const outputs = yield* outputsOf(
    run,
    shown.map(({ from }) => from),
  );
  return new Map(shown.map(({ id, from }) => [id, outputs.get(from) ?? null]));
}

/** How many items the foreaches around have. */
function* totalsOf(scopes: readonly Scope[]): DatabaseWork<ReadonlyMap<string, number>> {
  const ids = [...new Set(scopes.flatMap((scope) => placeInForeach(scope)?.containerId ?? []))];
  if (ids.length === 0) return new Map();
  const rows = yield* query(
    running.selectFrom("step_visit").select(["id", "total"]).where("id", "in", ids),
  );
  return new Map(rows.map(({ id, total }) => [id, total ?? 0]));
}

/** Of a step whose model said how to go on: the described work. */
function* notesOf(visits: readonly NewVisit[]): DatabaseWork<ReadonlyMap<string, string>> {
  const from = visits.filter(({ kind }) => kind === "follow_up").map((visit) => visit.from);
  if (from.length === 0) return new Map();
  const rows = yield* query(
    running.selectFrom("step_visit").select(["id", "note"]).where("id", "in", from),
  );
  return new Map(rows.flatMap(({ id, note }) => (note === null ? [] : [[id, note] as const])));
}

function* writeItems(run: RunContext, { started, ended, closed }: RoutedData): DatabaseWork<void> {
  yield* writeRows(
    START_ITEMS,
    started.map(({ containerId, index }) => ({ container_id: containerId, position: index })),
  );
  yield* writeRows(
    END_ITEMS,
    ended.map(({ containerId, index, state, from }) => ({
      container_id: containerId,
      position: index,
      state,
      from_ids: JSON.stringify(from),
    })),
  );
  yield* writeRows(
    FORGET_FAILURES,
    ended
      .filter(({ state }) => state === "failed")
      .map(({ containerId, index }) => ({
        run_id: run.runId,
        scope: itemScope(containerId, index),
      })),
  );
  yield* writeRows(
    CANCEL_ITEMS,
    closed.map(({ id }) => ({ container_id: id })),
  );
}

function* writeArrivals(run: RunContext, { arrived, joined }: RoutedData): DatabaseWork<void> {
  const used = joined.map(({ scope, join }) => ({ run_id: run.runId, scope, step: join }));
  yield* writeRows(DELETE_ARRIVALS, used);
  yield* writeRows(DELETE_MARKS, used);
  yield* writeRows(
    INSERT_ARRIVALS,
    arrived.map(({ scope, join, visitId, isFailed, place }) => ({
      run_id: run.runId,
      scope,
      step: join,
      visit_id: visitId,
      is_failed: isFailed ? 1 : 0,
      place,
    })),
  );
}

function* settleVisits(run: RunContext, plan: RoutedData, now: number): DatabaseWork<void> {
  const { routed, closed, holds, dropped } = plan;
  const outcomes = yield* outcomesOf(routed.map(({ id }) => id));
  const moves: TaskMove[] = [];
  yield* writeRows(
    ROUTE_VISITS,
    routed.map(({ id, isLast, isAbsorbed }) => ({
      id,
      is_last: isLast ? 1 : 0,
      is_failure: outcomes.get(id) === "failed" && !isAbsorbed ? 1 : 0,
    })),
  );
  for (const { id } of routed) {
    if (id === run.runId) continue;
    const outcome = outcomes.get(id);
    const status =
      outcome === "failed" ? "failed" : outcome === "skipped" ? "cancelled" : "completed";
    moves.push({ id, status });
  }
  yield* writeRows(
    CLOSE_CONTAINERS,
    closed.map(({ id, state, isAbsorbed }) => ({
      id,
      outcome: state,
      is_failure: state === "failed" && !isAbsorbed ? 1 : 0,
    })),
  );
  for (const { id, state } of closed) moves.push({ id, status: state });
  yield* writeRows(
    HOLD_VISITS,
    holds.map(({ id }) => ({ id })),
  );
  for (const { id, message } of holds) {
    if (id !== run.runId) moves.push({ id, status: "on_hold", holdReason: message });
  }
  yield* writeRows(
    DROP_VISITS,
    dropped.map((id) => ({ id })),
  );
  for (const id of dropped) moves.push({ id, status: "cancelled" });
  yield* moveTasks(moves, now);
}

function* outcomesOf(ids: readonly string[]): DatabaseWork<ReadonlyMap<string, string | null>> {
  if (ids.length === 0) return new Map();
  const rows = yield* query(
    running
      .selectFrom("step_visit")
      .select(["id", "outcome"])
      .where("id", "in", [...ids]),
  );
  return new Map(rows.map(({ id, outcome }) => [id, outcome]));
}

const INSERT_VISITS = insertText("step_visit", {
  id: "text",
  run_id: "text",
  scope: "text",
  step: "text",
  iteration: "int",
  kind: "text",
  from_id: "text",
  sources: "text",
  outcome: "text",
  is_routed: "int",
  is_failure: "int",
  is_resting: "int",
  total: "int",
});
const INSERT_ITEMS = insertText("foreach_item", {
  container_id: "text",
  position: "int",
  value: "text",
});
const ITEM = { container_id: "text", position: "int" } as const;
const IS_ITEM = "foreach_item.container_id = x.container_id and foreach_item.position = x.position";
const START_ITEMS = sqlForRows(
  ITEM,
  `update foreach_item set state = 'live', attempts = attempts + 1 from {rows} where ${IS_ITEM}`,
);
const END_ITEMS = sqlForRows(
  { ...ITEM, state: "text", from_ids: "text" },
  `update foreach_item set state = x.state, from_ids = x.from_ids from {rows} where ${IS_ITEM}`,
);
const FORGET_FAILURES = sqlForRows(
  { run_id: "text", scope: "text" },
  `update step_visit set is_failure = 0 from {rows}
   where step_visit.run_id = x.run_id and step_visit.scope = x.scope and is_failure = 1`,
);
const CANCEL_ITEMS = sqlForRows(
  { container_id: "text" },
  `update foreach_item set state = 'cancelled' from {rows}
   where foreach_item.container_id = x.container_id and state in ('pending', 'live')`,
);
const INSERT_ARRIVALS = insertText("join_arrival", {
  run_id: "text",
  scope: "text",
  step: "text",
  visit_id: "text",
  is_failed: "int",
  place: "int",
});
const JOIN = { run_id: "text", scope: "text", step: "text" } as const;
const DELETE_ARRIVALS = sqlForRows(
  JOIN,
  `delete from join_arrival where (run_id, scope, step) in (select run_id, scope, step from {rows})`,
  {
    sqlite: `delete from join_arrival where run_id = x.run_id and scope = x.scope and step = x.step`,
  },
);
const DELETE_MARKS = sqlForRows(
  JOIN,
  `delete from join_mark where (run_id, scope, step) in (select run_id, scope, step from {rows})`,
  { sqlite: `delete from join_mark where run_id = x.run_id and scope = x.scope and step = x.step` },
);
const ROUTE_VISITS = sqlForRows(
  { id: "text", is_last: "int", is_failure: "int" },
  "update step_visit set is_routed = 1, is_last = x.is_last, is_failure = x.is_failure from {rows} where step_visit.id = x.id",
);
const CLOSE_CONTAINERS = sqlForRows(
  { id: "text", outcome: "text", is_failure: "int" },
  "update step_visit set is_routed = 1, outcome = x.outcome, is_failure = x.is_failure from {rows} where step_visit.id = x.id",
);
const HOLD_VISITS = sqlForRows(
  { id: "text" },
  "update step_visit set is_held = 1, waits = waits + 1 from {rows} where step_visit.id = x.id",
);
const DROP_VISITS = sqlForRows(
  { id: "text" },
  "update step_visit set is_routed = 1, is_dropped = 1 from {rows} where step_visit.id = x.id",
);
const COUNT_LOOK = sqlText(
  "update workflow_progress set look = look + 1, tasks = tasks + ? where run_id = ?",
);
