/** What to do after each call of a turn: the whole policy in one pure function. */

import type { Reading, Refused } from "../contract/reading.ts";
import type { ModelError } from "../model/model-error.ts";
import type { Reason } from "./limits.ts";
import { DEFAULT_RETRIES, retryDelayMs } from "./retry-policy.ts";

/** What has been tried so far within this turn. */
export interface TurnCourse {
  readonly attempt: number;
  readonly maxAttempts: number;
  readonly continuations: number;
  readonly maxContinuations: number;
  readonly corrections: number;
  readonly maxCorrections?: number;
  readonly enlargements: number;
  /** Calls in a row that brought nothing new. */
  readonly stalled?: number;
}

export interface CallResult {
  /** Everything received, joined over continuations. */
  readonly text: string;
  readonly reading: Reading<unknown>;
  readonly error: ModelError | undefined;
}

export type NextStep =
  | { readonly kind: "accept"; readonly value: unknown }
  | { readonly kind: "continue" }
  | { readonly kind: "correct"; readonly reading: Refused }
  /** The model used its whole output before it answered: give it more room and let it think less. */
  | { readonly kind: "enlarge" }
  | { readonly kind: "retry"; readonly delayMs: number; readonly reason: Reason }
  | { readonly kind: "give_up"; readonly reason: Reason };

const MAX_CORRECTIONS = 1;
const MAX_ENLARGEMENTS = 1;
const MAX_STALLED = 2;

export function nextStep(course: TurnCourse, result: CallResult, jitter: number): NextStep {
  const { error, reading, text } = result;
  if (error && !(isInterruption(error) && text !== "")) return afterError(course, error, jitter);
  if (reading.ok) return { kind: "accept", value: reading.value };
  switch (reading.failure) {
    case "truncated":
      if ((course.stalled ?? 0) >= MAX_STALLED) {
        return giveUp(
          "reply_stuck",
          `${course.stalled} continuations in a row brought nothing new.`,
          "Choose another model or ask for less; everything received is kept.",
        );
      }
      if (course.continuations < course.maxContinuations) return { kind: "continue" };
      return giveUp(
        "reply_unfinished",
        `The reply was still unfinished after ${course.continuations} continuations.`,
        "Raise the number of continuations or ask for less; everything received is kept.",
      );
    case "empty":
      if (course.enlargements < MAX_ENLARGEMENTS) return { kind: "enlarge" };
      return giveUp(
        "reply_empty",
        "The model gave no text.",
        "Allow more output or choose another model.",
      );
    case "invalid":
    case "no_payload":
      if (course.corrections < (course.maxCorrections ?? MAX_CORRECTIONS))
        return { kind: "correct", reading };
      return giveUp(
        "reply_unreadable",
        `The reply does not meet its contract: ${problemsOf(reading)}`,
        "Try again, choose another model, or make the prompt say more plainly what is wanted.",
      );
  }
}

function afterError(course: TurnCourse, error: ModelError, jitter: number): NextStep {
  const { code, message, hint } = error;
  const reason: Reason = { code, message, hint };
  if (!error.retryable) return { kind: "give_up", reason };
  const delayMs = retryDelayMs(
    { ...DEFAULT_RETRIES, maxAttempts: course.maxAttempts },
    { attempt: course.attempt, retryAfterMs: error.retryAfterMs, jitter },
  );
  return delayMs === undefined ? { kind: "give_up", reason } : { kind: "retry", delayMs, reason };
}

/** The reply broke off on the way: what arrived is good as far as it goes. */
function isInterruption({ failure }: ModelError): boolean {
  return failure === "cut" || failure === "stalled" || failure === "timeout";
}

function giveUp(code: string, message: string, hint: string): NextStep {
  return { kind: "give_up", reason: { code, message, hint } };
}

function problemsOf({ problems }: Refused): string {
  const shown = problems.slice(0, 3).map(({ message }) => message);
  const rest = problems.length - shown.length;
  return [...shown, ...(rest > 0 ? [`and ${rest} more.`] : [])].join(" ");
}
