/**
 * A workflow as it is routed: plain data, read from a mermaid source by `readWorkflow`. Defaults are
 * filled in, conditions and paths are parsed. One that was read with errors is good for showing
 * only; it may hold empty paths and targets that do not exist.
 */

import type { Condition } from "../../../kernel/base/condition.ts";
import type { JsonObject } from "../../../kernel/base/json.ts";
import type { JsonPath } from "../../../kernel/base/json-path.ts";
import type { TextPosition } from "../../../kernel/base/text-position.ts";
import type { Direction } from "../diagram/diagram.ts";

export interface WorkflowDefinition {
  readonly name: string | undefined;
  readonly description: string | undefined;
  readonly direction: Direction;
  /** JSON Schema that the input of a run must meet. */
  readonly inputSchema?: JsonObject | undefined;
  /** Tasks one run may create before it is held. */
  readonly maxTasks: number;
  /** In order of first mention; ids are unique. */
  readonly steps: readonly WorkflowStep[];
  /** What is routed along, in drawing order. Of a decision: exactly its branches and its default. */
  readonly edges: readonly WorkflowEdge[];
}

export type WorkflowStep = TaskStep | DecisionStep | ForeachStep | JoinStep | SubflowStep;

export type StepType = WorkflowStep["stepType"];
export type Execution = "automated" | "manual";

interface StepBase {
  readonly id: string;
  readonly name: string;
  readonly description: string | undefined;
  readonly hitlPhase: string | undefined;
  /** The author's own settings; kept, never read by the engine. */
  readonly config: JsonObject;
  /** Arrivals per run before the run is held. */
  readonly maxIterations: number;
  /** Where the step is first drawn. */
  readonly position: TextPosition;
}

/** How a step's work is done, by an agent or by a person. */
interface Work {
  readonly execution: Execution;
  /** A template. */
  readonly prompt: string | undefined;
  readonly defaultAssigneeId: string | undefined;
  /** JSON Schema that `output` must meet. */
  readonly outputSchema: JsonObject | undefined;
  /** From 0 to 1; a reply below it goes to a person. */
  readonly minConfidence: number | undefined;
  /** Further attempts after a failed one; `undefined` leaves it to the engine's policy. */
  readonly retries: number | undefined;
  readonly timeoutMs: number | undefined;
}

export interface TaskStep extends StepBase, Work {
  readonly stepType: "task";
}

export interface DecisionStep extends StepBase {
  readonly stepType: "decision";
  /** Tried in this order. */
  readonly branches: readonly DecisionBranch[];
  readonly defaultBranch: string | undefined;
}

export interface DecisionBranch {
  /** As written. */
  readonly text: string;
  readonly condition: Condition;
  readonly targetStepId: string;
  readonly position: TextPosition;
}

/** Its own prompt, where there is one, is the first step of the body. */
export interface ForeachStep extends StepBase, Work {
  readonly stepType: "foreach";
  readonly itemsPath: string;
  readonly items: JsonPath;
  readonly itemVariable: string;
  /** More items than this hold the run. */
  readonly maxItems: number;
  /** Children at work at once; `undefined`: as many as the engine's lanes let through. */
  readonly concurrency: number | undefined;
}

/** With a prompt it runs as a task over `aggregatedResults`; without one it only collects. */
export interface JoinStep extends StepBase, Work {
  readonly stepType: "join";
  /** `foreach:{{parentId}}`, or `foreach:<id of the foreach step>`; absent: the nearest foreach. */
  readonly awaitTag: string | undefined;
  readonly policy: JoinPolicy;
}

/** At the deadline a join fails unless its settings say otherwise. */
export interface JoinPolicy {
  /** What must have finished before the join goes on. */
  readonly need:
    | { readonly kind: "all" }
    | { readonly kind: "percent"; readonly percent: number }
    | { readonly kind: "count"; readonly count: number };
  /** From the beginning of its foreach, or from the first arrival along parallel edges. */
  readonly deadlineMs: number | undefined;
  /** At the deadline: go on with what there is, or fail. */
  readonly onDeadline: "partial" | "fail";
}

export interface SubflowStep extends StepBase {
  readonly stepType: "subflow";
  /** Id or name of the other workflow. */
  readonly subflowId: string;
  /** By name of the other run's input; empty hands the whole `input` on. */
  readonly inputMapping: readonly MappedInput[];
  readonly timeoutMs: number | undefined;
}

export interface MappedInput {
  readonly name: string;
  /** A path such as `output.files`, or a text with `{{places}}`. */
  readonly text: string;
  readonly from:
    | { readonly kind: "path"; readonly path: JsonPath }
    | { readonly kind: "template"; readonly text: string };
}

export interface WorkflowEdge {
  readonly source: string;
  readonly target: string;
  /** `always` unless it leaves a decision. */
  readonly when: "always" | "default" | { readonly text: string; readonly condition: Condition };
  readonly position: TextPosition;
}

export const WORKFLOW_DEFAULTS = {
  maxTasks: 10_000,
  maxIterations: 25,
  maxItems: 100,
  itemVariable: "item",
} as const;
