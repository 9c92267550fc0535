import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { outcomeOf, type TaskOutcome, withSuggestedTags } from "./task-outcome.ts";
import { NEXT_ACTIONS, REPLY_STATUSES, type TaskReply } from "./task-reply.ts";

const output = { score: 87 };
const reply = (change: Partial<TaskReply> = {}): TaskReply => ({
  status: "SUCCESS",
  summary: "Looked at it.",
  output,
  nextAction: "COMPLETE",
  nextActionReason: "Ask Ana.",
  ...change,
});
const outcome = (change: Partial<TaskReply>, minConfidence?: number) =>
  outcomeOf(reply(change), { minConfidence });

const completed: TaskOutcome = { kind: "completed", output };
const followedUp: TaskOutcome = { kind: "followed_up", output, description: "Ask Ana." };
const held = (code: string, message: string): TaskOutcome => ({
  kind: "held",
  reason: { code, message },
});
const escalated = held("task_escalated", "The agent asks for a person: Ask Ana.");
const waiting = held("task_waits", "The agent waits: Ask Ana.");
const blocked = held("task_blocked", "The agent is blocked: Ask Ana.");
const failed = held("task_failed", "The agent failed: Ask Ana.");
const retry: TaskOutcome = {
  kind: "retry",
  reason: { code: "task_failed", message: "The attempt failed: Ask Ana." },
};

describe("status and next action", () => {
  /** By status, in the order COMPLETE, CONTINUE, ESCALATE, HOLD. */
  const table: Readonly<Record<TaskReply["status"], readonly TaskOutcome[]>> = {
    SUCCESS: [completed, followedUp, escalated, waiting],
    PARTIAL: [completed, followedUp, escalated, waiting],
    BLOCKED: [blocked, blocked, blocked, blocked],
    FAILED: [failed, retry, failed, failed],
  };
  for (const status of REPLY_STATUSES) {
    for (const [index, nextAction] of NEXT_ACTIONS.entries()) {
      const expected = table[status][index];

      test(`${status} and ${nextAction}: ${expected?.kind}`, () => {
        assert.deepEqual(outcome({ status, nextAction }), expected);
      });

      test(`${status} and ${nextAction} with questions: asked`, () => {
        const questions = [{ id: "q1", question: "Which branch?", type: "text" as const }];

        assert.deepEqual(outcome({ status, nextAction, questions }, 1), {
          kind: "asked",
          questions,
        });
      });
    }
  }
});

describe("a reason", () => {
  test("is what the model said after the words, or its summary", () => {
    const message = (change: Partial<TaskReply>) => {
      const { nextActionReason: _, ...bare } = reply({ status: "BLOCKED" });
      const said = outcomeOf({ ...bare, ...change }, { minConfidence: undefined });
      return said.kind === "held" ? said.reason.message : undefined;
    };

    assert.equal(message({}), "The agent is blocked: Looked at it.");
    assert.equal(message({ statusReason: "no access" }), "The agent is blocked: no access");
    assert.equal(
      message({ statusReason: "no access.", nextActionReason: "Give me access." }),
      "The agent is blocked: no access. Give me access.",
    );
  });
});

describe("confidence", () => {
  const at = (confidence: number | undefined) =>
    confidence === undefined ? {} : { metadata: { confidence } };

  test("below what the step asks for sends finished work to a person, and nothing else", () => {
    assert.deepEqual(outcome(at(0.69), 0.7), {
      kind: "review",
      reason: {
        code: "confidence_too_low",
        message: "The agent's confidence is 0.69; this step asks for at least 0.7.",
      },
      finished: completed,
    });
    assert.deepEqual(outcome(at(0.7), 0.7), completed);
    assert.deepEqual(outcome({ ...at(0), nextAction: "HOLD" }, 0.7), waiting);
    assert.deepEqual(outcome({ ...at(0), status: "FAILED", nextAction: "CONTINUE" }, 0.7), retry);
  });

  test("absent counts as 0", () => {
    const review = outcome(at(undefined), 0.01);

    assert.ok(review.kind === "review");
    assert.match(review.reason.message, /^The agent gave no confidence;/);
    assert.deepEqual(outcome(at(undefined), 0), completed);
    assert.deepEqual(outcome(at(undefined)), completed);
  });

  test("keeps the follow-up for when a person agrees", () => {
    const review = outcome({ ...at(0.1), nextAction: "CONTINUE" }, 0.5);

    assert.ok(review.kind === "review");
    assert.deepEqual(review.finished, followedUp);
  });
});

test("suggested tags join a task's own, each once, and never pose as the engine's", () => {
  const metadata = {
    suggested_tags: [
      "style",
      " two\nlines ",
      "own",
      "",
      "foreach:0198",
      "Foreach:x",
      "x".repeat(61),
    ],
  };

  assert.deepEqual(withSuggestedTags(["own", "foreach:1"], reply({ metadata })), [
    "own",
    "foreach:1",
    "style",
    "two lines",
  ]);
});
