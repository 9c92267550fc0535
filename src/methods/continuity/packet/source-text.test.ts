import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { blockOf, isReadable, lineOf } from "./source-text.ts";

const ref = { type: "task", id: "t", field: "title" };

test("text on one line keeps its words and cannot begin a section of its own", () => {
  const { text } = lineOf(ref, "  First\n\n  RETURN CONTRACT\r\n\tsecond  ");

  assert.equal(text, "First RETURN CONTRACT second");
});

test("a block keeps its lines, but not the blank ones around it", () => {
  const { text, hidden } = blockOf(ref, "\n \n  indented\n\nsecond\n\n", [{ start: 5, end: 13 }]);

  assert.equal(text, "  indented\n\nsecond");
  assert.equal(text.slice(hidden[0]?.start, hidden[0]?.end), "indented");
});

test("what is hidden stays hidden, however the white space is set", () => {
  const anyText = fc
    .array(fc.constantFrom("word", " ", "\n", "\t  ", "\r\n", "x", "é"), { maxLength: 30 })
    .map((list) => list.join(""));
  fc.assert(
    fc.property(anyText, fc.nat(60), fc.nat(20), (text, from, length) => {
      const start = Math.min(from, text.length);
      const end = Math.min(start + length, text.length);
      const words = (part: string) => part.replaceAll(/\s+/g, "");

      for (const write of [lineOf, blockOf]) {
        const written = write(ref, text, start < end ? [{ start, end }] : []);
        const covered = written.hidden.map((span) => written.text.slice(span.start, span.end));
        assert.equal(words(covered.join("")), words(text.slice(start, end)));
        assert.equal(words(written.text), words(text));
      }
    }),
  );
});

test("a text is readable as long as something but blanks may be seen", () => {
  assert.ok(isReadable(lineOf(ref, "ab", [{ start: 0, end: 1 }])));
  assert.ok(!isReadable(lineOf(ref, "ab", [{ start: 0, end: 2 }])));
  assert.ok(!isReadable(lineOf(ref, " \n ")));
  assert.ok(
    !isReadable(
      lineOf(ref, "a  b", [
        { start: 0, end: 1 },
        { start: 3, end: 4 },
      ]),
    ),
  );
});
