import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { ProductError } from "../../../kernel/base/errors.ts";
import { positionAt } from "../../../kernel/base/text-position.ts";
import { DIAGRAM_LIMITS, parseDiagram, readDiagram } from "./parse-diagram.ts";

/** `A[Do it]-->B` as `A square "Do it", B none "B"`. */
function nodesOf(source: string): string[] {
  return parseDiagram(source).nodes.map(({ id, shape, label }) => `${id} ${shape} "${label}"`);
}

/** `A>B` with the label behind a colon. */
function edgesOf(source: string): string[] {
  return parseDiagram(source).edges.map(
    ({ source: from, target, label }) => `${from}>${target}${label ? `:${label.text}` : ""}`,
  );
}

/** `line:column message` of every fault. */
function faultsOf(source: string): string[] {
  return readDiagram(source).faults.map(({ offset, message }) => {
    const { line, column } = positionAt(source, offset);
    return `${line}:${column} ${message}`;
  });
}

describe("nodes", () => {
  test("have the shapes of the seed's table and all other brackets of mermaid", () => {
    const source = `graph TD
      A[Automated]; B(Manual); C{Gate}; D[[Each: Item]]; E[Join All]; F[[Run: Scan]]
      G([stadium]); H[(cylinder)]; I((circle)); J(((double))); K(-ellipse-); L>flag]
      M{{hexagon}}; N[/right/]; O[\\left\\]; P[/trapezoid\\]; Q[\\inverted/]; R`;

    assert.deepEqual(nodesOf(source), [
      'A square "Automated"',
      'B round "Manual"',
      'C diamond "Gate"',
      'D subroutine "Each: Item"',
      'E square "Join All"',
      'F subroutine "Run: Scan"',
      'G stadium "stadium"',
      'H cylinder "cylinder"',
      'I circle "circle"',
      'J doublecircle "double"',
      'K ellipse "ellipse"',
      'L odd "flag"',
      'M hexagon "hexagon"',
      'N lean_right "right"',
      'O lean_left "left"',
      'P trapezoid "trapezoid"',
      'Q inv_trapezoid "inverted"',
      'R none "R"',
    ]);
  });

  test("keep their ids as they are written, whatever mermaid allows in them", () => {
    const ids = [
      "step_1",
      "review-file",
      "a.b",
      "2nd",
      "42",
      "Ünder",
      "日本",
      "default",
      "v",
      "x:y",
      "my-end",
    ];

    const { nodes } = parseDiagram(`graph LR\n${ids.join(" --> ")}`);

    assert.deepEqual(
      nodes.map(({ id }) => id),
      ids,
    );
  });

  test("take the last label that is written, and their place from the first mention", () => {
    const { nodes } = parseDiagram("graph TD\nB --> A[One]\nA[Two] --> B");

    assert.deepEqual(
      nodes.map(({ id, label, mentions }) => [id, label, mentions.length]),
      [
        ["B", "B", 2],
        ["A", "Two", 2],
      ],
    );
  });

  test("show quoted labels as a reader sees them", () => {
    const source = `graph TD
      A["say #quot;hi#quot; #35;1 (now) [x] {y} | z"] --> B["a<br/>b"] --> C["\`**bold**\`"]
      D["5 &lt; 6 &amp;&amp; 7 &gt; 2"] --> E["<a href="x">t</a>"] --> F["two
lines"] --> G["tail" goes on]`;

    assert.deepEqual(
      parseDiagram(source).nodes.map(({ label }) => label),
      [
        'say "hi" #1 (now) [x] {y} | z',
        "a\nb",
        "**bold**",
        "5 < 6 && 7 > 2",
        "<a href='x'>t</a>",
        "two\nlines",
        "tail goes on",
      ],
    );
  });
});

describe("edges", () => {
  test("come from chains and groups, in drawing order", () => {
    assert.deepEqual(edgesOf("graph TD\nA --> B --> C\nA & B --> C & D --> E"), [
      "A>B",
      "B>C",
      "A>C",
      "A>D",
      "B>C",
      "B>D",
      "C>E",
      "D>E",
    ]);
  });

  test("carry labels in bars and in the middle, quoted or not", () => {
    const source = `graph TD
      A -->|plain| B -->|"a[0] >= 80 && b"| C -- in between --> D
      D == thick ==> E -. dotted .-> F -- "quoted -- text" --> G --> |spaced| H`;

    assert.deepEqual(edgesOf(source), [
      "A>B:plain",
      "B>C:a[0] >= 80 && b",
      "C>D:in between",
      "D>E:thick",
      "E>F:dotted",
      "F>G:quoted -- text",
      "G>H:spaced",
    ]);
  });

  test("know stroke and ends of every link", () => {
    const links = [
      "-->",
      "---->",
      "---",
      "==>",
      "===",
      "-.->",
      "-..-",
      "--x",
      "--o",
      "<-->",
      "o--o",
      "~~~",
    ];

    const { edges } = parseDiagram(
      `graph TD\n${links.map((link, at) => `A${at} ${link} B${at}`).join("\n")}`,
    );

    assert.deepEqual(
      edges.map(({ link: { stroke, tail, head } }) => `${stroke} ${tail} ${head}`),
      [
        "normal none arrow",
        "normal none arrow",
        "normal none none",
        "thick none arrow",
        "thick none none",
        "dotted none arrow",
        "dotted none none",
        "normal none cross",
        "normal none circle",
        "normal arrow arrow",
        "normal circle circle",
        "invisible none none",
      ],
    );
  });

  test("go on over line ends and comments, as in mermaid", () => {
    assert.deepEqual(edgesOf("graph TD\nA\n  --> B\n%% aside\n-->\n\nC"), ["A>B", "B>C"]);
  });
});

describe("everything else", () => {
  test("is kept: subgraphs, looks, descriptions, front matter, directives, comments", () => {
    const source = `---
title: "The chart"
---
%%{init: {"theme": "dark"}}%%
flowchart LR
accTitle: Title; with sign
accDescr { over
two lines }
  subgraph one["First part"]
    direction TB
    A --> B
    subgraph deep
      C
    end
  end
  classDef warm fill:#f96,stroke:#333;
  class A,B warm
  style C stroke-width:4px
  linkStyle 0 stroke:#ff3
  click A call run("a;b") "tip; with sign"
  A e1@--> C:::warm
  e1@{ animate: true }
%% the end`;

    const diagram = parseDiagram(source);

    assert.deepEqual(
      diagram.statements.map(
        ({ kind, within }) => `${kind}${within === undefined ? "" : ` in ${within}`}`,
      ),
      [
        "header",
        "description",
        "description",
        "subgraph",
        "direction in 0",
        "flow in 0",
        "subgraph in 0",
        "flow in 1",
        "end in 0",
        "end",
        "styling",
        "styling",
        "styling",
        "styling",
        "styling",
        "flow",
        "styling",
      ],
    );
    assert.deepEqual(
      diagram.hidden.map(({ kind }) => kind),
      ["frontmatter", "directive", "comment"],
    );
    assert.equal(diagram.title, "The chart");
    assert.deepEqual(
      diagram.subgraphs.map(({ id, title, direction, parent, nodeIds }) => ({
        id,
        title,
        direction,
        parent,
        nodeIds,
      })),
      [
        { id: "one", title: "First part", direction: "TB", parent: undefined, nodeIds: ["A", "B"] },
        { id: "deep", title: "deep", direction: undefined, parent: 0, nodeIds: ["C"] },
      ],
    );
    assert.equal(diagram.edges[1]?.link.id, "e1");
  });

  test("may be written with carriage returns, a byte order mark, tabs and semicolons", () => {
    assert.deepEqual(edgesOf("\ufeffgraph TD\r\n\tA-->B ;\r\n;B-->C;C-->D\r\n\r\n"), [
      "A>B",
      "B>C",
      "C>D",
    ]);
  });

  test("begins with graph or flowchart and one of the directions", () => {
    const directions = [
      "graph TD\nA",
      "graph TB\nA",
      "flowchart BT\nA",
      "graph LR;A",
      "graph RL\nA",
      "graph\nA",
    ];

    assert.deepEqual(
      directions.map((source) => parseDiagram(source).direction),
      ["TD", "TB", "BT", "LR", "RL", "TB"],
    );
  });
});

describe("a fault", () => {
  const cases: readonly (readonly [string, string])[] = [
    ["", "1:1 There is no diagram"],
    ["A --> B", '1:1 A workflow begins with "graph TD" or "flowchart TD", and there is "A"'],
    ["graph XX\nA", '1:7 Behind the direction the line must end, and there is "X"'],
    ["graph TD A", '1:10 Behind the direction the line must end, and there is "A"'],
    ["graph TD\nA[foo (bar)]", '2:7 A label without quotes cannot have "(" here'],
    ["graph TD\nA -->|a[0]| B", '2:8 A label without quotes cannot have "[" here'],
    ["graph TD\nA[open\nB --> C", "2:2 The label that begins here is never closed by ]"],
    ['graph TD\nA["open]', "2:3 The quote that begins here is never closed"],
    ['graph TD\nA[""]', "2:2 A label cannot be empty"],
    ["graph TD\nA -->", "2:6 Here the id of a node is needed, and there is the end of the text"],
    [
      "graph TD\nA --> end",
      `2:7 "end" is a word of mermaid's own and cannot be the id of a node, nor begin one`,
    ],
    ["graph TD\nA -- label", "2:3 The link that begins with -- is never finished"],
    [
      "graph TD\nA -- box--> B",
      "2:8 Mermaid takes this sign for a part of the arrow behind it, not of the label",
    ],
    ["graph TD\nA <-- l --o B", "2:3 The two ends of this link do not match"],
    ["graph TD\nA [x]", '2:3 Here a link, a line end or a semicolon is needed, and there is "["'],
    [
      "graph TD\nA --> B %% c",
      '2:9 Here a link, a line end or a semicolon is needed, and there is "%"',
    ],
    ["graph TD\nA &B --> C", "2:3 & needs a blank on both sides"],
    ["graph TD\nA@{ shape: diam }", "2:2 Shapes by name, @{ shape: … }, are not read in workflows"],
    ["graph TD\nA-->B\nend", "3:1 This end closes no subgraph"],
    ["graph TD\nsubgraph s\nA", "2:1 The subgraph that begins here has no end"],
    ["graph TD\nstyle-1 --> B", '2:6 Behind "style" a blank is needed, and there is "-"'],
    ["graph TD\nsubgraph\nA\nend", "2:1 A subgraph needs a name"],
    [
      'graph TD\nA["set direction TB"]',
      '2:8 Mermaid takes this whole line for the statement "direction TB"',
    ],
    ["graph TD\nn#1;B", "2:2 Mermaid takes #1; for a character, which an id cannot have"],
    ["%%{init\ngraph TD", "1:1 The directive that begins here is never closed by }%%"],
    [
      "---\ntitle: x\ngraph TD",
      "1:1 The front matter that begins here is never closed by a line ---",
    ],
  ];

  for (const [source, expected] of cases) {
    test(`is told with its place in ${JSON.stringify(source)}`, () => {
      assert.equal(faultsOf(source)[0], expected);
    });
  }

  test("does not hide the ones behind it, nor what can be read", () => {
    const source = "graph TD\nA --> B[(x]\nB --> C\nC -->|y(z)| X\nD --> E -->|z|\nend\n";

    const { diagram, faults } = readDiagram(source);

    assert.deepEqual(
      faults.map(({ offset }) => positionAt(source, offset).line),
      [2, 4, 5, 6],
    );
    assert.deepEqual(
      diagram.nodes.map(({ id }) => id),
      ["A", "B", "C", "D", "E"],
    );
  });

  test("is thrown as an error that points at line and column", () => {
    assert.throws(
      () => parseDiagram("graph TD\n  A --> B\n  B -->|x(y)| C"),
      (error) =>
        error instanceof ProductError &&
        error.code === "diagram_syntax" &&
        error.details["line"] === 3 &&
        error.details["column"] === 10 &&
        String(error.details["excerpt"]).endsWith("         ^") &&
        error.hint?.includes("double quotes") === true,
    );
  });
});

describe("hostile texts", () => {
  const within = (milliseconds: number, source: string): ReturnType<typeof readDiagram> => {
    const before = performance.now();
    const read = readDiagram(source);
    const took = performance.now() - before;
    assert.ok(took < milliseconds, `took ${took} ms`);
    return read;
  };

  test("a hundred thousand nodes are read", () => {
    const lines = Array.from({ length: 99_999 }, (_, at) => `n${at}-->n${at + 1}`);

    const { diagram, faults } = within(20_000, `graph TD\n${lines.join("\n")}`);

    assert.deepEqual(
      [diagram.nodes.length, diagram.edges.length, faults.length],
      [100_000, 99_999, 0],
    );
  });

  test("a chain of two hundred thousand links and subgraphs a hundred thousand deep end no stack", () => {
    const chain = within(20_000, `graph TD\n${"a-->".repeat(200_000)}b`);
    const deep = within(
      5_000,
      `graph TD\n${"subgraph s\n".repeat(80_000)}A\n${"end\n".repeat(80_000)}`,
    );

    assert.equal(chain.diagram.edges.length, 200_000);
    assert.deepEqual([deep.diagram.subgraphs.length, deep.faults.length], [80_000, 0]);
  });

  test("a megabyte of any one sign takes no longer than a megabyte of text", () => {
    for (const piece of [
      "%%{",
      "%%{\n",
      "<a ",
      '"',
      'A["',
      "A[",
      "|",
      "-- ",
      "A-- ",
      "1,",
      "&",
      "-",
      ".",
      "=",
      "~",
      "\r",
      "\n",
      " ",
      ";",
      "subgraph ",
      "direction ",
      "style a(",
      "x@",
      "#1;",
      "---\n",
      "A & ",
      "\\",
      "`",
      "accDescr {",
    ]) {
      within(20_000, `graph TD\n${piece.repeat(Math.floor(1_000_000 / piece.length))}`);
    }
  });

  test("groups that would draw billions of edges are refused", () => {
    const group = Array.from({ length: 50_000 }, (_, at) => `n${at}`).join(" & ");

    const { faults } = within(20_000, `graph TD\n${group} --> ${group}`);

    assert.match(faults[0]?.message ?? "", /at most 500000 edges/);
  });

  test("what is too large, or too broken, is said and not read further", () => {
    const large = readDiagram(`graph TD\n${"A\n".repeat(DIAGRAM_LIMITS.characters)}`);
    const broken = readDiagram(`graph TD\n${"A[(\n".repeat(1_000)}`);

    assert.deepEqual(
      large.faults.map(({ code }) => code),
      ["diagram_too_large"],
    );
    assert.equal(broken.faults.length, DIAGRAM_LIMITS.faults + 1);
    assert.equal(broken.faults.at(-1)?.code, "diagram_too_many_faults");
  });
});
