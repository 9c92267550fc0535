/** The states of a run and the one table of how they follow one another. */

import { ProductError } from "../base/errors.ts";
import type { RunState } from "../store/engine-tables.ts";

/** An ended run goes on only where somebody asks for it: see `act-on-run.ts`. */
const TRANSITIONS: Readonly<Record<RunState, readonly RunState[]>> = {
  queued: ["running", "waiting", "paused", "held", "completed", "failed", "cancelled"],
  running: ["waiting", "paused", "held", "completed", "failed", "cancelled"],
  waiting: ["running", "paused", "held", "completed", "failed", "cancelled"],
  paused: ["running", "waiting", "queued", "held", "completed", "failed", "cancelled"],
  held: ["running", "waiting", "paused", "queued", "completed", "failed", "cancelled"],
  completed: ["queued"],
  failed: ["running", "queued"],
  cancelled: [],
};

export function isEnded(state: RunState): boolean {
  return state === "completed" || state === "failed" || state === "cancelled";
}

export function checkRunTransition(from: RunState, to: RunState): void {
  if (from === to || TRANSITIONS[from].includes(to)) return;
  throw new ProductError("run_transition", `A run that is ${from} cannot become ${to}.`, {
    kind: "conflict",
    hint: isEnded(from) ? "It has ended; start a new run." : "Look at its state first: `run show`.",
    details: { from, to },
  });
}

/** What a run owns that can still move it. */
export interface RunCounts {
  readonly openJobs: number;
  readonly heldJobs: number;
  readonly openWaits: number;
  readonly openTimers: number;
  readonly openRuns: number;
}

/**
 * The state that the counts imply. `paused` and a run held at a limit stay as they are until someone acts.
 * Undefined means that nothing is left that could ever move the run: a fault of its method, to be shown.
 */
export function impliedState(
  current: { readonly state: RunState; readonly isStopped: boolean },
  counts: RunCounts,
): RunState | undefined {
  if (isEnded(current.state) || current.isStopped) return current.state;
  if (counts.openJobs > 0) return "running";
  if (counts.heldJobs > 0) return "held";
  if (counts.openWaits + counts.openTimers + counts.openRuns > 0) return "waiting";
  return undefined;
}
