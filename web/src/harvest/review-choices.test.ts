import assert from "node:assert/strict";
import { test } from "node:test";
import {
  acceptAllNew,
  type Candidate,
  type Choices,
  choose,
  tally,
  toReview,
} from "./review-choices.ts";

function candidate(number: number, kind: Candidate["match"]["kind"] = "new"): Candidate {
  return {
    number,
    type: "task",
    title: `Candidate ${number}`,
    text: "",
    isBlocker: false,
    isOpenLoop: false,
    quote: { text: "", start: 0, end: 0 },
    match: { kind, reason: "" },
    status: "proposed",
    choices: ["accept", "edit", "skip"],
  };
}

const NONE: Choices = new Map();

test("accepting all that is new leaves what was matched, and what was decided, alone", () => {
  const all = [candidate(1), candidate(2, "duplicate"), candidate(3), candidate(4, "contradicts")];
  const choices = acceptAllNew(all, choose(NONE, 3, { kind: "skip" }));

  assert.deepEqual(
    [...choices],
    [
      [3, { kind: "skip" }],
      [1, { kind: "accept" }],
    ],
  );
  assert.deepEqual(tally(all, choices), { taken: 1, skipped: 1, open: 2 });
});

test("a review names each candidate once, and an empty title takes the title away", () => {
  const choices: Choices = new Map([
    [1, { kind: "accept" }],
    [2, { kind: "edit", title: "  ", text: " words ", as: "keepBoth" }],
    [3, { kind: "supersede" }],
    [4, { kind: "skip" }],
  ]);

  assert.deepEqual(toReview("h", 2, choices), {
    harvestId: "h",
    expectedVersion: 2,
    accept: [1],
    skip: [4],
    supersede: [3],
    keepBoth: [],
    edit: [{ number: 2, title: null, text: "words", choice: "keepBoth" }],
  });
});

test("a choice taken back leaves the candidate open", () => {
  const choices = choose(choose(NONE, 1, { kind: "accept" }), 1, undefined);

  assert.deepEqual(tally([candidate(1)], choices), { taken: 0, skipped: 0, open: 1 });
});
