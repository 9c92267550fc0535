import assert from "node:assert/strict";
import { test } from "node:test";
import { newsWords, threadOf } from "./thread.ts";

const event = (
  n: number,
  type: string,
  data: object = {},
  stream = "workspace",
  actor = "mara",
) => {
  return { cursor: `0.${n}`, type, stream, actor, data: data as never, at: n };
};

const EVENTS = [
  event(9, "run.completed", {}, "run-1"),
  event(8, "turn.completed", {}, "run-1"),
  event(8, "task.created", { id: "s", set: { title: "A step" } }, "project", "engine"),
  event(7, "wait.opened", { wait: "w", title: "Confirm" }, "run-1"),
  event(6, "decision.created", { id: "d", set: { title: "Leases, not locks" } }),
  event(5, "task.created", { id: "t", set: { title: "Two workers" } }),
];

test("the thread tells the newest that matter, oldest first", () => {
  const knots = threadOf(EVENTS).map(({ what, name, noun, id }) => [what, name, noun, id]);

  assert.deepEqual(knots, [
    ["Opened:", "Two workers", "task", "t"],
    ["Decided:", "Leases, not locks", "decision", "d"],
    ["Asked you:", "Confirm", "run", "run-1"],
    ["Finished:", undefined, "run", "run-1"],
  ]);
});

test("news are what happened since the last visit", () => {
  assert.equal(
    newsWords(EVENTS, undefined),
    "So far: 1 decided, 1 opened, 1 run finished, 1 asked of you.",
  );
  assert.equal(newsWords(EVENTS, 8), "Since you were here: 1 run finished.");
  assert.equal(newsWords(EVENTS, 9), "Since you were here: nothing new.");
});
