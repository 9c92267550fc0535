/**
 * What follows for a task from its reply. The model says how its work went; where the workflow goes
 * from there is never its choice.
 *
 * |         | COMPLETE  | CONTINUE              | ESCALATE | HOLD |
 * | ------- | --------- | --------------------- | -------- | ---- |
 * | SUCCESS | completed | completed + follow-up | held     | held |
 * | PARTIAL | completed | completed + follow-up | held     | held |
 * | BLOCKED | held      | held                  | held     | held |
 * | FAILED  | held      | retry                 | held     | held |
 *
 * Questions come before all of it: who asks cannot go on, whatever else is said. Work that counts as
 * completed goes to a person when the model's confidence is below what the step asks for.
 */

import type { JsonObject } from "../../../kernel/base/json.ts";
import type { Reason } from "../../../kernel/run/limits.ts";
import type { Question } from "./question.ts";
import type { TaskReply } from "./task-reply.ts";

export type TaskOutcome =
  | Finished
  | { readonly kind: "held"; readonly reason: Reason }
  | { readonly kind: "retry"; readonly reason: Reason }
  | { readonly kind: "asked"; readonly questions: readonly Question[] }
  /** A person decides whether `finished` stands. */
  | { readonly kind: "review"; readonly reason: Reason; readonly finished: Finished };

export type Finished =
  | { readonly kind: "completed"; readonly output: JsonObject }
  | {
      readonly kind: "followed_up";
      readonly output: JsonObject;
      /** The work that should come next, in the model's words. */
      readonly description: string;
    };

export function outcomeOf(
  reply: TaskReply,
  { minConfidence }: { readonly minConfidence: number | undefined },
): TaskOutcome {
  const { status, nextAction, questions = [] } = reply;
  if (questions.length > 0) return { kind: "asked", questions };
  if (status === "BLOCKED") return held("task_blocked", "The agent is blocked", reply);
  if (status === "FAILED") {
    return nextAction === "CONTINUE"
      ? { kind: "retry", reason: reasonOf("task_failed", "The attempt failed", reply) }
      : held("task_failed", "The agent failed", reply);
  }
  if (nextAction === "ESCALATE")
    return held("task_escalated", "The agent asks for a person", reply);
  if (nextAction === "HOLD") return held("task_waits", "The agent waits", reply);
  const finished = finishedBy(reply);
  const confidence = reply.metadata?.confidence ?? 0;
  if (minConfidence === undefined || confidence >= minConfidence) return finished;
  return { kind: "review", reason: lowConfidence(reply, minConfidence), finished };
}

function finishedBy({ output = {}, nextAction, nextActionReason = "" }: TaskReply): Finished {
  return nextAction === "CONTINUE"
    ? { kind: "followed_up", output, description: nextActionReason }
    : { kind: "completed", output };
}

function held(code: string, lead: string, reply: TaskReply): TaskOutcome {
  return { kind: "held", reason: reasonOf(code, lead, reply) };
}

/** The model's own words where it gave any for this; its summary always says something. */
function reasonOf(code: string, lead: string, reply: TaskReply): Reason {
  const words = [reply.statusReason, reply.nextActionReason].filter((text) => text?.trim());
  const why = words.length > 0 ? words.join(" ") : reply.summary;
  return { code, message: `${lead}: ${why.trim()}` };
}

function lowConfidence({ metadata }: TaskReply, minConfidence: number): Reason {
  const said =
    metadata?.confidence === undefined
      ? "The agent gave no confidence"
      : `The agent's confidence is ${metadata.confidence}`;
  return {
    code: "confidence_too_low",
    message: `${said}; this step asks for at least ${minConfidence}.`,
  };
}

const LONGEST_TAG = 60;

/** A task's tags with those a model suggests. The engine's own tags are not for models to give. */
export function withSuggestedTags(tags: readonly string[], { metadata }: TaskReply): string[] {
  const suggested = (metadata?.suggested_tags ?? [])
    .map((tag) => tag.replaceAll(/\s+/g, " ").trim())
    .filter((tag) => tag !== "" && tag.length <= LONGEST_TAG && !/^foreach:/i.test(tag));
  return [...new Set([...tags, ...suggested])];
}
