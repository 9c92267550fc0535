import assert from "node:assert/strict";
import { test } from "node:test";
import type { LiveEvent } from "../api/live-events.ts";
import { isConcerned } from "./freshness.ts";

const event = (type: string, stream = "workspace"): LiveEvent => {
  return { cursor: "1.1", stream, type, projectId: null, actor: "engine", at: 0 };
};

test("an answer grows old by events of its own noun and of those it is made of", () => {
  const tasks = { name: "task.list", input: {} };
  assert.ok(isConcerned(tasks, event("task.created")));
  assert.ok(isConcerned({ name: "inbox.list", input: {} }, event("wait.opened", "run-1")));
  assert.ok(isConcerned({ name: "workspace.show", input: {} }, event("run.completed", "run-1")));
  assert.ok(!isConcerned(tasks, event("decision.created")));
});

test("what is shown of one run is not read again for another one's sake", () => {
  const shown = { name: "run.show", input: { runId: "run-1" } };
  assert.ok(isConcerned(shown, event("job.finished", "run-1")));
  assert.ok(!isConcerned(shown, event("job.finished", "run-2")));
});

test("the log itself is touched by everything", () => {
  assert.ok(isConcerned({ name: "event.list", input: {} }, event("token.revoked")));
});

test("what follows from files alone is not read again whatever happens in runs", () => {
  assert.ok(isConcerned({ name: "dialectic.show", input: {} }, event("document.written", "run-1")));
  assert.ok(!isConcerned({ name: "dialectic.check", input: {} }, event("turn.completed", "run-1")));
});
