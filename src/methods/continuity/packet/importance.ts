/** How much a thought matters in a packet: age, and what it is. Within one class it only falls with age. */

import type { Score } from "../../../kernel/prompt/part.ts";
import type { TaskStatus } from "../../../kernel/store/noun-tables.ts";

/** What a task is to a packet; finished ones are nothing to it. */
export type Standing = "priority" | "open" | "in_progress";

export interface ScoredTask {
  readonly status: TaskStatus;
  readonly isPressing: boolean;
  readonly hasBlocker: boolean;
  readonly createdAt: number;
}

export function standingOf({
  status,
  isPressing,
}: Pick<ScoredTask, "status" | "isPressing">): Standing | undefined {
  switch (status) {
    case "pending":
      return isPressing ? "priority" : "open";
    case "in_progress":
      return isPressing ? "priority" : "in_progress";
    case "waiting":
    case "on_hold":
      return "open";
    default:
      return undefined;
  }
}

const STANDING_VALUES: Readonly<Record<Standing, number>> = {
  priority: 0.4,
  open: 0.2,
  in_progress: 0.2,
};
const BLOCKER = 0.3;

export function scoreTask(task: ScoredTask, now: number): Score {
  const standing = standingOf(task);
  const terms = {
    recency: recency(task.createdAt, now),
    ...(standing === undefined ? {} : { [standing]: STANDING_VALUES[standing] }),
    ...(task.hasBlocker ? { blocker: BLOCKER } : {}),
  };
  return { value: taskValue(task, now), terms: roundAll(terms) };
}

/** The value of the score alone: of all that is looked at, few are shown with their terms. */
export function taskValue(task: ScoredTask, now: number): number {
  const standing = standingOf(task);
  const value = standing === undefined ? 0 : STANDING_VALUES[standing];
  return capped(recency(task.createdAt, now) + value + (task.hasBlocker ? BLOCKER : 0));
}

export function scoreDecision({ createdAt }: { readonly createdAt: number }, now: number): Score {
  return sum({ recency: recency(createdAt, now), decision: 0.3 });
}

export function scoreHighlight(
  { createdAt, isLabelled }: { readonly createdAt: number; readonly isLabelled: boolean },
  now: number,
): Score {
  return sum({ recency: recency(createdAt, now), ...(isLabelled ? { label: 0.2 } : {}) });
}

const DAY = 86_400_000;
const FADES_IN_DAYS = 30;

/** What is dated ahead of `now` counts as new. */
function recency(createdAt: number, now: number): number {
  const days = Math.max(0, now - createdAt) / DAY;
  return Math.max(0, 1 - days / FADES_IN_DAYS) * 0.3;
}

/** To the millionth, so that sums made in another order never differ by the last bit. */
function sum(terms: Readonly<Record<string, number>>): Score {
  const total = Object.values(terms).reduce((value, term) => value + term, 0);
  return { value: capped(total), terms: roundAll(terms) };
}

function capped(total: number): number {
  return Math.min(1, millionths(total));
}

function roundAll(terms: Readonly<Record<string, number>>): Record<string, number> {
  return Object.fromEntries(Object.entries(terms).map(([name, term]) => [name, millionths(term)]));
}

function millionths(value: number): number {
  return Math.round(value * 1e6) / 1e6;
}
