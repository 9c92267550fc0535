import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { groupChanges } from "./change-groups.ts";
import { findIntentFault } from "./intent-message.ts";

describe("changes that were there before", () => {
  test("are grouped by folder, each with a line that is an intent", () => {
    const groups = groupChanges([
      { path: "README.md", kind: "modified" },
      { path: "src/a/one.ts", kind: "added" },
      { path: "src/a/deep/two.ts", kind: "deleted" },
      { path: "src/b/three.ts", kind: "modified" },
      { path: "-x\ny/z", kind: "added" },
    ]);

    assert.deepEqual(
      groups.map(({ paths }) => paths),
      [["README.md"], ["src/a/one.ts", "src/a/deep/two.ts"], ["src/b/three.ts"], ["-x\ny/z"]],
    );
    assert.equal(
      groups[1]?.what,
      "Keep what was there before: files in src/a (1 added, 1 deleted)",
    );
    for (const { what } of groups)
      assert.equal(findIntentFault(what, { prompt: "", context: "" }), undefined);
  });
});
