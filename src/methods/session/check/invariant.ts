/** What must hold when a prompt is said to be done. Each has a code for ever, so that scripts can tell them apart. */

export const INVARIANTS = {
  session_finished: "The session is finished, not open or half-way.",
  head_is_session:
    "Its work ends in one `session:` commit; no intent of it trails beside or above.",
  message_shape:
    "The commit says prompt, context and changes in their form, and lists squashed ids if and only if it squashed.",
  date_line: "The line under the title is the chronos date of its end.",
  intents_minimal: "Intents say one line each, and nothing of prompt or context.",
  references_alive: "Every id it lists resolves here and is kept reachable.",
  references_at_remote:
    "Every id it lists is reachable at the remote, so that a clone resolves it.",
  report_present: "Its report is part of its commit and names session and change.",
  scope_true: "The report's change scope is what the commits say.",
  counterpart_present: "Reports and strategies stand in step, both ways.",
  tree_clean: "Nothing is left unrecorded in the working copy.",
  fresh_child: "The working copy stands on top of the finished commit, not in it or beside it.",
  pushed: "The remote's bookmark holds the finished commit.",
  parent_fresh: "The parent change it relied on is still below it, as it was.",
  secrets_absent: "Nothing in it looks like a key or a password that nobody allowed.",
} as const;

export type InvariantCode = keyof typeof INVARIANTS;

export const INVARIANT_CODES = Object.keys(INVARIANTS) as [InvariantCode, ...InvariantCode[]];

export const VERDICTS = ["holds", "breach", "not_applicable"] as const;
export type Verdict = (typeof VERDICTS)[number];

export interface Judgement {
  readonly code: InvariantCode;
  readonly verdict: Verdict;
  /** What was found; for a breach also what to do. */
  readonly says: string;
}
