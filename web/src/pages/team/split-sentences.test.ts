import assert from "node:assert/strict";
import { test } from "node:test";
import { splitSentences } from "./split-sentences.ts";

test("sentences end at their marks and at lines, and nothing of the text is lost", () => {
  const text = "# Title\n\nOne. Two? Three!\n- a point\n\nLast";
  const pieces = splitSentences(text);

  assert.equal(pieces.map((piece) => piece.text).join(""), text);
  assert.deepEqual(
    pieces.map((piece) => piece.text.trim()).filter((piece) => piece !== ""),
    ["# Title", "One.", "Two?", "Three!", "- a point", "Last"],
  );
  assert.deepEqual(splitSentences(""), []);
});
