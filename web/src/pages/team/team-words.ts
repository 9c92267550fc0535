/** How the states of teams, products, comments and steps are shown. */

import type { State } from "../../parts/state.ts";

const STATES: Readonly<Record<string, State>> = {
  // a team
  draft: "todo",
  bootstrapping: "run",
  ready: "todo",
  running: "run",
  awaiting_user: "wait",
  paused: "hold",
  concluded: "ok",
  failed: "fail",
  // steps
  done: "ok",
  skipped: "skip",
  halted: "wait",
  // products
  pending: "todo",
  accepted: "ok",
  rejected: "fail",
  removed: "skip",
  // comments
  open: "wait",
  deferred: "stale",
  resolved: "ok",
  // directives
  written: "part",
  fulfilled: "ok",
  partial: "part",
  unfulfilled: "fail",
  // verdicts
  approved: "ok",
  needs_revision: "part",
  blocked: "fail",
};

export function teamState(status: string): State {
  return STATES[status] ?? "todo";
}

/** An accepted comment is agreed to, not yet settled. */
export function collabState(status: string): State {
  return status === "accepted" ? "run" : status === "rejected" ? "skip" : teamState(status);
}

export const STEP_LABELS: Readonly<Record<string, string>> = {
  bootstrap: "Bootstrap",
  reflect: "Reflect",
  plan_assign: "Plan & assign",
  write: "Write",
  peer_review: "Peer review",
  inspect: "Inspect",
  envoy: "Envoy",
};

export const ROUND_STEPS = ["reflect", "plan_assign", "write", "peer_review", "inspect", "envoy"];
