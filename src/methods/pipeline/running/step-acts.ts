/** What people do with the steps of a run: try again, skip, run again from one, let a join go on. */

import { ProductError } from "../../../kernel/base/errors.ts";
import type { Decision, Withdrawal } from "../../../kernel/run/decision.ts";
import { type DatabaseWork, query, queryFirst } from "../../../kernel/store/database-work.ts";
import { placeInForeach } from "../routing/open-run.ts";
import type { NewContainer, NewVisit } from "../routing/route-plan.ts";
import { beginJob } from "./begin-job.ts";
import { toJson } from "./end-visit.ts";
import { waitKey } from "./job-keys.ts";
import { type LoadedVisit, loadVisit } from "./load-visit.ts";
import { lookJob, nextLook } from "./next-look.ts";
import { again, skip } from "./people-handlers.ts";
import { ROUTED, type RoutedData } from "./routed-effect.ts";
import { loadRun, type RunContext } from "./run-context.ts";
import { running, type StepVisitTable } from "./run-tables.ts";
import { CLEARED, MARK_JOIN } from "./visit-effects.ts";
import { withdrawalFor } from "./withdrawal.ts";

/** A held or failed step is done again; others are not touched. */
export function* retryStep(taskId: string, instruction?: string): DatabaseWork<Decision> {
  const visit = yield* loadVisit(taskId);
  const { row, task } = visit;
  if (row.kind === "container") throw notThis(visit, "`step force` or its entry in the inbox");
  if (task.status !== "on_hold" && task.status !== "failed") {
    throw new ProductError(
      "step_not_stuck",
      `The step is ${task.status}; nothing is stuck there.`,
      {
        kind: "conflict",
        hint: "`step rerun` does finished work again.",
      },
    );
  }
  const container = yield* openContainerOf(visit);
  const decision = yield* again(visit, instruction === undefined ? {} : { instruction });
  const waits = [
    ...(row.waits > 0 ? [waitKey(row.id, row.waits)] : []),
    ...(container && container.waits > 0 ? [waitKey(container.id, container.waits)] : []),
  ];
  return { ...decision, withdraw: { waits } };
}

/** Every failed or held step of a run that its end, or its hold, is due to. */
export function* stuckSteps(runId: string): DatabaseWork<readonly string[]> {
  const rows = yield* query(
    running
      .selectFrom("step_visit as v")
      .innerJoin("task as t", "t.id", "v.id")
      .select("v.id")
      .where("v.run_id", "=", runId)
      .where("v.kind", "<>", "container")
      .where((where) =>
        where.or([
          where("v.is_failure", "=", 1),
          where.and([where("t.status", "=", "on_hold"), where("v.is_routed", "=", 0)]),
        ]),
      )
      .orderBy("v.id"),
  );
  return rows.map(({ id }) => id);
}

/** Inside a foreach the item is left out; elsewhere the run goes on with what the step was given. */
export function* skipStep(taskId: string, by: string): DatabaseWork<Decision> {
  const visit = yield* loadVisit(taskId);
  const { row } = visit;
  if (row.kind === "container") throw notThis(visit, "`step force`");
  if (row.is_routed === 1) {
    throw new ProductError(
      "step_over",
      `The step is ${visit.task.status}; there is nothing to skip.`,
      {
        kind: "conflict",
        hint: "`step list` shows what is still open.",
      },
    );
  }
  const decision = yield* skip(visit, by);
  return { ...decision, withdraw: withdrawalFor([row]) };
}

/** A join goes on with what there is; what is still on its way to it is dropped. */
export function* forceJoin(runId: string, stepId: string, key: string): DatabaseWork<Decision> {
  const run = yield* loadRun(runId);
  const step = findStep(run, stepId);
  const foreachId = step.stepType === "join" ? run.graph.foreachOf(step.id) : step.id;
  const containers = yield* query(
    running
      .selectFrom("step_visit")
      .select(["id", "waits"])
      .where("run_id", "=", runId)
      .where("kind", "=", "container")
      .where("is_routed", "=", 0)
      .where("step", "=", foreachId ?? step.id),
  );
  const arrivals = yield* query(
    running
      .selectFrom("join_arrival")
      .select("scope")
      .distinct()
      .where("run_id", "=", runId)
      .where("step", "=", step.id),
  );
  if (containers.length + arrivals.length === 0) {
    throw new ProductError("join_not_waiting", `Nothing waits at "${step.name}" in this run.`, {
      kind: "conflict",
      hint: "`step list` shows what is open.",
    });
  }
  const marks = [
    ...containers.map(({ id }) => ({ containerId: id, isForced: true })),
    ...(foreachId === undefined
      ? arrivals.map(({ scope }) => ({ scope, join: step.id, isForced: true }))
      : []),
  ];
  return {
    withdraw: {
      waits: containers.filter(({ waits }) => waits > 0).map(({ id, waits }) => waitKey(id, waits)),
    },
    effects: marks.map((data, place) => ({ key: `${key}:${place}`, kind: MARK_JOIN, data })),
    jobs: [yield* nextLook(runId)],
  };
}

/** Does a step again, with what it was given then, and everything after it. */
export function* rerunFrom(
  runId: string,
  stepId: string,
  key: string,
  nextId: () => string,
): DatabaseWork<Decision> {
  const run = yield* loadRun(runId);
  const step = findStep(run, stepId);
  const row = yield* queryFirst(
    running
      .selectFrom("step_visit")
      .selectAll()
      .where("run_id", "=", runId)
      .where("scope", "=", "")
      .where("step", "=", step.id)
      .where("kind", "<>", "start")
      .orderBy("iteration", "desc")
      .limit(1),
  );
  if (!row) {
    throw new ProductError("step_not_visited", `"${step.name}" has not run yet in this run.`, {
      kind: "conflict",
      hint: "`step list` shows what has.",
    });
  }
  const later = yield* laterVisits(run, step.id);
  const open = later.filter((visit) => visit.is_routed === 0 && visit.id !== row.id);
  const clear = {
    key: `${key}:cleared`,
    kind: CLEARED,
    data: toJson({
      dropped: open.map(({ id }) => id),
      passed: later.map(({ id }) => id),
      joins: [...new Set(later.map((visit) => visit.step))],
    }),
  };
  const isOpen = row.is_routed === 0;
  const withdraw = merged(withdrawalFor(open), isOpen ? withdrawalFor([row]) : {});
  if (row.kind === "work" || row.kind === "follow_up") {
    const { effects = [], jobs } = yield* again(yield* loadVisit(row.id), { rerun: true });
    return { withdraw, effects: [clear, ...effects], ...(jobs ? { jobs } : {}) };
  }
  const visited = yield* anew(run, row, nextId());
  return { withdraw, effects: [clear, ...visited.effects], jobs: visited.jobs };
}

/** A foreach, a join or a subflow begins as a new visit: what came of the old one stays as it was. */
function* anew(
  run: RunContext,
  row: StepVisitTable,
  id: string,
): DatabaseWork<Required<Pick<Decision, "effects" | "jobs">>> {
  const place = {
    id,
    step: row.step,
    scope: row.scope,
    from: row.from_id ?? run.runId,
    iteration: row.iteration + 1,
  };
  const container: NewContainer = { ...place, total: row.total ?? 0, warning: undefined };
  const kind: NewVisit["kind"] = row.kind === "subflow" ? "subflow" : "join";
  const visit: NewVisit = { ...place, kind, sources: JSON.parse(row.sources) as string[] };
  const isContainer = row.kind === "container";
  const data: RoutedData = {
    routed: [],
    visits: isContainer ? [] : [visit],
    containers: isContainer ? [container] : [],
    started: [],
    ended: [],
    closed: [],
    arrived: [],
    joined: [],
    holds: [],
    dropped: row.is_routed === 0 ? [row.id] : [],
    decisions: [],
  };
  yield* [];
  const look = lookJob(run.look + 1);
  const jobs = isContainer ? [look] : [beginJob(run, visit, undefined)];
  return { effects: [{ key: `look:${run.look}`, kind: ROUTED, data: toJson(data) }], jobs };
}

/** Whatever stands behind the step, and inside the foreaches there. */
function* laterVisits(run: RunContext, stepId: string): DatabaseWork<readonly StepVisitTable[]> {
  const behind = stepsBehind(run, stepId);
  const rows = yield* query(
    running
      .selectFrom("step_visit")
      .selectAll()
      .where("run_id", "=", run.runId)
      .where("step", "in", [...behind, ""])
      .where("kind", "<>", "start")
      .where((where) => where.or([where("is_routed", "=", 0), where("is_last", "=", 1)])),
  );
  return rows;
}

function stepsBehind({ graph }: RunContext, stepId: string): ReadonlySet<string> {
  const behind = new Set<string>();
  const waiting = [...graph.targetsOf(stepId), stepId];
  for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
    if (behind.has(id)) continue;
    behind.add(id);
    waiting.push(...graph.targetsOf(id));
  }
  return behind;
}

function* openContainerOf(
  visit: LoadedVisit,
): DatabaseWork<Pick<StepVisitTable, "id" | "waits"> | undefined> {
  const place = placeInForeach(visit.row.scope);
  if (place === undefined) return undefined;
  const container = yield* queryFirst(
    running
      .selectFrom("step_visit")
      .select(["id", "waits", "is_routed"])
      .where("id", "=", place.containerId),
  );
  if (container?.is_routed === 0) return container;
  throw new ProductError("foreach_over", "The foreach that this step belongs to is over.", {
    kind: "conflict",
    hint: "Run the foreach again: `step rerun`.",
  });
}

function findStep({ definition, name }: RunContext, stepId: string) {
  const step = definition.steps.find(({ id }) => id === stepId);
  if (step) return step;
  throw new ProductError("step_unknown", `"${name}" has no step "${stepId}".`, {
    kind: "not_found",
    hint: `It has ${definition.steps.map(({ id }) => id).join(", ")}.`,
  });
}

function notThis({ task }: LoadedVisit, instead: string): ProductError {
  return new ProductError(
    "step_is_foreach",
    `"${task.title}" is a foreach; its items are done one by one.`,
    {
      kind: "conflict",
      hint: `Use ${instead}.`,
    },
  );
}

function merged(one: Withdrawal, other: Withdrawal): Withdrawal {
  return {
    jobs: [...(one.jobs ?? []), ...(other.jobs ?? [])],
    waits: [...(one.waits ?? []), ...(other.waits ?? [])],
    timers: [...(one.timers ?? []), ...(other.timers ?? [])],
    runs: [...(one.runs ?? []), ...(other.runs ?? [])],
  };
}
