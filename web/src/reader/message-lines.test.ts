import assert from "node:assert/strict";
import { test } from "node:test";
import { findPassage, type Mark, messageLines, sentencesOf } from "./message-lines.ts";

const SAID = [
  "# Leases",
  "",
  "A **lease** ends, see `lease.ts`.",
  "- one",
  "```ts",
  "**not strong**",
  "```",
  "> quoted [redacted] words",
].join("\n");

test("no character is lost, and each piece says where it begins", () => {
  const lines = messageLines(SAID, []);

  for (const { pieces } of lines)
    for (const { at, text } of pieces) assert.equal(SAID.slice(at, at + text.length), text);
  assert.equal(lines.map(({ pieces }) => pieces.map(({ text }) => text).join("")).join("\n"), SAID);
  assert.deepEqual(
    lines.map(({ kind }) => kind),
    ["heading", "gap", "text", "item", "code", "code", "code", "quote"],
  );
  assert.deepEqual(
    lines[2]?.pieces.map(({ style }) => style),
    ["plain", "strong", "plain", "code", "plain"],
  );
  assert.equal(lines[7]?.pieces[1]?.style, "redacted");
});

test("marks cut pieces, over lines and over each other", () => {
  const mark = (start: number, end: number, id: string): Mark => {
    return { start, end, kind: "highlight", id };
  };
  const lines = messageLines("abcdef\nghi", [mark(4, 8, "b"), mark(1, 5, "a")]);

  assert.deepEqual(
    lines.map(({ pieces }) => pieces.map(({ text, mark: own }) => `${text}:${own?.id ?? ""}`)),
    [
      ["a:", "bcde:a", "f:b"],
      ["g:b", "hi:"],
    ],
  );
});

test("passages are found by their words, and sentences without the space around them", () => {
  assert.deepEqual(findPassage("one two", "two"), { start: 4, end: 7 });
  assert.equal(findPassage("one two", ""), undefined);
  assert.deepEqual(sentencesOf("One. Two!\n\nThree"), [
    { start: 0, end: 4 },
    { start: 5, end: 9 },
    { start: 11, end: 16 },
  ]);
});
