import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { positionAt } from "../base/text-position.ts";
import { readFrontMatter } from "./front-matter.ts";

function read(text: string) {
  const head = readFrontMatter(text);
  if ("code" in head)
    return assert.fail(`${head.message} at ${positionAt(text, head.offset).line}`);
  return head;
}

test("texts, lists and one level of names are read, each with its line", () => {
  const head = read(`---
# what it is for
name: answer
quoted: "a: b # c\\n\\u00e9"
single: 'it''s'
url: https://example.org/#part

tags:
  - one
  - "two, three"
inline: [a, "b, c", 'd']
none: []
variables:
    request: What is asked?
    context: ""
---

# Body

text {{request}}

`);

  assert.deepEqual(
    [...head.fields],
    [
      ["name", { kind: "text", line: 3, text: "answer" }],
      ["quoted", { kind: "text", line: 4, text: "a: b # c\né" }],
      ["single", { kind: "text", line: 5, text: "it's" }],
      ["url", { kind: "text", line: 6, text: "https://example.org/#part" }],
      [
        "tags",
        {
          kind: "list",
          line: 8,
          items: [
            { line: 9, text: "one" },
            { line: 10, text: "two, three" },
          ],
        },
      ],
      [
        "inline",
        {
          kind: "list",
          line: 11,
          items: [
            { line: 11, text: "a" },
            { line: 11, text: "b, c" },
            { line: 11, text: "d" },
          ],
        },
      ],
      ["none", { kind: "list", line: 12, items: [] }],
      [
        "variables",
        {
          kind: "map",
          line: 13,
          entries: new Map([
            ["request", { line: 14, text: "What is asked?" }],
            ["context", { line: 15, text: "" }],
          ]),
        },
      ],
    ],
  );
  assert.equal(head.body, "# Body\n\ntext {{request}}");
  assert.equal(head.bodyLine, 18);
});

test("dashes inside the body are body", () => {
  assert.equal(read("---\na: b\n---\none\n---\ntwo").body, "one\n---\ntwo");
  assert.equal(read("---\n---\n").body, "");
});

test("what is not understood is refused with its line and column", () => {
  const cases: [string, number, number][] = [
    ["", 1, 1],
    ["name: x", 1, 1],
    [" ---\na: b\n---", 1, 1],
    ["---\nname: x\n", 1, 1],
    ["---\nname: x\n ---\n", 1, 1],
    ["---\nname:x\n---", 2, 1],
    ["---\njust words\n---", 2, 1],
    ["---\n1a: x\n---", 2, 1],
    ["---\na: x\na: y\n---", 3, 1],
    ["---\na:\n---", 2, 1],
    ["---\na:\nb: c\n---", 2, 1],
    ["---\n  a: x\n---", 2, 1],
    ["---\na: x\n  b: y\n---", 3, 1],
    ["---\na:\n\t- x\n---", 3, 1],
    ["---\na:\n  - x\n    - y\n---", 4, 1],
    ["---\na:\n  - x\n  y: z\n---", 4, 3],
    ["---\na:\n  b: x\n  b: y\n---", 4, 3],
    ["---\na:\n  b:\n---", 3, 3],
    ["---\na:\n  -\n---", 3, 3],
    ['---\na: "x\n---', 2, 4],
    ['---\na: "x" y\n---', 2, 7],
    ['---\na: "\\q"\n---', 2, 5],
    ["---\na: 'x\n---", 2, 4],
    ["---\na: b: c\n---", 2, 5],
    ["---\na: b #c\n---", 2, 5],
    ["---\na: b:\n---", 2, 5],
    ["---\na: {b}\n---", 2, 4],
    ["---\na: |\n---", 2, 4],
    ["---\na: > x\n---", 2, 4],
    ["---\na: &x y\n---", 2, 4],
    ["---\na: *x\n---", 2, 4],
    ["---\na: !!js x\n---", 2, 4],
    ["---\na: - x\n---", 2, 4],
    ["---\na: [x\n---", 2, 4],
    ["---\na: [x,]\n---", 2, 7],
    ["---\na: [x,,y]\n---", 2, 7],
    ["---\na: [x, [y]]\n---", 2, 8],
  ];

  for (const [text, line, column] of cases) {
    const head = readFrontMatter(text);
    assert.ok("code" in head, `accepted ${JSON.stringify(text)}`);
    const at = positionAt(text, head.offset);
    assert.deepEqual(
      [at.line, at.column],
      [line, column],
      `${JSON.stringify(text)}: ${head.message}`,
    );
    assert.equal(head.code, "front_matter_invalid");
  }
});

test("any quoted text comes back as it was", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (value) => {
      const head = read(`---\na: ${JSON.stringify(value)}\nb: [${JSON.stringify(value)}]\n---\n`);

      assert.deepEqual(head.fields.get("a"), { kind: "text", line: 2, text: value });
      assert.deepEqual(head.fields.get("b"), {
        kind: "list",
        line: 3,
        items: [{ line: 3, text: value }],
      });
    }),
  );
});

test("any text is read or refused, in time proportional to its length", () => {
  const piece = fc.constantFrom(
    "---",
    "\n",
    "a",
    ": ",
    ":",
    "- ",
    "  ",
    "\t",
    '"',
    "'",
    "[",
    "]",
    ",",
    "#",
    "\\",
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
      const text = `---\n${pieces.join("")}`;
      const head = readFrontMatter(text);
      assert.ok("code" in head ? head.offset <= text.length : head.bodyLine > 0);
    }),
    { numRuns: 2_000 },
  );
  const started = performance.now();
  for (const line of ["a: b\n", "- ", " ", "a: [", "a:\n  - b\n", '"', "\n"]) {
    readFrontMatter(`---\n${line.repeat(1_000_000 / line.length)}\n---\n`);
    readFrontMatter(`---\na: [${line.repeat(1_000_000 / line.length)}]\n---\n`);
  }
  assert.ok(performance.now() - started < 15_000);
});
