/**
 * What to do about a reply that was refused. Each kind of failure has its own remedy, since the
 * wrong one costs a call and changes nothing: asking for valid JSON does not help a model that ran
 * out of room, and continuing does not help one that answered something else.
 */

import { continuationPrompt } from "./continuation-prompt.ts";
import type { Contract } from "./contract.ts";
import type { Problem, Refused } from "./reading.ts";
import { skeletonOf } from "./skeleton.ts";

export interface Remedy {
  readonly action: "ask_again" | "correct_fields" | "continue" | "retry_with_more_output";
  /** The user turn to send. */
  readonly prompt: string;
}

/** `text` is everything received so far for this reply, continuations joined. */
export function remedyFor(contract: Contract, refusal: Refused, text: string): Remedy {
  const { failure, problems } = refusal;
  if (failure === "no_payload")
    return { action: "ask_again", prompt: askAgain(contract, problems) };
  if (failure === "invalid") {
    return { action: "correct_fields", prompt: correctFields(contract, problems) };
  }
  if (failure === "truncated") {
    return { action: "continue", prompt: continuationPrompt({ contract, soFar: text }) };
  }
  return { action: "retry_with_more_output", prompt: retryWithMoreOutput(contract) };
}

function askAgain(contract: Contract, problems: readonly Problem[]): string {
  return [
    `Your reply for "${contract.name}" could not be used. ${problems.map(({ message }) => message).join(" ")}`,
    "Answer the same request again, in this form:",
    skeletonOf(contract),
  ].join("\n\n");
}

const MOST_PROBLEMS = 40;

function correctFields(contract: Contract, problems: readonly Problem[]): string {
  const shown = problems.slice(0, MOST_PROBLEMS).map(({ message }) => `- ${message}`);
  const more = problems.length - shown.length;
  return [
    `Your reply for "${contract.name}" was nearly right. Correct only this:`,
    [...shown, ...(more > 0 ? [`- and ${more} more of the same kind.`] : [])].join("\n"),
    "Leave everything else as it was, and send the whole reply again in the same form, without comment.",
  ].join("\n\n");
}

function retryWithMoreOutput(contract: Contract): string {
  return [
    `No answer for "${contract.name}" arrived. Answer now, directly and without long deliberation, in this form:`,
    skeletonOf(contract),
  ].join("\n\n");
}
