import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { tokensOf } from "./workflow-tokens.ts";

const told = (line: string) =>
  tokensOf(line).map(({ from, to, kind }) => `${kind} ${line.slice(from, to)}`);

test("a drawing's line has ids, ways and conditions", () => {
  assert.deepEqual(told('  E -->|"output.score >= 50"| G(Human Review)'), [
    "id E",
    "arrow -->",
    'string "output.score >= 50"',
    "id G",
  ]);
  assert.deepEqual(told("flowchart LR"), ["word flowchart", "word LR"]);
});

test("settings have an id, keys, values, and places that are filled in", () => {
  assert.deepEqual(told('%% @G: { "prompt": "Score: {{input.score}}/100", "retries": 2 }'), [
    "comment %%",
    "id @G",
    'key "prompt"',
    'string "Score: ',
    "place {{input.score}}",
    'string /100"',
    'key "retries"',
    "number 2",
  ]);
  assert.deepEqual(told("%% only words"), ["comment %% only words"]);
});

test("tokens of any line stand in order within it", () => {
  const parts = fc.array(
    fc.constantFrom(
      "%%",
      " ",
      "@A",
      "{",
      "}",
      '"',
      "-->",
      "|",
      "A",
      "[",
      "]",
      "{{",
      "}}",
      ":",
      "1",
      "end",
    ),
  );
  fc.assert(
    fc.property(parts, (words) => {
      const line = words.join("");
      let at = 0;
      for (const { from, to } of tokensOf(line)) {
        assert.ok(from >= at && to > from && to <= line.length, line);
        at = to;
      }
    }),
  );
});
