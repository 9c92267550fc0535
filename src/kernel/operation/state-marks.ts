/** Marks that tell a state without colour; the word stands beside it. */

import type { RunState } from "../store/engine-tables.ts";
import type { TaskStatus } from "../store/noun-tables.ts";

const DONE = "✓";
const WORKING = "●";
const ASKED = "◆";
const STOPPED = "▮";
const FAILED = "✗";
const AHEAD = "○";
const LEFT_OUT = "–";

const RUN_MARKS: Readonly<Record<RunState, string>> = {
  queued: AHEAD,
  running: WORKING,
  waiting: ASKED,
  paused: STOPPED,
  held: STOPPED,
  completed: DONE,
  failed: FAILED,
  cancelled: LEFT_OUT,
};

const TASK_MARKS: Readonly<Record<TaskStatus, string>> = {
  pending: AHEAD,
  in_progress: WORKING,
  waiting: ASKED,
  on_hold: STOPPED,
  completed: DONE,
  failed: FAILED,
  cancelled: LEFT_OUT,
};

export function runMark(state: RunState): string {
  return `${RUN_MARKS[state]} ${state}`;
}

export function taskMark(status: TaskStatus): string {
  return `${TASK_MARKS[status]} ${status.replace("_", " ")}`;
}

const CHECK_MARKS = { ok: DONE, absent: "·", warn: "!", bad: FAILED } as const;

export function checkMark(state: keyof typeof CHECK_MARKS): string {
  return CHECK_MARKS[state];
}

/** In front of the sentence that says what was done. */
export function doneLine(sentence: string): string {
  return `${DONE} ${sentence}`;
}
