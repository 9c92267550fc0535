import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { type DiffLine, diffLines } from "./diff-lines.ts";

function shown(lines: readonly DiffLine[]): string[] {
  const signs = { same: " ", removed: "-", added: "+" };
  return lines.map(({ change, text }) => `${signs[change]}${text}`);
}

test("only what changed is marked as changed", () => {
  const lines = diffLines("one\ntwo\nthree\nfour", "one\nthree\nfour\nfive");

  assert.deepEqual(shown(lines), [" one", "-two", " three", " four", "+five"]);
});

test("a line replaced by another shows what is new in it", () => {
  const lines = diffLines(
    "Ordering comes from wall clocks.",
    "Ordering comes from hybrid logical clocks.",
  );

  assert.deepEqual(
    lines.map(({ text, mark }) => text.slice(mark?.start, mark?.end)),
    ["wall", "hybrid logical"],
  );
});

test("marks do not cut characters in two", () => {
  const lines = diffLines("a 🧪 b", "a 🧫 b");

  assert.deepEqual(
    lines.map(({ text, mark }) => text.slice(mark?.start, mark?.end)),
    ["🧪", "🧫"],
  );
});

test("for any texts: both can be read off the difference", () => {
  const text = fc
    .array(fc.constantFrom("a", "b", "c", "dd", "", "🧪", "🧫x"), { maxLength: 30 })
    .map((lines) => lines.join("\n"));
  fc.assert(
    fc.property(text, text, (before, after) => {
      const lines = diffLines(before, after);

      const side = (leave: DiffLine["change"]): string =>
        lines
          .filter(({ change }) => change !== leave)
          .map((line) => line.text)
          .join("\n");
      assert.equal(side("added"), before);
      assert.equal(side("removed"), after);
      assert.ok(lines.length <= before.split("\n").length + after.split("\n").length);
      for (const line of lines) {
        assert.ok(line.text.slice(line.mark?.start, line.mark?.end).isWellFormed());
      }
    }),
    { numRuns: 1000 },
  );
});

test("the difference is as short as can be", () => {
  const line = fc.array(fc.constantFrom("a", "b", "c"), { maxLength: 9 });
  fc.assert(
    fc.property(line, line, (before, after) => {
      const lines = diffLines(before.join("\n"), after.join("\n"));

      const old = before.join("\n").split("\n");
      const now = after.join("\n").split("\n");
      const same = lines.filter(({ change }) => change === "same").length;
      assert.equal(same, longestCommon(old, now));
    }),
    { numRuns: 1000 },
  );
});

function longestCommon(a: readonly string[], b: readonly string[]): number {
  const rows = Array.from({ length: a.length + 1 }, () => Array.from(b, () => 0).concat(0));
  for (let i = 1; i <= a.length; i += 1) {
    for (let j = 1; j <= b.length; j += 1) {
      rows[i]![j] =
        a[i - 1] === b[j - 1]
          ? rows[i - 1]![j - 1]! + 1
          : Math.max(rows[i - 1]![j]!, rows[i]![j - 1]!);
    }
  }
  return rows[a.length]![b.length]!;
}

test("texts with nothing in common are replaced, in bounded time", () => {
  const many = (word: string): string =>
    Array.from({ length: 5000 }, (_, index) => `${word} ${index}`).join("\n");

  const started = performance.now();
  const lines = diffLines(many("old"), many("new"));

  assert.ok(performance.now() - started < 2000);
  assert.equal(lines.length, 10_000);
  assert.equal(lines[0]?.change, "removed");
});
