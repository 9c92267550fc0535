/** The one task of the whole product: of thinking, of workflows, of people and of agents. */

import type { Json } from "../base/json.ts";
import { fromJsonTextOrNull } from "./cells.ts";
import type { TaskStatus, TaskTable, Urgency } from "./noun-tables.ts";
import { type NewThoughtSource, type ThoughtSource, toSource } from "./thought-source.ts";

export interface Task {
  readonly id: string;
  readonly title: string;
  readonly summary: string | undefined;
  readonly description: string | undefined;
  readonly extraPrompt: string | undefined;
  readonly additionalInfo: Json | undefined;
  readonly status: TaskStatus;
  readonly holdReason: string | undefined;
  readonly urgency: Urgency;
  readonly parentId: string | undefined;
  readonly projectId: string | undefined;
  readonly runId: string | undefined;
  readonly workflowId: string | undefined;
  readonly workflowVersion: number | undefined;
  readonly stage: string | undefined;
  readonly assigneeId: string | undefined;
  readonly tags: readonly string[];
  readonly input: Json | undefined;
  readonly output: Json | undefined;
  readonly confidence: number | undefined;
  readonly questions: readonly Json[];
  readonly isBlocker: boolean;
  readonly isOpenLoop: boolean;
  /** The flag, or `[blocker]` in the description. */
  readonly hasBlocker: boolean;
  /** The flag, or `[open loop]` in the description. */
  readonly hasOpenLoop: boolean;
  readonly source: ThoughtSource | undefined;
  readonly isInactive: boolean;
  readonly createdBy: string;
  readonly version: number;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly startedAt: number | undefined;
  readonly finishedAt: number | undefined;
}

/** Where a task stands in a workflow. */
export interface WorkflowPlace {
  readonly runId?: string | undefined;
  readonly workflowId?: string | undefined;
  readonly workflowVersion?: number | undefined;
  readonly stage?: string | undefined;
}

export interface NewTask extends WorkflowPlace {
  readonly id: string;
  readonly title: string;
  readonly summary?: string | undefined;
  readonly description?: string | undefined;
  readonly extraPrompt?: string | undefined;
  readonly additionalInfo?: Json | undefined;
  readonly status?: TaskStatus | undefined;
  readonly holdReason?: string | undefined;
  readonly urgency?: Urgency | undefined;
  readonly parentId?: string | undefined;
  readonly projectId?: string | undefined;
  readonly assigneeId?: string | undefined;
  readonly tags?: readonly string[] | undefined;
  readonly input?: Json | undefined;
  readonly output?: Json | undefined;
  readonly confidence?: number | undefined;
  readonly questions?: readonly Json[] | undefined;
  readonly isBlocker?: boolean | undefined;
  readonly isOpenLoop?: boolean | undefined;
  /** Made archived: lists, packets and search leave it out. */
  readonly isInactive?: boolean | undefined;
  readonly source?: NewThoughtSource | undefined;
}

/** `undefined` leaves a field as it is, `null` empties it. */
export interface TaskPatch {
  readonly title?: string | undefined;
  readonly summary?: string | null | undefined;
  readonly description?: string | null | undefined;
  readonly extraPrompt?: string | null | undefined;
  readonly additionalInfo?: Json | undefined;
  /** Checked against the transition table. */
  readonly status?: TaskStatus | undefined;
  /** Needed with `on_hold`; forgotten when the task leaves it. */
  readonly holdReason?: string | undefined;
  readonly urgency?: Urgency | undefined;
  readonly parentId?: string | null | undefined;
  readonly projectId?: string | null | undefined;
  readonly stage?: string | null | undefined;
  readonly assigneeId?: string | null | undefined;
  readonly tags?: readonly string[] | undefined;
  readonly input?: Json | undefined;
  readonly output?: Json | undefined;
  readonly confidence?: number | null | undefined;
  readonly questions?: readonly Json[] | undefined;
  readonly isBlocker?: boolean | undefined;
  readonly isOpenLoop?: boolean | undefined;
}

/** Columns that follow from others, so that the newest of each class can be read from an index. */
export function derivedCells(
  row: Pick<TaskTable, "description" | "is_blocker" | "is_open_loop" | "urgency">,
): Pick<TaskTable, "has_blocker" | "has_open_loop" | "is_pressing"> {
  const description = row.description ?? "";
  return {
    has_blocker: row.is_blocker || /\[blocker\]/i.test(description) ? 1 : 0,
    has_open_loop: row.is_open_loop || /\[open loop\]/i.test(description) ? 1 : 0,
    is_pressing: row.urgency === "high" || row.urgency === "urgent" ? 1 : 0,
  };
}

export function toTask(row: TaskTable): Task {
  return {
    id: row.id,
    title: row.title,
    summary: row.summary ?? undefined,
    description: row.description ?? undefined,
    extraPrompt: row.extra_prompt ?? undefined,
    additionalInfo: fromJsonTextOrNull(row.additional_info),
    status: row.status,
    holdReason: row.hold_reason ?? undefined,
    urgency: row.urgency,
    parentId: row.parent_id ?? undefined,
    projectId: row.project_id ?? undefined,
    runId: row.run_id ?? undefined,
    workflowId: row.workflow_id ?? undefined,
    workflowVersion: row.workflow_version ?? undefined,
    stage: row.stage ?? undefined,
    assigneeId: row.assignee_id ?? undefined,
    tags: JSON.parse(row.tags) as readonly string[],
    input: fromJsonTextOrNull(row.input),
    output: fromJsonTextOrNull(row.output),
    confidence: row.confidence ?? undefined,
    questions: JSON.parse(row.questions) as readonly Json[],
    isBlocker: row.is_blocker === 1,
    isOpenLoop: row.is_open_loop === 1,
    hasBlocker: row.has_blocker === 1,
    hasOpenLoop: row.has_open_loop === 1,
    source: toSource(row),
    isInactive: row.is_inactive === 1,
    createdBy: row.created_by,
    version: row.version,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    startedAt: row.started_at ?? undefined,
    finishedAt: row.finished_at ?? undefined,
  };
}
