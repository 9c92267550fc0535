import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import fc from "fast-check";
import { damagedFlowchart, flowchart } from "./flowchart-arbitrary.suite.ts";
import { readDiagram } from "./parse-diagram.ts";
import { printDiagram } from "./print-diagram.ts";

const anyText = fc.string({
  unit: fc.constantFrom(..."graph TD;A-->B[x](y){z}|\"'&%#\r\n\t \ufeff~=.:<>@`é🙂\\/".split("")),
  maxLength: 80,
});

test("the seed's example comes back byte for byte", () => {
  const file = new URL("../workflow/fixtures/pr-review.mmd", import.meta.url);
  const source = readFileSync(file, "utf8");

  assert.equal(printDiagram(readDiagram(source).diagram), source);
});

test("whatever is read, good or broken, comes back byte for byte", () => {
  const source = fc.oneof(flowchart, damagedFlowchart, anyText);

  fc.assert(
    fc.property(source, (text) => printDiagram(readDiagram(text).diagram) === text),
    { numRuns: 2_000 },
  );
});

test("statements stand in order, and only blanks, semicolons and hidden text between them", () => {
  fc.assert(
    fc.property(fc.oneof(flowchart, damagedFlowchart), (text) => {
      const { diagram } = readDiagram(text);
      const shown = diagram.hidden.reduce(
        (left, { span }) =>
          left.slice(0, span.start) + " ".repeat(span.end - span.start) + left.slice(span.end),
        text,
      );
      let from = 0;
      for (const { span } of diagram.statements) {
        assert.match(shown.slice(from, span.start), /^[\s;]*$/);
        assert.ok(span.start >= from && span.end >= span.start);
        from = span.end;
      }
      assert.match(shown.slice(from), /^[\s;]*$/);
    }),
    { numRuns: 1_000 },
  );
});
