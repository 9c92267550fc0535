import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { ProductError } from "../../../kernel/base/errors.ts";
import type { Diagram, Shape } from "./diagram.ts";
import { addEdge, removeEdge, setEdgeLabel } from "./edit-edge.ts";
import { addNode, removeNode, setNodeLabel, setNodeShape } from "./edit-node.ts";
import { editedDiagram } from "./edited-diagram.ts";
import { flowchart } from "./flowchart-arbitrary.suite.ts";
import { parseDiagram, readDiagram } from "./parse-diagram.ts";
import { applyEdits, type TextEdit } from "./text-edit.ts";

function edited(source: string, edit: (diagram: Diagram) => TextEdit[]): string {
  const diagram = parseDiagram(source);
  return editedDiagram(diagram, edit(diagram)).source;
}

const CHART = `graph TD
    A[Fetch] --> B{Gate}
    B -->|"output.ok"| C(Review)
    B -->|default| A %%{wrap}%%
%% a remark
    linkStyle 2 stroke:red
    style C fill:#fff
    class A,C warm
`;

describe("nodes", () => {
  test("a label changes between its brackets and nowhere else", () => {
    assert.equal(
      edited(CHART, (diagram) => setNodeLabel(diagram, "A", 'Fetch "all" (now)')),
      CHART.replace("[Fetch]", '["Fetch #quot;all#quot; (now)"]'),
    );
    assert.equal(
      edited(CHART, (diagram) => setNodeLabel(diagram, "C", "Look again")),
      CHART.replace("(Review)", "(Look again)"),
    );
  });

  test("a shape changes its brackets and keeps the label as it is written", () => {
    assert.equal(
      edited(CHART, (diagram) => setNodeShape(diagram, "C", "square")),
      CHART.replace("(Review)", "[Review]"),
    );
    assert.equal(
      edited('graph TD\nA["x | y"]', (diagram) => setNodeShape(diagram, "A", "subroutine")),
      'graph TD\nA[["x | y"]]',
    );
  });

  test("a bare id gets brackets where it is first mentioned", () => {
    assert.equal(
      edited("graph TD\nA-->B:::warm-->A", (diagram) => setNodeLabel(diagram, "B", "Do")),
      "graph TD\nA-->B[Do]:::warm-->A",
    );
  });

  test("a new one is drawn behind the last statement, indented alike", () => {
    const source =
      "graph TD\r\n  A --> B;\r\n\r\n%% === WORKFLOW_CONFIG ===\r\n%% === END_CONFIG ===";

    assert.equal(
      edited(source, (diagram) => addNode(diagram, { id: "C", label: "Is it?", shape: "diamond" })),
      source.replace("B;", "B;\r\n  C{Is it?}"),
    );
  });

  test("one that is removed takes its edges, looks and link numbers along, and nothing else", () => {
    assert.equal(
      edited(CHART, (diagram) => removeNode(diagram, "C")),
      `graph TD
    A[Fetch] --> B{Gate}
    B -->|default| A %%{wrap}%%
%% a remark
    linkStyle 1 stroke:red
    class A warm
`,
    );
    assert.equal(
      edited("graph TD\nB\nX\nX[Last]", (diagram) => removeNode(diagram, "X")),
      "graph TD\nB\n",
    );
    assert.equal(
      edited("graph TD\nA & X & B --> X --> C & X", (diagram) => removeNode(diagram, "X")),
      "graph TD\nA & B\nC",
    );
    assert.equal(
      edited("graph TD\nA\n--> X %%{a}%%\n%% stays\n--> B", (diagram) => removeNode(diagram, "X")),
      "graph TD\nA\n%%{a}%%\n%% stays\nB",
    );
  });

  test("ids that mermaid would not read, or that are taken, are refused", () => {
    const diagram = parseDiagram(CHART);
    const codes = ["end", "a b", "x[", "", "A"].map((id) => {
      try {
        addNode(diagram, { id, label: "x", shape: "square" });
        return "taken";
      } catch (error) {
        return error instanceof ProductError ? error.code : "unexpected";
      }
    });

    assert.deepEqual(codes, [
      "node_id_invalid",
      "node_id_invalid",
      "node_id_invalid",
      "node_id_invalid",
      "node_exists",
    ]);
    assert.throws(() => setNodeLabel(diagram, "Z", "x"), { code: "node_not_found" });
    assert.throws(() => setNodeLabel(diagram, "A", "  "), { code: "label_empty" });
    assert.throws(() => setNodeLabel(diagram, "A", "direction TB"), { code: "label_misread" });
  });
});

describe("edges", () => {
  test("a new one stands behind the others of its source, so it is tried last", () => {
    assert.equal(
      edited("graph TD\n  A{?} -->|x| B\n  B --> C", (diagram) =>
        addEdge(diagram, { source: "A", target: "B", label: "output.n > 1" }),
      ),
      'graph TD\n  A{?} -->|x| B\n  A -->|"output.n > 1"| B\n  B --> C',
    );
  });

  test("one that is removed leaves the rest of its chain", () => {
    assert.equal(
      edited("graph TD\nA[a] --> B[b] --> C[c]", (diagram) => removeEdge(diagram, 0)),
      "graph TD\nA[a]\nB[b] --> C[c]",
    );
    assert.equal(
      edited("graph TD\nA[a]\nB[b]\n  A --> B\nB --> A\n", (diagram) => removeEdge(diagram, 0)),
      "graph TD\nA[a]\nB[b]\nB --> A\n",
    );
  });

  test("one of a group is taken out of it, in place", () => {
    assert.equal(
      edited("graph TD\n  A[a] & B -->|x| C[c] & D --> E", (diagram) => removeEdge(diagram, 1)),
      "graph TD\n  A[a] & B\n  C[c] & D\n  A -->|x| C\n  B -->|x| C\n  B -->|x| D\n  C & D --> E",
    );
  });

  test("a label is set, changed and taken away in bars and in the middle", () => {
    const label = (source: string, text: string | undefined) =>
      edited(source, (diagram) => setEdgeLabel(diagram, 0, text));

    assert.equal(label("graph TD\nA --> B", "default"), "graph TD\nA -->|default| B");
    assert.equal(label("graph TD\nA -->\nB", "x > 1"), 'graph TD\nA -->\n|"x > 1"| B');
    assert.equal(label('graph TD\nA -->|"x"| B', "y"), 'graph TD\nA -->|"y"| B');
    assert.equal(label("graph TD\nA -. x .-> B", "a.b"), 'graph TD\nA -. "a.b" .-> B');
    assert.equal(label("graph TD\nA -. x .-> B", undefined), "graph TD\nA -.-> B");
    assert.equal(label("graph TD\nA ==>|x| B", undefined), "graph TD\nA ==> B");
    assert.equal(label("graph TD\nA ---|a|x-ray", undefined), "graph TD\nA --- x-ray");
  });
});

type Facts = { nodes: [string, string, Shape][]; edges: [string, string, string | undefined][] };

function factsOf({ nodes, edges }: Diagram): Facts {
  return {
    nodes: nodes.map(({ id, label, shape }) => [id, label, shape]),
    edges: edges.map(({ source, target, label }) => [source, target, label?.text]),
  };
}

const SHAPES = ["square", "round", "diamond", "subroutine", "circle", "stadium"] as const;

const change = fc.record({
  kind: fc.constantFrom(
    "label",
    "shape",
    "add node",
    "remove node",
    "add edge",
    "remove edge",
    "edge label",
  ),
  pick: fc.nat(),
  other: fc.nat(),
  shape: fc.constantFrom(...SHAPES),
  text: fc
    .oneof(
      fc.constantFrom(
        "Do it",
        "output.score >= 80",
        'a "b" c',
        "#quot;",
        "<b>",
        "a\nb",
        "box",
        "default",
      ),
      fc.string({ unit: "grapheme", minLength: 1, maxLength: 12 }),
    )
    .filter((text) => text.trim() !== "" && !/[\r]|direction/.test(text)),
});

interface Planned {
  readonly edits: TextEdit[];
  readonly expected: Facts;
  /** Whether a statement may lose text. */
  readonly concerned: (text: string, index: number) => boolean;
}

/** The edits of a change, and what the chart must then draw. */
function plan(
  diagram: Diagram,
  {
    kind,
    pick,
    other,
    shape,
    text,
  }: typeof change extends fc.Arbitrary<infer Value> ? Value : never,
): Planned | undefined {
  const expected = factsOf(diagram);
  const at = pick % diagram.nodes.length;
  const { id } = diagram.nodes[at]!;
  const label = text.trim();
  const edge = diagram.edges.length === 0 ? undefined : pick % diagram.edges.length;
  const drawnIn = edge === undefined ? undefined : diagram.edges[edge]?.statement;
  const mentionsIt = (written: string) => written.includes(id);
  const isItsStatement = (_: string, index: number) => index === drawnIn;
  const isNone = () => false;
  switch (kind) {
    case "label":
      expected.nodes[at]![1] = label;
      if (expected.nodes[at]![2] === "none") expected.nodes[at]![2] = "square";
      return { edits: setNodeLabel(diagram, id, text), expected, concerned: mentionsIt };
    case "shape":
      expected.nodes[at]![2] = shape;
      return { edits: setNodeShape(diagram, id, shape), expected, concerned: mentionsIt };
    case "add node":
      expected.nodes.push(["New", label, shape]);
      return {
        edits: addNode(diagram, { id: "New", label: text, shape }),
        expected,
        concerned: isNone,
      };
    case "remove node":
      expected.nodes.splice(at, 1);
      expected.edges = expected.edges.filter(([source, target]) => source !== id && target !== id);
      return { edits: removeNode(diagram, id), expected, concerned: mentionsIt };
    case "add edge": {
      const target = diagram.nodes[other % diagram.nodes.length]!.id;
      const edits = addEdge(diagram, { source: id, target, label: text });
      const drawn = readDiagram(applyEdits(diagram.source, edits)).diagram.edges;
      const place = drawn.findLastIndex(({ source }) => source === id);
      expected.edges.splice(place, 0, [id, target, label]);
      return { edits, expected, concerned: isNone };
    }
    case "remove edge":
      if (edge === undefined) return undefined;
      expected.edges.splice(edge, 1);
      return { edits: removeEdge(diagram, edge), expected, concerned: isItsStatement };
    case "edge label":
      if (edge === undefined) return undefined;
      expected.edges[edge]![2] = other % 3 === 0 ? undefined : label;
      return {
        edits: setEdgeLabel(diagram, edge, expected.edges[edge]![2]),
        expected,
        concerned: isItsStatement,
      };
  }
}

test("after any change of any chart, what was changed is drawn, and everything else as before", () => {
  fc.assert(
    fc.property(flowchart, change, (source, wanted) => {
      const diagram = parseDiagram(source);
      const planned = plan(diagram, wanted);
      if (planned === undefined) return;

      const after = editedDiagram(diagram, planned.edits);

      assert.deepEqual(factsOf(after), planned.expected);
      assert.deepEqual(hiddenTexts(after), hiddenTexts(diagram));
      for (const { start, end } of planned.edits) {
        assert.match(outsideStatements(diagram, planned.concerned, start, end), /^[\s;]*$/);
      }
    }),
    { numRuns: Number(process.env["CHARTS"] ?? 2_000) },
  );
});

function hiddenTexts({ source, hidden }: Diagram): string[] {
  return hidden.map(({ span }) => source.slice(span.start, span.end));
}

/** What an edit takes out that belongs to no statement it is about. */
function outsideStatements(
  { source, statements }: Diagram,
  concerned: (text: string, index: number) => boolean,
  start: number,
  end: number,
): string {
  let left = source.slice(start, end).split("");
  statements.forEach(({ span }, index) => {
    if (!concerned(source.slice(span.start, span.end), index)) return;
    left = left.map((sign, at) => (start + at >= span.start && start + at < span.end ? " " : sign));
  });
  return left.join("");
}
