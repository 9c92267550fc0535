/** What a reviewer decided, candidate by candidate. */

import { ProductError } from "../../../kernel/base/errors.ts";
import type { Candidate } from "./candidates.ts";

export const CHOICES = ["accept", "skip", "supersede", "keep_both"] as const;
export type Choice = (typeof CHOICES)[number];

export interface Edit {
  readonly title?: string | null | undefined;
  readonly text?: string | undefined;
}

export interface Decided {
  readonly choice: Choice;
  /** Other words than were read. */
  readonly edit?: Edit | undefined;
}

export type ReviewChoices = ReadonlyMap<number, Decided>;

/** Which choices a candidate leaves, the usual one first. */
export function choicesFor({ type, match, status }: Candidate): readonly Choice[] {
  if (status === "accepted") return [];
  switch (match.kind) {
    case "new":
      return ["accept", "skip"];
    case "duplicate":
    case "update":
      return ["accept", "keep_both", "skip"];
    case "contradicts":
      return type === "decision" ? ["supersede", "keep_both", "skip"] : ["keep_both", "skip"];
  }
}

/** Refuses choices that make no sense, before anything is written. */
export function checkChoices(
  harvestId: string,
  candidates: readonly Candidate[],
  choices: ReviewChoices,
): void {
  const byNumber = new Map(candidates.map((candidate) => [candidate.number, candidate]));
  for (const [number, { choice }] of choices) {
    const candidate = byNumber.get(number);
    if (candidate === undefined) throw unknownCandidate(harvestId, number);
    const allowed = choicesFor(candidate);
    if (!allowed.includes(choice)) throw choiceRefused(candidate, choice, allowed);
  }
}

/** The candidate in the reviewer's words. */
export function edited(candidate: Candidate, edit: Edit | undefined): Candidate {
  if (edit === undefined) return candidate;
  const { title = candidate.title, text = candidate.text } = edit;
  return { ...candidate, title: title ?? undefined, text };
}

function unknownCandidate(harvestId: string, number: number): ProductError {
  return new ProductError(
    "candidate_not_found",
    `There is no candidate ${number} in this harvest.`,
    {
      kind: "not_found",
      hint: "`harvest show` lists them with their numbers.",
      details: { harvestId, number },
    },
  );
}

function choiceRefused(
  { number, status, match }: Candidate,
  choice: Choice,
  allowed: readonly Choice[],
): ProductError {
  const said = allowed.map((each) => each.replace("_", " ")).join(", ");
  const why =
    status === "accepted"
      ? `Candidate ${number} is accepted already.`
      : match.kind === "contradicts" && choice === "accept"
        ? `Candidate ${number} contradicts a decision: say whether it supersedes it or both are kept.`
        : `Candidate ${number} cannot be answered by “${choice.replace("_", " ")}”.`;
  return new ProductError("review_choice", why, {
    kind: "conflict",
    hint:
      status === "accepted" ? "`harvest undo` takes the whole harvest back." : `Choose: ${said}.`,
    details: { number, choice, allowed },
  });
}
