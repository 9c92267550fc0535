/** The product's statuses as the nine states the pages can show, and the words that go with them. */

export type State = "ok" | "run" | "wait" | "hold" | "fail" | "stale" | "todo" | "skip" | "part";

const STATES: Readonly<Record<string, State>> = {
  // runs
  queued: "todo",
  running: "run",
  waiting: "wait",
  paused: "hold",
  held: "hold",
  completed: "ok",
  failed: "fail",
  cancelled: "skip",
  // tasks
  pending: "todo",
  in_progress: "run",
  on_hold: "hold",
  superseded: "skip",
  partial: "part",
  stale: "stale",
  // waits
  open: "wait",
  answered: "ok",
  expired: "stale",
  // exchanges
  lost: "fail",
  // packets
  drafted: "todo",
  copied: "run",
  harvested: "ok",
  partially_harvested: "part",
  abandoned: "skip",
  // imports
  interrupted: "hold",
  stopped: "skip",
  // decisions and agents
  active: "ok",
  inactive: "skip",
};

export function stateOf(status: string): State {
  return STATES[status] ?? "todo";
}

/** Which colour class a state's glyph and words take; two states share the grey of another. */
export function toneOf(state: State): string {
  return state === "skip" ? "todo" : state === "part" ? "stale" : state;
}

export function statusWords(status: string): string {
  return status.replaceAll("_", " ");
}
