/** Mermaid's own parser has the last word on what a chart draws. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import fc from "fast-check";
import { type MermaidGraph, openMermaid } from "../../../../tests/scratch/mermaid-oracle.ts";
import type { Diagram, LinkEnd } from "./diagram.ts";
import { damagedFlowchart, flowchart } from "./flowchart-arbitrary.suite.ts";
import { decodeLabel } from "./label-text.ts";
import { readDiagram } from "./parse-diagram.ts";

const readWithMermaid = openMermaid();

const TYPES: Readonly<Record<LinkEnd, string>> = {
  none: "arrow_open",
  arrow: "arrow_point",
  cross: "arrow_cross",
  circle: "arrow_circle",
};

/** Mermaid drops blanks between a brace and the end of its line, even inside a label. */
function shown(label: string): string {
  return label.replaceAll(/\s+/g, " ");
}

function asDrawn({ nodes, edges, direction }: MermaidGraph) {
  return {
    direction,
    nodes: nodes.map(({ id, shape, text }) => [id, shape, shown(decodeLabel(text))]),
    edges: edges.map(({ source, target, text, type, stroke }) => [
      source,
      target,
      shown(decodeLabel(text)),
      type.replace("double_", ""),
      stroke,
    ]),
  };
}

function asRead({ nodes, edges, direction }: Diagram) {
  return {
    direction: direction === "TD" ? "TB" : direction,
    nodes: nodes.map(({ id, shape, label }) => [id, shape, shown(label)]),
    edges: edges.map(({ source, target, label, link }) => [
      source,
      target,
      shown(label?.text ?? ""),
      TYPES[link.head],
      link.stroke,
    ]),
  };
}

test("the seed's example is drawn as it is read", async () => {
  const file = new URL("../workflow/fixtures/pr-review.mmd", import.meta.url);
  const source = readFileSync(file, "utf8");

  const drawn = await readWithMermaid(source);

  assert.ok(!("refused" in drawn));
  assert.deepEqual(asRead(readDiagram(source).diagram), asDrawn(drawn));
});

test("a thousand charts by chance are drawn as they are read: nodes, shapes, edges, labels", async () => {
  await fc.assert(
    fc.asyncProperty(flowchart, async (source) => {
      const drawn = await readWithMermaid(source);
      const { diagram, faults } = readDiagram(source);

      assert.ok(!("refused" in drawn), JSON.stringify(drawn));
      assert.deepEqual(faults, []);
      assert.deepEqual(asRead(diagram), asDrawn(drawn));
    }),
    { numRuns: 1_000 },
  );
});

/** What is only kept is not checked: looks, directives, titles of subgraphs. */
const isLoose = (source: string) =>
  /classDef|class |style |click|acc[TD]|%%|---\s*\n|subgraph|@|#/.test(source);

/** Mermaid takes `x==>` for a normal line. */
function withoutStrokes<Drawn extends { readonly edges: readonly string[][] }>(drawn: Drawn) {
  return { ...drawn, edges: drawn.edges.map((edge) => edge.slice(0, -1)) };
}

test("of damaged charts we accept none that mermaid refuses or draws differently", async () => {
  let compared = 0;
  await fc.assert(
    fc.asyncProperty(
      damagedFlowchart.filter((source) => !isLoose(source)),
      async (source) => {
        const { diagram, faults } = readDiagram(source);
        if (faults.length > 0) return;
        const drawn = await readWithMermaid(source);
        compared += 1;

        assert.ok(!("refused" in drawn), JSON.stringify(drawn));
        assert.deepEqual(withoutStrokes(asRead(diagram)), withoutStrokes(asDrawn(drawn)));
      },
    ),
    // The same ones every time: what else mermaid does with damaged text is no reason to stop a build.
    { numRuns: 2_000, seed: 20_260_901 },
  );

  assert.ok(compared > 100, `only ${compared} were compared`);
});
