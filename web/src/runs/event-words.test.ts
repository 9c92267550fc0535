import assert from "node:assert/strict";
import { test } from "node:test";
import { eventWords } from "./event-words.ts";

test("an event tells what it names and what was set", () => {
  assert.equal(
    eventWords({ step: "A", exchange: "01a1ed8c-fc3d-7000-809b-e29847e17884", item: null }),
    "step A, exchange 01a1ed8c-fc3d-7000",
  );
  assert.equal(
    eventWords({ id: "x", hash: "h", set: { status: "done", updatedAt: 1 }, because: "tested" }),
    "id x, status done, because tested",
  );
  assert.equal(eventWords(undefined), "its words were pruned");
});
