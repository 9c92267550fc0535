/** Where a run stands, step by step, in drawing order: counted, so that ten thousand tasks read like ten. */

import {
  type DatabaseWork,
  query,
  queryFirst,
  runSql,
} from "../../../kernel/store/database-work.ts";
import type { TaskStatus } from "../../../kernel/store/noun-tables.ts";
import { sqlText } from "../../../kernel/store/sql-text.ts";
import type { WorkflowStep } from "../workflow/workflow-definition.ts";
import { loadRun } from "./run-context.ts";
import { running } from "./run-tables.ts";

export interface OutlinedStep {
  readonly id: string;
  readonly name: string;
  readonly type: WorkflowStep["stepType"];
  readonly execution: "automated" | "manual" | undefined;
  /** Tasks by status; of a foreach its items, not itself. */
  readonly counts: Readonly<Partial<Record<TaskStatus, number>>>;
  /** The task that was touched last. */
  readonly taskId: string | undefined;
  readonly status: TaskStatus | undefined;
  /** Why it is held, or failed. */
  readonly reason: string | undefined;
  readonly items: { readonly total: number; readonly pending: number } | undefined;
}

export interface Outline {
  readonly runId: string;
  readonly name: string;
  readonly state: string;
  readonly reason: string | undefined;
  readonly startedAt: number | undefined;
  readonly finishedAt: number | undefined;
  readonly steps: readonly OutlinedStep[];
}

export function* outlineOf(runId: string): DatabaseWork<Outline> {
  const run = yield* loadRun(runId);
  const state = yield* queryFirst(
    running
      .selectFrom("run")
      .select(["state", "reason", "started_at", "finished_at"])
      .where("id", "=", runId),
  );
  const counts = yield* runSql<CountRow>(COUNT_TASKS, [runId]);
  const items = yield* runSql<ItemRow>(COUNT_ITEMS, [runId]);
  const last = yield* lastTasks(counts.flatMap(({ last_id }) => last_id));
  const steps = run.definition.steps.map((step): OutlinedStep => {
    const own = counts.filter((row) => row.step === step.id);
    const shown = step.stepType === "foreach" ? own.filter((row) => row.is_container === 0) : own;
    const newest = own
      .map(({ last_id }) => last_id)
      .toSorted()
      .at(-1);
    const task = newest === undefined ? undefined : last.get(newest);
    const found = items.find((row) => row.step === step.id);
    return {
      id: step.id,
      name: step.name,
      type: step.stepType,
      execution: "execution" in step ? step.execution : undefined,
      counts: Object.fromEntries(shown.map(({ status, count }) => [status, count])),
      taskId: newest,
      status: task?.status,
      reason: task?.reason,
      items: found === undefined ? undefined : { total: found.total, pending: found.pending },
    };
  });
  const reason = state?.reason
    ? (JSON.parse(state.reason) as { message: string }).message
    : undefined;
  return {
    runId,
    name: run.name,
    state: state?.state ?? "queued",
    reason,
    startedAt: state?.started_at ?? undefined,
    finishedAt: state?.finished_at ?? undefined,
    steps,
  };
}

interface CountRow {
  readonly step: string;
  readonly status: TaskStatus;
  readonly is_container: number;
  readonly count: number;
  readonly last_id: string;
}

interface ItemRow {
  readonly step: string;
  readonly total: number;
  readonly pending: number;
}

interface LastTask {
  readonly status: TaskStatus;
  readonly reason: string | undefined;
}

function* lastTasks(ids: readonly string[]): DatabaseWork<ReadonlyMap<string, LastTask>> {
  if (ids.length === 0) return new Map();
  const rows = yield* query(
    running
      .selectFrom("task")
      .select(["id", "status", "hold_reason", "additional_info"])
      .where("id", "in", [...ids]),
  );
  return new Map(
    rows.map(({ id, status, hold_reason, additional_info }) => [
      id,
      { status, reason: hold_reason ?? failureIn(additional_info) },
    ]),
  );
}

export function failureIn(info: string | null): string | undefined {
  const { failure } = JSON.parse(info ?? "{}") as { failure?: { message?: string } };
  return failure?.message;
}

const COUNT_TASKS = sqlText(
  `select v.step, t.status, case v.kind when 'container' then 1 else 0 end as is_container, count(*) as count, max(v.id) as last_id
   from step_visit v join task t on t.id = v.id where v.run_id = ?
   group by v.step, t.status, case v.kind when 'container' then 1 else 0 end`,
);
const COUNT_ITEMS = sqlText(
  `select v.step, count(*) as total, sum(case i.state when 'pending' then 1 else 0 end) as pending
   from step_visit v join foreach_item i on i.container_id = v.id where v.run_id = ? and v.kind = 'container' group by v.step`,
);
