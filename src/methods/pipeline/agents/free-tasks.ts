/** Tasks that agents may take up by themselves: pending, in use, an active agent's, and of no run that is going on. */

import { type Expression, type SqlBool, sql } from "kysely";
import { type DatabaseWork, query, queryFirst } from "../../../kernel/store/database-work.ts";
import type { TaskTable, Urgency } from "../../../kernel/store/noun-tables.ts";
import { type TaskSelection, taskConditions } from "../../../kernel/store/task-lists.ts";
import { starters } from "../starters/starter-tables.ts";

/** Which of them, and in which order. */
export interface WorkView {
  readonly name?: string | undefined;
  readonly selection: TaskSelection;
  readonly order: "oldest" | "newest" | "urgent";
}

export const ALL_TASKS: WorkView = { selection: {}, order: "oldest" };

export interface FreeTask {
  readonly id: string;
  readonly agentId: string;
  readonly model: string | null;
}

/** Of each agent its first ones are read, in the order of the index, however many there are. */
export function* listFreeTasks(view: WorkView, limit: number): DatabaseWork<readonly FreeTask[]> {
  const found: (FreeTask & Placed)[] = [];
  for (const { id: agentId, model } of yield* listAgents()) {
    const age = view.order === "newest" ? "desc" : "asc";
    let select = freeTasks(view, agentId)
      .select(["task.id", "task.urgency", "task.created_at"])
      .limit(limit);
    if (view.order === "urgent") select = select.orderBy(URGENCY);
    const rows = yield* query(select.orderBy("task.created_at", age).orderBy("task.id", age));
    found.push(...rows.map((row) => ({ ...row, agentId, model })));
  }
  return found.toSorted((one, other) => compare(view, one, other)).slice(0, limit);
}

export function* hasFreeTasks(view: WorkView): DatabaseWork<boolean> {
  for (const { id } of yield* listAgents()) {
    if (yield* queryFirst(freeTasks(view, id).select("task.id").limit(1))) return true;
  }
  return false;
}

/** Read again under its lock: somebody may have been faster. */
export function isStillFree(row: TaskTable | undefined, { agentId }: FreeTask): row is TaskTable {
  return row?.status === "pending" && row.is_inactive === 0 && row.assignee_id === agentId;
}

function* listAgents(): DatabaseWork<
  readonly { readonly id: string; readonly model: string | null }[]
> {
  return yield* query(
    starters
      .selectFrom("user")
      .select(["id", "model"])
      .where("is_agent", "=", 1)
      .where("is_active", "=", 1)
      .orderBy("id"),
  );
}

function freeTasks({ selection }: WorkView, agentId: string) {
  return starters
    .selectFrom("task")
    .where("task.assignee_id", "=", agentId)
    .where("task.status", "=", "pending")
    .where("task.is_inactive", "=", 0)
    .where(isInUse)
    .where(isUnbound)
    .where((where) => where.and(taskConditions(selection)));
}

interface Placed {
  readonly id: string;
  readonly urgency: Urgency;
  readonly created_at: number;
}

const MOST_URGENT_FIRST: readonly Urgency[] = ["urgent", "high", "normal", "low"];
const URGENCY = sql`case task.urgency when 'urgent' then 0 when 'high' then 1 when 'normal' then 2 else 3 end`;

function compare({ order }: WorkView, one: Placed, other: Placed): number {
  const rank = ({ urgency }: Placed) => MOST_URGENT_FIRST.indexOf(urgency);
  const pressing = order === "urgent" ? rank(one) - rank(other) : 0;
  const older = one.created_at - other.created_at || (one.id < other.id ? -1 : 1);
  return pressing || (order === "newest" ? -older : older);
}

const isInUse: Expression<SqlBool> = sql<SqlBool>`(task.project_id is null or exists (
  select 1 from project where project.id = task.project_id and project.is_archived = 0))`;

/** What a run of a workflow left behind is that run's for ever; anything else may be done again once its run is over. */
export const isUnbound: Expression<SqlBool> = sql<SqlBool>`(task.run_id is null or exists (
  select 1 from run where run.id = task.run_id and run.state in ('completed', 'failed', 'cancelled')
  and (exists (select 1 from agent_run where agent_run.run_id = run.id)
    or not exists (select 1 from step_visit where step_visit.id = task.id))))`;
