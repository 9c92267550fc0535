import assert from "node:assert/strict";
import { describe, test } from "node:test";
import * as fc from "fast-check";
import { TASK_STATUSES, type TaskStatus } from "../../../kernel/store/noun-tables.ts";
import { scoreDecision, scoreHighlight, scoreTask, standingOf } from "./importance.ts";

const DAY = 86_400_000;
const NOW = Date.UTC(2026, 10, 18, 12);
const daysAgo = (days: number): number => NOW - days * DAY;

const task = (
  days: number,
  status: TaskStatus,
  { isPressing = false, hasBlocker = false } = {},
) => ({ status, isPressing, hasBlocker, createdAt: daysAgo(days) });

describe("the score of a thought", () => {
  /** recency is (1 − days/30) × 0.3: 0.3 today, 0.2 after ten days, 0.15 after fifteen, 0 after thirty. */
  const TABLE: readonly (readonly [string, number, number])[] = [
    ["an open task of today: 0.3 + 0.2", scoreTask(task(0, "pending"), NOW).value, 0.5],
    ["an open task of ten days: 0.2 + 0.2", scoreTask(task(10, "pending"), NOW).value, 0.4],
    ["a task in progress: 0.15 + 0.2", scoreTask(task(15, "in_progress"), NOW).value, 0.35],
    ["a waiting task is open: 0 + 0.2", scoreTask(task(30, "waiting"), NOW).value, 0.2],
    ["a task on hold is open: 0 + 0.2", scoreTask(task(31, "on_hold"), NOW).value, 0.2],
    [
      "priority counts alone, not beside open: 0.3 + 0.4",
      scoreTask(task(0, "pending", { isPressing: true }), NOW).value,
      0.7,
    ],
    [
      "what presses while in progress is priority too: 0.2 + 0.4",
      scoreTask(task(10, "in_progress", { isPressing: true }), NOW).value,
      0.6,
    ],
    [
      "what presses while on hold stays open: 0.3 + 0.2",
      scoreTask(task(0, "on_hold", { isPressing: true }), NOW).value,
      0.5,
    ],
    [
      "an old blocker: 0 + 0.2 + 0.3",
      scoreTask(task(400, "pending", { hasBlocker: true }), NOW).value,
      0.5,
    ],
    [
      "the most there is: 0.3 + 0.4 + 0.3",
      scoreTask(task(0, "pending", { isPressing: true, hasBlocker: true }), NOW).value,
      1,
    ],
    ["a decision of today: 0.3 + 0.3", scoreDecision({ createdAt: NOW }, NOW).value, 0.6],
    [
      "a decision of three days: 0.27 + 0.3",
      scoreDecision({ createdAt: daysAgo(3) }, NOW).value,
      0.57,
    ],
    ["an old decision: 0 + 0.3", scoreDecision({ createdAt: daysAgo(90) }, NOW).value, 0.3],
    [
      "a highlight with a label: 0.24 + 0.2",
      scoreHighlight({ createdAt: daysAgo(6), isLabelled: true }, NOW).value,
      0.44,
    ],
    [
      "a highlight without: 0.24",
      scoreHighlight({ createdAt: daysAgo(6), isLabelled: false }, NOW).value,
      0.24,
    ],
    [
      "an old highlight without: nothing",
      scoreHighlight({ createdAt: daysAgo(60), isLabelled: false }, NOW).value,
      0,
    ],
    [
      "half a day counts as half a day: 0.295 + 0.3",
      scoreDecision({ createdAt: daysAgo(0.5) }, NOW).value,
      0.595,
    ],
    [
      "what is dated ahead is new: 0.3 + 0.3",
      scoreDecision({ createdAt: daysAgo(-9) }, NOW).value,
      0.6,
    ],
  ];

  for (const [what, score, expected] of TABLE) {
    test(what, () => assert.equal(score, expected));
  }

  test("says what it is the sum of", () => {
    const { value, terms } = scoreTask(task(10, "pending", { hasBlocker: true }), NOW);

    assert.deepEqual(terms, { recency: 0.2, open: 0.2, blocker: 0.3 });
    assert.equal(value, 0.7);
  });

  test("lies between 0 and 1 and never rises with age, whatever the task", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...TASK_STATUSES),
        fc.boolean(),
        fc.boolean(),
        fc.double({ min: -5, max: 400, noNaN: true }),
        fc.double({ min: 0, max: 400, noNaN: true }),
        (status, isPressing, hasBlocker, days, more) => {
          const newer = scoreTask(task(days, status, { isPressing, hasBlocker }), NOW).value;
          const older = scoreTask(task(days + more, status, { isPressing, hasBlocker }), NOW).value;

          assert.ok(newer >= 0 && newer <= 1);
          assert.ok(older <= newer);
        },
      ),
    );
  });
});

test("what is finished has no standing in a packet", () => {
  const standings = TASK_STATUSES.map((status) => [
    status,
    standingOf({ status, isPressing: false }),
    standingOf({ status, isPressing: true }),
  ]);

  assert.deepEqual(standings, [
    ["pending", "open", "priority"],
    ["in_progress", "in_progress", "priority"],
    ["waiting", "open", "open"],
    ["on_hold", "open", "open"],
    ["completed", undefined, undefined],
    ["failed", undefined, undefined],
    ["cancelled", undefined, undefined],
  ]);
});
