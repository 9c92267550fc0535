import assert from "node:assert/strict";
import { test } from "node:test";
import { changedMiddle } from "./changed-middle.ts";

function marked(before: string, after: string): readonly string[] {
  const [one, other] = changedMiddle(before, after);
  return [before.slice(one.start, one.end), after.slice(other.start, other.end)];
}

test("only what differs is marked, whole words of it", () => {
  assert.deepEqual(marked("ordering from wall clocks", "ordering from hybrid clocks"), [
    "wall",
    "hybrid",
  ]);
  assert.deepEqual(marked("Repro in a.ts", "Repro in a.ts, with a test"), ["", ", with a test"]);
  assert.deepEqual(marked("a lease ends", "a leash ends"), ["lease", "leash"]);
  assert.deepEqual(marked("same", "same"), ["", ""]);
  assert.deepEqual(marked("", "new"), ["", "new"]);
});
