import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { findTruncation, truncateText } from "./truncate-text.ts";

test("text that fits is left alone", () => {
  assert.equal(truncateText("as it was", 9), "as it was");
});

test("a cut falls on a word and ends in an ellipsis", () => {
  assert.equal(truncateText("one two three four", 12), "one two…");
  assert.equal(truncateText("one two three four", 14), "one two three…");
});

test("a word that is longer than a line of words is cut in two", () => {
  assert.equal(truncateText(`a ${"x".repeat(100)}`, 60), `a ${"x".repeat(57)}…`);
});

test("what is read as one character stays whole", () => {
  assert.equal(truncateText("👩‍👩‍👧‍👦👩‍👩‍👧‍👦", 13), "👩‍👩‍👧‍👦…");
  assert.equal(truncateText("ab🧪cd", 4), "ab…");
  assert.equal(truncateText("🇩🇪🇫🇷🇮🇹", 8), "🇩🇪…");
  assert.equal(truncateText("caféx".normalize("NFD"), 5), "caf…");
});

test("an open code fence is closed inside the limit", () => {
  const text = `Look:\n\`\`\`ts\n${"const a = 1;\n".repeat(20)}\`\`\`\nafter`;

  const cut = truncateText(text, 60);

  assert.ok(cut.length <= 60, String(cut.length));
  assert.match(cut, /^Look:\n```ts\n[\s\S]*…\n```$/);
});

test("a fence that cannot be closed in the room is left out", () => {
  assert.equal(truncateText(`Look:\n\`\`\`ts\n${"x".repeat(50)}`, 12), "Look:…");
});

test("an ellipsis behind closing marks does not open their fence again", () => {
  const text = "```\na\n```\n\nmore words follow here";

  const cut = truncateText(text, 12);

  assert.equal(cut.split("```").length % 2, 1, cut);
});

test("for any text: within the limit, a beginning of the text, and whole characters", () => {
  const bits = fc.constantFrom(
    "a",
    "word ",
    "\n",
    "```\n",
    "~~~",
    "🧪",
    "é",
    "👨‍👩‍👧",
    "🇩🇪",
    "漢字",
    "\t",
  );
  const segmenter = new Intl.Segmenter("und", { granularity: "grapheme" });
  fc.assert(
    fc.property(fc.array(bits, { maxLength: 60 }), fc.nat(120), (words, limit) => {
      const text = words.join("");

      const cut = findTruncation(text, limit);

      if (cut === undefined) return assert.equal(limit, 0);
      const shown = text.slice(0, cut.kept) + cut.ending;
      assert.ok(shown.length <= Math.max(limit, 0));
      assert.ok(shown.isWellFormed());
      if (cut.kept === text.length) return;
      assert.equal(segmenter.segment(text).containing(cut.kept)?.index, cut.kept);
      assert.equal(openFences(shown), 0, shown);
    }),
    { numRuns: 2000 },
  );
});

function openFences(text: string): number {
  let open = "";
  for (const line of text.split("\n")) {
    const [, marks = "", after = ""] = /^ {0,3}(`{3,}|~{3,})(.*)$/.exec(line) ?? [];
    if (marks === "") continue;
    if (open === "") {
      if (marks.startsWith("~") || !after.includes("`")) open = marks;
    } else if (marks.startsWith(open.charAt(0)) && marks.length >= open.length && !after.trim()) {
      open = "";
    }
  }
  return open === "" ? 0 : 1;
}
