/** What is wrong, or merely doubtful, with a workflow; an error keeps it from being run. */

import type { TextPosition } from "../../../kernel/base/text-position.ts";
import type { PositionOf } from "../diagram/line-index.ts";

export interface WorkflowProblem {
  /** Permanent, snake_case. */
  readonly code: string;
  readonly severity: "error" | "warning";
  readonly message: string;
  readonly hint?: string;
  readonly stepId?: string;
  readonly position?: TextPosition;
  /** What was probably meant, written at that place or soon after it. */
  readonly meant?: Meant;
}

export interface Meant {
  readonly from: string;
  readonly to: string;
}

/** A problem whose place is not counted out yet. */
export interface Finding extends Omit<WorkflowProblem, "position"> {
  readonly offset: number;
}

export function hasErrors(problems: readonly WorkflowProblem[]): boolean {
  return problems.some((problem) => problem.severity === "error");
}

/** In reading order; what has no place concerns the whole and comes first. */
export function inReadingOrder(problems: readonly WorkflowProblem[]): WorkflowProblem[] {
  const place = ({ position }: WorkflowProblem) => position?.offset ?? -1;
  return problems.toSorted((a, b) => place(a) - place(b));
}

export function toProblem(
  { offset, ...finding }: Finding,
  positionOf: PositionOf,
): WorkflowProblem {
  return { ...finding, position: positionOf(offset) };
}

/** Behind the first of many that are alike. */
export function andMore(count: number): string {
  return count > 1 ? ` (and ${count - 1} more like it)` : "";
}
