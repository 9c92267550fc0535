/** A run's drawing with what was read of it: reasons, costs, items, names. */

import type { z } from "zod";
import { conditionPaths } from "../../../kernel/base/condition.ts";
import { lookUp, printPath } from "../../../kernel/base/json-path.ts";
import { nameOf, userNames } from "../../../kernel/operation/names.ts";
import { withoutRedactedPassages } from "../../../kernel/operation/redacted-view.ts";
import { clip } from "../../../kernel/operation/terminal-text.ts";
import {
  type DatabaseWork,
  query,
  queryFirst,
  runSql,
} from "../../../kernel/store/database-work.ts";
import type { TaskStatus } from "../../../kernel/store/noun-tables.ts";
import { sqlText } from "../../../kernel/store/sql-text.ts";
import { conditionOf } from "../catalogue/shown-workflows.ts";
import { valuesAfterOutput } from "../routing/draft.ts";
import type { WorkflowEdge, WorkflowStep } from "../workflow/workflow-definition.ts";
import { isManual } from "./begin-job.ts";
import { loadRun, type RunContext } from "./run-context.ts";
import { type DrawnStep, type DrawnVisit, drawRun, type RunDrawing } from "./run-graph.ts";
import type { graphStepShape, runGraphShape } from "./run-graph-shape.ts";
import { type ForeachItemTable, running, type StepVisitTable } from "./run-tables.ts";
import { outputsOf } from "./scope-values.ts";
import { failureIn } from "./step-outline.ts";

/** Above this many a foreach is a bar, not cells. */
const MOST_CELLS = 24;

export type RunGraph = z.input<typeof runGraphShape>;
type GraphStep = z.input<typeof graphStepShape>;

export function* readRunGraph(
  runId: string,
  pass: number | undefined,
  asOf: number,
): DatabaseWork<RunGraph> {
  const context = yield* loadRun(runId);
  const { name, definition, input } = context;
  const run = yield* queryFirst(
    running
      .selectFrom("run")
      .select(["state", "started_at", "finished_at", "project_id"])
      .where("id", "=", runId),
  );
  const steps = new Map(definition.steps.map((step) => [step.id, step]));
  const rows = yield* runSql<VisitRow>(LIST_VISITS, [runId]);
  const drawing = drawRun(
    definition,
    rows.map((row) => toVisit(row, steps.get(row.step))),
    pass,
  );
  const tasks = yield* newestTasks(drawing.steps);
  const cells = yield* cellsOf(drawing.steps, steps);
  const costs = yield* costsOf(runId);
  const shown = drawing.steps.map((drawn): GraphStep => {
    const step = steps.get(drawn.id);
    const task = tasks.get(drawn.taskId ?? "");
    const items = cells.get(drawn.taskId ?? "");
    return {
      ...drawn,
      spans: [...drawn.spans],
      name: step?.name ?? drawn.id,
      type: step?.stepType ?? "task",
      execution: step !== undefined && "execution" in step ? step.execution : undefined,
      reason: task?.reason,
      assigneeName: task?.assigneeName,
      ...(items === undefined
        ? {}
        : {
            items: { total: items.total, pending: items.pending },
            itemStates: items.total > MOST_CELLS ? undefined : [...items.states],
          }),
      costMicroUsd: costs.get(drawn.id)?.cost ?? 0,
      calls: costs.get(drawn.id)?.calls ?? 0,
    };
  });
  const seen = yield* seenByDecisions(context, drawing);
  const edges = drawing.edges.map((edge, n) => {
    const drawn = definition.edges[n];
    return {
      ...edge,
      when: drawn && conditionOf(drawn.when),
      seen: drawn && seen(drawn, edge.taken > 0),
    };
  });
  const readable = yield* withoutRedactedPassages(
    { steps: shown, edges },
    run?.project_id ?? undefined,
  );
  return {
    runId,
    name,
    workflowId: input.workflow?.workflowId,
    workflowVersion: input.workflow?.version,
    direction: definition.direction,
    state: run?.state ?? "queued",
    startedAt: run?.started_at ?? undefined,
    finishedAt: run?.finished_at ?? undefined,
    passes: drawing.passes,
    pass: drawing.pass,
    ...readable,
    asOf,
  };
}

const LONGEST_VALUE = 24;

/** Of each branch the first value that its condition looks at, where that is a single one. */
function* seenByDecisions(
  run: RunContext,
  { decided }: RunDrawing,
): DatabaseWork<
  (edge: WorkflowEdge, isTaken: boolean) => { path: string; value: string } | undefined
> {
  const outputs = yield* outputsOf(
    run,
    [...decided.values()].map(({ from }) => from),
  );
  return ({ source, target, when }, isTaken) => {
    const { from, target: chosen } = decided.get(source) ?? {};
    // The way that led into this pass was decided in the one before, by another value.
    if (isTaken && chosen !== target) return undefined;
    if (from === undefined || when === "always" || when === "default") return undefined;
    const [path] = conditionPaths(when.condition);
    const values = valuesAfterOutput({}, run.input.input, outputs.get(from) ?? null);
    const found = path === undefined ? undefined : lookUp(values, path);
    if (path === undefined || found?.found !== true || typeof found.value === "object")
      return undefined;
    return { path: printPath(path), value: clip(JSON.stringify(found.value), LONGEST_VALUE) };
  };
}

interface VisitRow
  extends Pick<StepVisitTable, "id" | "step" | "scope" | "iteration" | "kind" | "from_id"> {
  readonly sources: string;
  readonly is_dropped: number;
  readonly is_resting: number;
  readonly status: TaskStatus | null;
  readonly created_at: number | null;
  readonly started_at: number | null;
  readonly finished_at: number | null;
}

/** A person's step is pending in the books; what it does is wait for them, from when it was made. */
function toVisit(row: VisitRow, step: WorkflowStep | undefined): DrawnVisit {
  const isPersons = step !== undefined && isManual(step);
  const status = row.status ?? "pending";
  return {
    id: row.id,
    step: row.step,
    scope: row.scope,
    iteration: row.iteration,
    kind: row.kind,
    fromId: row.from_id,
    sources: row.sources === "[]" ? NO_SOURCES : (JSON.parse(row.sources) as string[]),
    status: status === "pending" && row.is_resting === 1 ? "waiting" : status,
    isDropped: row.is_dropped === 1,
    createdAt: row.created_at ?? 0,
    startedAt: isPersons || row.kind === "container" ? row.created_at : row.started_at,
    finishedAt: row.finished_at,
  };
}

const NO_SOURCES: readonly string[] = [];

interface NewestTask {
  readonly reason: string | undefined;
  readonly assigneeName: string | undefined;
}

function* newestTasks(steps: readonly DrawnStep[]): DatabaseWork<ReadonlyMap<string, NewestTask>> {
  const ids = steps.flatMap(({ taskId }) => taskId ?? []);
  const found = new Map<string, NewestTask>();
  for (let from = 0; from < ids.length; from += AT_ONCE) {
    const rows = yield* query(
      running
        .selectFrom("task")
        .select(["id", "hold_reason", "additional_info", "assignee_id"])
        .where("id", "in", ids.slice(from, from + AT_ONCE)),
    );
    const names = yield* userNames(rows.map(({ assignee_id }) => assignee_id ?? undefined));
    for (const { id, hold_reason, additional_info, assignee_id } of rows)
      found.set(id, {
        reason: hold_reason ?? failureIn(additional_info),
        assigneeName: nameOf(names, assignee_id ?? undefined),
      });
  }
  return found;
}

/** Databases take only so many parameters. */
const AT_ONCE = 500;

interface Cells {
  readonly total: number;
  readonly pending: number;
  readonly states: readonly ForeachItemTable["state"][];
}

function* cellsOf(
  drawn: readonly DrawnStep[],
  steps: ReadonlyMap<string, WorkflowStep>,
): DatabaseWork<ReadonlyMap<string, Cells>> {
  const containers = drawn
    .filter(({ id }) => steps.get(id)?.stepType === "foreach")
    .flatMap(({ taskId }) => taskId ?? []);
  const cells = new Map<string, Cells>();
  for (const container of containers) {
    const items = yield* query(
      running
        .selectFrom("foreach_item")
        .select("state")
        .where("container_id", "=", container)
        .orderBy("position"),
    );
    const states = items.map(({ state }) => state);
    const pending = states.filter((state) => state === "pending").length;
    cells.set(container, { total: states.length, pending, states });
  }
  return cells;
}

export interface StepCost {
  readonly cost: number;
  readonly calls: number;
}

export function* costsOf(runId: string): DatabaseWork<ReadonlyMap<string, StepCost>> {
  const rows = yield* runSql<{ step: string; cost: number | null; calls: number }>(SUM_COSTS, [
    runId,
  ]);
  return new Map(rows.map(({ step, cost, calls }) => [step, { cost: cost ?? 0, calls }]));
}

const LIST_VISITS = sqlText(
  `select v.id, v.step, v.scope, v.iteration, v.kind, v.from_id, v.sources, v.is_dropped, v.is_resting,
     t.status, t.created_at, t.started_at, t.finished_at
   from step_visit v left join task t on t.id = v.id where v.run_id = ? order by v.id`,
);
const SUM_COSTS = sqlText(
  `select e.step, cast(sum(a.cost_micro_usd) as bigint) as cost, count(*) as calls
   from exchange e left join answer a on a.exchange_id = e.id where e.run_id = ? group by e.step`,
);
