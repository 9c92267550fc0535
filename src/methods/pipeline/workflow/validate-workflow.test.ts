import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, test } from "node:test";
import { checkWorkflow } from "./check-workflow.ts";
import { startSteps } from "./start-steps.ts";
import type { KnownNames } from "./validate-workflow.ts";

/** `line:column code` of every problem; warnings in brackets. */
function problemsOf(lines: string, known: KnownNames = {}): string[] {
  return checkWorkflow(`graph TD\n${lines}`, known).problems.map(({ code, severity, position }) => {
    const told = severity === "error" ? code : `(${code})`;
    return position === undefined ? told : `${position.line}:${position.column} ${told}`;
  });
}

test("the seed's PR Review validates, whoever asks", () => {
  const source = readFileSync(new URL("./fixtures/pr-review.mmd", import.meta.url), "utf8");

  const { definition, problems } = checkWorkflow(source, {
    agentIds: new Set(),
    workflows: new Set(),
  });

  assert.deepEqual(problems, []);
  assert.deepEqual(startSteps(definition), ["A"]);
});

describe("where a run begins", () => {
  const startsOf = (lines: string) => startSteps(checkWorkflow(`graph TD\n${lines}`).definition);

  test("is every step that nothing leads to", () => {
    assert.deepEqual(startsOf("A[a] --> C[c]\nB[b] --> C"), ["A", "B"]);
  });

  test("is the first step even if its own loop leads back to it", () => {
    assert.deepEqual(startsOf("A[a] --> B{?} -->|input.x| A\nB -->|default| C[c]\nD[d] --> C"), [
      "A",
      "D",
    ]);
    assert.deepEqual(startsOf("A[a] --> B[b]\nC[c] --> A"), ["C"]);
  });

  test("is nowhere in a loop that nothing leads into", () => {
    assert.deepEqual(startsOf("A[a] --> B[b]\nX[x] --> Y{?} -->|input.x| X\nY -->|default| B"), [
      "A",
    ]);
    assert.deepEqual(problemsOf("A[a] --> B[b]\nX[x] --> Y{?} -->|input.x| X\nY -->|default| B"), [
      "3:1 step_unreachable",
      "3:10 step_unreachable",
    ]);
  });
});

describe("what is wrong with the whole", () => {
  const cases: readonly (readonly [string, string, readonly string[]])[] = [
    ["no step at all", "", ["workflow_empty"]],
    ["a decision without a default", "A{?} -->|input.x| B[b]", ["2:1 (decision_without_default)"]],
    ["a decision that leads nowhere", "A[a] --> B{?}", ["2:10 decision_without_branches"]],
    [
      "a foreach without a join",
      'A[[Each: x]] --> B[b]\n%% @A: {"itemsPath":"input.x"}',
      ["2:1 foreach_without_join", "2:18 (foreach_dead_end)"],
    ],
    [
      "a foreach without a body",
      'A[[Each: x]] --> J[Join]\n%% @A: {"itemsPath":"input.x"}',
      ["2:1 foreach_without_body"],
    ],
    [
      "a foreach without items",
      'A[[Each: x]] --> J[Join]\n%% @A: {"prompt":"x"}',
      ["3:8 foreach_without_items"],
    ],
    ["a join that nothing feeds", "J[Join] --> B[b]", ["2:1 join_unfed"]],
    [
      "a join that waits for no foreach",
      'A[a] --> J[Join]\nB[b] --> J\n%% @J: {"awaitTag":"foreach:{{parentId}}"}',
      ["2:10 join_unfed"],
    ],
    [
      "a join that waits for another",
      'A[a] --> J[Join]\nB[b] --> J\n%% @J: {"awaitTag":"foreach:Z"}',
      ["2:10 join_tag_unknown"],
    ],
    ["a join of one edge", "A[a] --> J[Join]", ["2:10 (join_of_one)"]],
    [
      "a loop that nothing leaves",
      "A[a] --> B{?} -->|input.x| A\nB -->|default| A",
      ["2:1 cycle_without_exit"],
    ],
    [
      "a loop that goes round every time",
      "A[a] --> B[b] --> A\nB --> C[c]",
      ["2:1 cycle_without_exit"],
    ],
    [
      "a loop without work",
      "A[a] --> B{?} -->|input.x| C{?}\nC -->|input.y| B\nB -->|default| D[d]\nC -->|default| D",
      ["2:10 cycle_without_exit"],
    ],
    [
      "an edge out of a body",
      'A[[Each: x]] --> B[b] --> J[Join] --> C[c]\nB --> C\n%% @A: {"itemsPath":"input.x"}',
      ["3:3 foreach_border_crossed"],
    ],
    [
      "an edge into a body",
      'S[s] --> A[[Each: x]] --> B[b] --> C[c] --> J[Join]\nS --> C\n%% @A: {"itemsPath":"input.x"}',
      ["3:3 foreach_border_crossed"],
    ],
    [
      "a foreach that would end twice",
      'A[[Each: x]] --> B[b] --> J[Join]\nA --> K[Join too]\n%% @A: {"itemsPath":"input.x"}',
      ["2:27 foreach_two_joins"],
    ],
    ["an edge drawn twice", "A[a] --> B[b]\nA --> B", ["3:3 (edge_doubled)"]],
  ];

  for (const [name, lines, expected] of cases) {
    test(`is told: ${name}`, () => {
      assert.deepEqual(problemsOf(lines), expected);
    });
  }

  test("is told of names outside, when they are known", () => {
    const lines = 'A[a] --> B[[Run: Scan]]\n%% @A: {"defaultAssigneeId": "ann"}';

    assert.deepEqual(problemsOf(lines), []);
    assert.deepEqual(
      problemsOf(lines, { agentIds: new Set(["bob"]), workflows: new Set(["Other"]) }),
      ["2:10 unknown_subflow", "3:30 unknown_agent"],
    );
    assert.deepEqual(
      problemsOf(lines, { agentIds: new Set(["ann"]), workflows: new Set(["Scan"]) }),
      [],
    );
  });

  test("is not told where the drawing could not be read", () => {
    assert.deepEqual(problemsOf("A[a] --> B[(\nJ[Join] --> C{?}"), ["2:11 diagram_syntax"]);
  });
});

describe("a path that nothing can fill", () => {
  const closed =
    '{"type":"object","properties":{"score":{"type":"number"},"files":{"type":"array","items":{"type":"object","properties":{"path":{"type":"string"}},"additionalProperties":false}}},"additionalProperties":false}';
  const open = '{"type":"object","properties":{"score":{"type":"number"}}}';

  /** A task with a schema, a decision, and a task with the prompt. */
  const after = (schema: string, prompt: string, extra = "") =>
    problemsOf(
      `A[a] --> D{?} -->|default| B[b]\n%% @A: {"outputSchema": ${schema}}\n%% @B: {"prompt": ${JSON.stringify(prompt)}}${extra}`,
    );

  test("is an error at its place in the prompt", () => {
    assert.deepEqual(after(closed, "ok {{output.score}}\n{{output.scor}}"), [
      "4:41 path_unfillable",
    ]);
    assert.deepEqual(after(closed, "{{output.score.x}}"), ["4:20 path_unfillable"]);
    assert.deepEqual(after(closed, "{{steps.A.output.files[0].name}}"), ["4:20 path_unfillable"]);
    assert.deepEqual(after(closed, "{{steps.Q.output.x}}"), ["4:20 path_unfillable"]);
    assert.deepEqual(after(closed, "{{steps.D.output.x}}"), ["4:20 path_unfillable"]);
    assert.deepEqual(after(closed, "{{file.path}} {{item}}"), [
      "4:20 path_unfillable",
      "4:34 path_unfillable",
    ]);
  });

  test("is only suspected where the schema lets other fields in, and one looks like it", () => {
    assert.deepEqual(after(open, "{{output.scor}}"), ["4:20 (path_unlisted)"]);
    assert.deepEqual(after(open, "{{output.summary}}"), []);
  });

  test("is never suspected without knowing", () => {
    assert.deepEqual(
      after(closed, "{{output.files.length}} {{output.files[2].path.length}} {{output}}"),
      [],
    );
    assert.deepEqual(after(closed, "{{input.scor}} {{run.input.scor}} {{steps.B.output.x}}"), []);
    assert.deepEqual(problemsOf('A[a] --> B[b]\n%% @B: {"prompt": "{{output.anything}}"}'), []);
    assert.deepEqual(
      problemsOf(
        `A[a] --> C[c]\nB[b] --> C\n%% @A: {"outputSchema": ${closed}}\n%% @C: {"prompt": "{{output.from_b}}"}`,
      ),
      [],
    );
    assert.deepEqual(
      problemsOf('A[[Run: Other]] --> B[b]\n%% @B: {"prompt": "{{output.anything}}"}'),
      [],
    );
  });

  test("is told of the run's input where a schema for it is given", () => {
    const schema =
      '\n%% === WORKFLOW_CONFIG ===\n%% workflow: {"inputSchema": {"type":"object","properties":{"pr":{"type":"integer"}},"additionalProperties":false}}\n%% === END_CONFIG ===';

    assert.deepEqual(after(closed, "{{input.pr}} {{input.score}} {{run.input.pr}}", schema), []);
    assert.deepEqual(after(closed, "{{input.scor}} {{run.input.score}}", schema), [
      "4:20 path_unfillable",
      "4:35 path_unfillable",
    ]);
  });

  test("is told of a word that was meant as a remark on a branch", () => {
    assert.deepEqual(problemsOf("A[a] --> B{Good?} -->|yes| C[c]\nB -->|default| D[d]"), [
      "2:23 path_unfillable",
    ]);
  });

  test("is told in conditions, items and mappings too", () => {
    assert.deepEqual(
      problemsOf(
        `A[a] --> D{?} -->|"output.scor > 1"| S[[Run: Other]]\nD -->|default| F[[Each: x]] --> J[Join]\n%% @A: {"outputSchema": ${closed}}\n%% @S: {"inputMapping": {"n": "output.nope"}}\n%% @F: {"itemsPath": "output.fils", "prompt": "{{item}}"}`,
      ),
      ["2:19 path_unfillable", "5:31 path_unfillable", "6:22 path_unfillable"],
    );
  });

  test("is told of what comes before the first task, and what a join without a prompt gives", () => {
    assert.deepEqual(problemsOf('A[a]\n%% @A: {"prompt": "{{output.x}} {{input.x}}"}'), [
      "3:20 path_unfillable",
    ]);
    assert.deepEqual(
      problemsOf(
        'A[a] --> J[Join]\nB[b] --> J --> C[c]\n%% @C: {"prompt": "{{output.counts.total}} {{output.aggregatedResults}} {{output.x}}"}',
      ),
      ["4:73 path_unfillable"],
    );
  });

  test("knows the names of every foreach around a step", () => {
    const lines = `A[[Each: x]] --> B[[Each: y]] --> C[c] --> J[Join] --> K[Join]
%% @A: {"itemsPath":"run.input.files","itemVariable":"file"}
%% @B: {"itemsPath":"file.parts","itemVariable":"part"}
%% @C: {"prompt":"{{file.x}} {{part.y}} {{item}} {{index}} {{total}} {{parentId}}"}
%% @J: {"prompt":"{{file.x}} {{output.aggregatedResults}} {{part}}"}`;

    assert.deepEqual(problemsOf(lines), ["6:59 path_unfillable"]);
  });
});

test("workflows of many thousand steps are checked in seconds", () => {
  const chain = Array.from({ length: 20_000 }, (_, at) => `s${at}[x]-->s${at + 1}[x]`).join("\n");
  const settings = Array.from(
    { length: 10_000 },
    (_, at) => `%% @s${at + 1}: {"prompt":"{{output.x}}"}`,
  );
  const fans = `d{?}-->|input.x|${Array.from({ length: 5_000 }, (_, at) => `f${at}[x]`).join(" & ")}`;
  const before = process.cpuUsage();

  const { problems } = checkWorkflow(
    `graph TD\n${chain}\ns20000-->${fans}\n${settings.join("\n")}`,
  );

  const { user, system } = process.cpuUsage(before);
  assert.ok(user + system < 20_000_000);
  assert.deepEqual(
    problems.map(({ code }) => code),
    ["decision_without_default"],
  );
});
