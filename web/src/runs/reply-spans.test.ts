import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { replySpans } from "./reply-spans.ts";

const REPLY =
  '## Status\nSUCCESS, "quoted" 12\n\n## Output\n{\n  "score": 58,\n  "text": "# not a heading"\n}\n';

test("headings and the parts of a value are told apart from the words", () => {
  const told = replySpans(REPLY).map(({ start, end, tone }) => [tone, REPLY.slice(start, end)]);

  assert.deepEqual(told, [
    ["h", "## Status"],
    ["h", "## Output"],
    ["k", '"score"'],
    ["n", "58"],
    ["k", '"text"'],
    ["s", '"# not a heading"'],
  ]);
});

test("spans never overlap, whatever a model writes", () => {
  const piece = fc.constantFrom(
    "{",
    "}",
    "[",
    "]",
    '"',
    "\\",
    "\n",
    "# a",
    " ",
    "1",
    ":",
    "true",
    "x",
  );
  fc.assert(
    fc.property(fc.array(piece), (pieces) => {
      const text = pieces.join("");
      let end = 0;
      for (const span of replySpans(text)) {
        assert.ok(span.start >= end && span.end > span.start && span.end <= text.length);
        end = span.end;
      }
    }),
  );
});
