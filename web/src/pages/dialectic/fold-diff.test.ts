import assert from "node:assert/strict";
import { test } from "node:test";
import { type DiffLine, foldDiff } from "./fold-diff.ts";

const same = (count: number): DiffLine[] =>
  Array.from({ length: count }, (_, n) => ({ change: "same", text: `line ${n}` }));

test("what stayed is folded but for three lines around a change, and no line is lost", () => {
  const lines: DiffLine[] = [...same(10), { change: "added", text: "new" }, ...same(10)];
  const pieces = foldDiff(lines);

  assert.deepEqual(
    pieces.map((piece) => (piece.kind === "fold" ? piece.lines : piece.change)),
    [7, "same", "same", "same", "added", "same", "same", "same", 7],
  );
  const counted = pieces.reduce((sum, piece) => sum + (piece.kind === "fold" ? piece.lines : 1), 0);
  assert.equal(counted, lines.length);
});

test("a single line is not worth a fold", () => {
  const lines: DiffLine[] = [...same(4), { change: "removed", text: "old" }];
  assert.ok(foldDiff(lines).every(({ kind }) => kind === "line"));
  assert.deepEqual(foldDiff([]), []);
});
