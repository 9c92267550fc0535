import assert from "node:assert/strict";
import { test } from "node:test";
import { layerKind, promptLines, sourceKind, type Trace } from "./prompt-lines.ts";

const MESSAGES = [
  { role: "system", text: "Be brief." },
  { role: "user", text: "# Facts\nLease ends\nby itself\n\nAsk" },
];

const TRACE = {
  characters: 40,
  layers: [],
  ledger: [],
  cuts: [],
  marker: "none",
  cache: { breakpoints: [] },
  blocks: [
    [{ layer: "base", start: 0, end: 9, textStart: 0 }],
    [
      { layer: "facts", start: 0, end: 28, textStart: 11 },
      { layer: "ask", start: 30, end: 33, textStart: 41 },
    ],
  ],
  sourceMap: [
    { start: 0, end: 9, kind: "text", layer: "base", part: "rules" },
    { start: 9, end: 11, kind: "separator", layer: "facts" },
    { start: 11, end: 19, kind: "heading", layer: "facts" },
    {
      start: 19,
      end: 39,
      kind: "text",
      layer: "facts",
      part: "h",
      ref: { type: "highlight", id: "h1" },
    },
    { start: 39, end: 41, kind: "separator", layer: "ask" },
    { start: 41, end: 44, kind: "text", layer: "ask", part: "ask" },
  ],
} as const satisfies Trace;

test("every line of every message knows where its words come from", () => {
  const lines = promptLines(MESSAGES, TRACE);

  assert.deepEqual(
    lines.map(({ role, pieces }) => [role, pieces.map(({ text, range }) => [text, range])]),
    [
      ["system", [["Be brief.", 0]]],
      ["user", [["# Facts", 2]]],
      [undefined, [["Lease ends", 3]]],
      [undefined, [["by itself", 3]]],
      [undefined, []],
      [undefined, [["Ask", 5]]],
    ],
  );
});

test("a text that is not the traced one is shown without marks", () => {
  const lines = promptLines([{ role: "user", text: "masked" }], {
    ...TRACE,
    blocks: [TRACE.blocks[1]],
  });

  assert.deepEqual(lines, [{ role: "user", pieces: [{ text: "masked", range: undefined }] }]);
});

test("ranges and layers stand under the letter of their source", () => {
  assert.equal(sourceKind({ ref: { type: "message", id: "m" } }), "conversation");
  assert.equal(sourceKind({}), "fixed");
  assert.equal(layerKind("facts", TRACE), "highlight");
  assert.equal(layerKind("base", TRACE), "fixed");
});
