import assert from "node:assert/strict";
import { test } from "node:test";
import { compilePrompt } from "./compile-prompt.ts";
import { diffPrompts } from "./diff-prompts.ts";
import { explainRow } from "./ledger.ts";
import type { Layout, Part } from "./part.ts";

const layout: Layout = {
  layers: [{ id: "facts", role: "user", stability: "project", heading: "FACTS" }],
};

function facts(texts: Readonly<Record<string, string>>): Part[] {
  return Object.entries(texts).map(([id, text], order) => {
    return { id, layer: "facts", order, text, importance: 1 };
  });
}

test("each part is the same, moved, changed, added or removed", () => {
  const before = compilePrompt(
    layout,
    facts({ a: "first", gone: "left", b: "second", c: "third\nold end", d: "fourth" }),
  );
  const after = compilePrompt(
    layout,
    facts({ d: "fourth", a: "first", b: "second", c: "third\nnew end", e: "fifth" }),
  );

  const diff = diffPrompts(before, after);

  assert.deepEqual(
    diff.parts.map(({ part, change }) => [part, change]),
    [
      ["d", "moved"],
      ["a", "same"],
      ["gone", "removed"],
      ["b", "same"],
      ["c", "changed"],
      ["e", "added"],
    ],
  );
  assert.deepEqual(diff.counts, { same: 2, moved: 1, changed: 1, added: 1, removed: 1 });
  assert.equal(diff.characters, after.characters - before.characters);
  assert.deepEqual(
    diff.parts.find(({ part }) => part === "c")?.lines?.map(({ change, text }) => [change, text]),
    [
      ["same", "third"],
      ["removed", "old end"],
      ["added", "new end"],
    ],
  );
});

test("the ledgers say why a part came or went", () => {
  const parts = facts({ a: "a".repeat(60), b: "b".repeat(60) });
  const choice = { leftOut: [{ id: "z", layer: "facts", reason: "inactive", note: "superseded" }] };
  const before = compilePrompt(layout, parts);
  const after = compilePrompt(layout, parts, { budget: { characters: 110 }, choice });

  const diff = diffPrompts(before, after);

  const gone = diff.parts.find(({ change }) => change === "removed");
  assert.equal(gone?.part, "b");
  assert.match(explainRow(gone.after!), /^Would need 61 characters, \d+ were left\.$/);
  assert.equal(explainRow(gone.before!), "Included.");
});

test("the whole text is compared line by line too", () => {
  const before = compilePrompt(layout, facts({ a: "one", b: "two" }));
  const after = compilePrompt(layout, facts({ a: "one", b: "three" }));

  const { lines } = diffPrompts(before, after);

  assert.deepEqual(
    lines.map(({ change, text }) => [change, text]),
    [
      ["same", "FACTS"],
      ["same", "one"],
      ["removed", "two"],
      ["added", "three"],
    ],
  );
});
