import assert from "node:assert/strict";
import { test } from "node:test";
import { packetLines, packetShares } from "./packet-lines.ts";

const TEXT = [
  "CONTINUITY INTENT",
  "Next actions",
  "",
  "NAMED CONCEPTS & SHORTHAND",
  "• lease: ends by itself",
  "[Prompt truncated to budget]",
].join("\n");

const range = (words: string) => {
  const start = TEXT.indexOf(words);
  return { start, end: start + words.length };
};

test("every character of a packet stands in one piece, with its thought where it has one", () => {
  const lines = packetLines(TEXT, [
    { type: "task", id: "t", ranges: [range("actions")] },
    { type: "project", id: "p", ranges: [range("lease"), range("ends by itself")] },
  ]);

  assert.equal(lines.map(({ pieces }) => pieces.map(({ text }) => text).join("")).join("\n"), TEXT);
  assert.deepEqual(
    lines.map(({ role }) => role),
    ["heading", "text", "text", "heading", "text", "marker"],
  );
  assert.deepEqual(lines[1]?.pieces, [
    { text: "Next ", kind: "fixed", thought: undefined },
    { text: "actions", kind: "task", thought: "task:t" },
  ]);
  assert.deepEqual(
    lines[4]?.pieces.map(({ kind }) => kind),
    ["fixed", "glossary", "fixed", "glossary"],
  );
});

test("a passage over several lines is split, and overlapping ones lose nothing", () => {
  const lines = packetLines("ab\ncd", [
    { type: "task", id: "t", ranges: [{ start: 1, end: 4 }] },
    { type: "decision", id: "d", ranges: [{ start: 3, end: 5 }] },
  ]);

  assert.deepEqual(
    lines.map(({ pieces }) => pieces.map(({ text, kind }) => `${text} ${kind}`)),
    [
      ["a fixed", "b task"],
      ["c task", "d decision"],
    ],
  );
});

test("shares add up to the whole, line breaks included", () => {
  const shares = packetShares(packetLines("ab\ncd\n", []));

  assert.deepEqual(shares, [{ kind: "fixed", characters: 7 }]);
});
