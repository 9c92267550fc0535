import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, test } from "node:test";
import { readWorkflow } from "./read-workflow.ts";
import type { WorkflowStep } from "./workflow-definition.ts";

const PR_REVIEW = readFileSync(new URL("./fixtures/pr-review.mmd", import.meta.url), "utf8");

/** `line:column code` of every problem; warnings in brackets. */
function problemsOf(source: string): string[] {
  return readWorkflow(source).problems.map(({ code, severity, position }) => {
    const told = severity === "error" ? code : `(${code})`;
    return `${position?.line}:${position?.column} ${told}`;
  });
}

function stepOf<Type extends WorkflowStep["stepType"]>(source: string, id: string, type: Type) {
  const step = readWorkflow(source).definition.steps.find((each) => each.id === id);
  assert.equal(step?.stepType, type);
  return step as Extract<WorkflowStep, { stepType: Type }>;
}

describe("the seed's PR Review", () => {
  const { definition, problems } = readWorkflow(PR_REVIEW);

  test("has eleven steps and twelve edges, and nothing is wrong with it", () => {
    assert.deepEqual(problems, []);
    assert.equal(definition.edges.length, 12);
    assert.deepEqual(
      definition.steps.map(({ id, stepType, name }) => `${id} ${stepType} ${name}`),
      [
        "A task Fetch PR Details",
        "B task Get Changed Files",
        "C foreach Each: Review File",
        "D join Join Reviews",
        "E decision Quality Gate",
        "F task Auto Approve",
        "G task Human Review",
        "H task Request Changes",
        "I task Merge PR",
        "J decision Retry?",
        "K task Close PR",
      ],
    );
  });

  test("has its prompts, its loop over files, its gate and its manual review", () => {
    const each = stepOf(PR_REVIEW, "C", "foreach");
    const gate = stepOf(PR_REVIEW, "E", "decision");

    assert.deepEqual(
      [each.itemsPath, each.items, each.itemVariable],
      ["output.files", ["output", "files"], "file"],
    );
    assert.match(each.prompt ?? "", /^Review \{\{file\.path\}\} for code style.*\n\nOutput:/);
    assert.equal(stepOf(PR_REVIEW, "D", "join").awaitTag, "foreach:{{parentId}}");
    assert.deepEqual(
      gate.branches.map(({ text, targetStepId }) => [text, targetStepId]),
      [
        ["output.score >= 80", "F"],
        ["output.score >= 50", "G"],
      ],
    );
    assert.equal(gate.defaultBranch, "H");
    assert.equal(stepOf(PR_REVIEW, "G", "task").execution, "manual");
    assert.deepEqual(
      definition.edges
        .filter(({ source }) => source === "J")
        .map(({ target, when }) => [target, typeof when === "string" ? when : when.text]),
      [
        ["A", "output.shouldRetry"],
        ["K", "default"],
      ],
    );
  });

  test("reads the same with carriage returns, tabs and upstream's single-line settings", () => {
    const windows = readWorkflow(PR_REVIEW.replaceAll("\n", "\r\n").replaceAll("    ", "\t"));
    const here = { offset: 0, line: 1, column: 1 };
    const plain = (step: WorkflowStep) => ({ ...step, position: here, branches: [] });

    assert.deepEqual(windows.problems, []);
    assert.deepEqual(windows.definition.steps.map(plain), definition.steps.map(plain));
    assert.equal(
      stepOf('graph TD\nA[x]\n%% @step(A): {"prompt": "Do it"}', "A", "task").prompt,
      "Do it",
    );
  });
});

describe("the type of a step", () => {
  test("comes from shape and label where no settings say it", () => {
    const source =
      "graph TD\nA[Do]-->B(Look)-->C{Gate}-->|default|D[[Each: File]]-->E[Join all]-->F[[Run: Security Scan]]-->G[[Files]]";

    const types = readWorkflow(source).definition.steps.map((step) =>
      "execution" in step ? `${step.stepType} ${step.execution}` : step.stepType,
    );

    assert.deepEqual(types, [
      "task automated",
      "task manual",
      "decision",
      "foreach automated",
      "join automated",
      "subflow",
      "foreach automated",
    ]);
    assert.equal(stepOf(source, "F", "subflow").subflowId, "Security Scan");
  });

  test("is what the settings say where the drawing says otherwise, and that is told", () => {
    const source = `graph TD
  A[Do] --> B(Look) --> C[Collect]
%% @A: {"stepType": "decision"}
%% @B: {"execution": "automated"}
%% @C: { "stepType": "join" }`;

    assert.equal(stepOf(source, "C", "join").name, "Collect");
    assert.equal(stepOf(source, "B", "task").execution, "automated");
    assert.deepEqual(problemsOf(source), [
      "2:9 (branch_unlabelled)",
      "3:21 (type_disagrees)",
      "4:22 (execution_disagrees)",
      "5:22 (type_disagrees)",
    ]);
  });

  test("must be in the settings for a shape that means nothing here", () => {
    assert.deepEqual(problemsOf("graph TD\nA([Begin]) --> B[x]"), ["2:1 shape_unknown"]);
    assert.deepEqual(problemsOf('graph TD\nA([Begin]) --> B[x]\n%% @A: {"stepType":"task"}'), []);
  });

  test("may still be written as type", () => {
    const source = 'graph TD\nA[x]\n%% @A: {"type": "manual"}';

    assert.equal(stepOf(source, "A", "task").execution, "manual");
    assert.deepEqual(problemsOf(source), [
      "3:17 (config_deprecated_key)",
      "3:17 (execution_disagrees)",
    ]);
  });
});

describe("settings", () => {
  test("give every step the fields that are its own, and defaults for the rest", () => {
    const source = `graph TD
  A[a] --> F[[Each: x]] --> J[Join] --> S[[Run: Other]]
%% === WORKFLOW_CONFIG ===
%% workflow: { "name": "All of it", "maxTasks": 50, "maxIterations": 3 }
%% @A: { "prompt": "p", "defaultAssigneeId": "ann", "minConfidence": 0.7, "retries": 2,
%%        "timeout": "1h 30m", "outputSchema": { "type": "object" }, "hitlPhase": "draft",
%%        "description": "d", "config": { "own": [1] }, "maxIterations": 9 }
%% @F: { "itemsPath": "output.list", "maxItems": 7, "concurrency": 2, "prompt": "each" }
%% @J: { "minPercent": 80, "deadline": "2 days", "onDeadline": "partial" }
%% @S: { "inputMapping": { "list": "steps.A.output.list", "title": "On {{run.input.name}}" } }
%% === END_CONFIG ===`;

    const { definition, problems } = readWorkflow(source);

    assert.deepEqual(problems, []);
    assert.deepEqual([definition.name, definition.maxTasks], ["All of it", 50]);
    const { position: _, outputSchema: __, ...task } = stepOf(source, "A", "task");
    assert.deepEqual(task, {
      id: "A",
      name: "a",
      stepType: "task",
      execution: "automated",
      prompt: "p",
      defaultAssigneeId: "ann",
      minConfidence: 0.7,
      retries: 2,
      timeoutMs: 5_400_000,
      hitlPhase: "draft",
      description: "d",
      config: { own: [1] },
      maxIterations: 9,
    });
    const each = stepOf(source, "F", "foreach");
    assert.deepEqual(
      [each.itemVariable, each.maxItems, each.concurrency, each.maxIterations],
      ["item", 7, 2, 3],
    );
    assert.deepEqual(stepOf(source, "J", "join").policy, {
      need: { kind: "percent", percent: 80 },
      deadlineMs: 172_800_000,
      onDeadline: "partial",
    });
    assert.deepEqual(
      stepOf(source, "S", "subflow").inputMapping.map(({ name, from }) => [name, from.kind]),
      [
        ["list", "path"],
        ["title", "template"],
      ],
    );
  });

  const faulty: readonly (readonly [string, string, readonly string[]])[] = [
    ["broken JSON", '%% @A: {"prompt": "x",}', ["3:23 config_invalid_json"]],
    ["JSON that is never closed", '%% @A: {"prompt": "x"', ["3:22 config_invalid_json"]],
    ["text behind the JSON", "%% @A: {} and more", ["3:11 config_invalid_json"]],
    ["a key that names a prototype", '%% @A: {"__proto__": {}}', ["3:9 config_invalid_json"]],
    ["a key that stands twice", '%% @A: {"prompt":"a","prompt":"b"}', ["3:22 config_invalid_json"]],
    ["two entries for one step", "%% @A: {}\n%% @A: {}", ["4:5 config_duplicate"]],
    ["an id that is not drawn", "%% @a: {}", ["3:5 config_unknown_step"]],
    ["an unknown key", '%% @A: {"promt": "x"}', ["3:9 (config_unknown_key)"]],
    ["a wrong value", '%% @A: {"retries": -1}', ["3:20 config_invalid_value"]],
    ["a duration without a unit", '%% @A: {"timeout": 5}', ["3:20 config_invalid_value"]],
    ["a key of another kind of step", '%% @A: {"itemsPath": "x"}', ["3:9 (config_idle_key)"]],
    [
      "a schema that means nothing",
      '%% @A: {"outputSchema": {"type": "thing"}}',
      ["3:34 schema_invalid"],
    ],
    ["a broken template", '%% @A: {"prompt": "é\\n {{ a b }}"}', ["3:24 (template_broken)"]],
  ];

  for (const [name, line, expected] of faulty) {
    test(`with ${name} are told with their place`, () => {
      assert.deepEqual(problemsOf(`graph TD\nA[x]\n${line}`), expected);
    });
  }

  test("in a block are told with the line they stand in", () => {
    const source = `graph TD
  A[a] --> B[b]

%% === WORKFLOW_CONFIG ===
%% @A: {
%%   "prompt": "fine",
%%   "retries": "three"
%% }
%%
%% a remark
%% @B {}
%% @B: [1]
%% workflow: { "maxTasks": 0 }
%% === END_CONFIG ===
%% === END_CONFIG ===`;

    assert.deepEqual(problemsOf(source), [
      "7:17 config_invalid_value",
      "10:1 (config_stray_line)",
      "11:1 (config_stray_line)",
      "12:8 config_invalid_json",
      "13:28 config_invalid_value",
      "15:1 (config_block_unopened)",
    ]);
  });

  test("of a broken entry do not spoil the next one", () => {
    const source = `graph TD
  A[a] --> B[b]
%% === WORKFLOW_CONFIG ===
%% @A: {
%%   "prompt": "never closed"
%% @B: { "prompt": "fine" }`;

    assert.deepEqual(problemsOf(source), [
      "3:1 (config_block_unclosed)",
      "5:30 config_invalid_json",
    ]);
    assert.equal(stepOf(source, "B", "task").prompt, "fine");
  });

  test("outside a block are only read where they open an object", () => {
    assert.deepEqual(problemsOf("graph TD\nA[x]\n%% @ann: please look\n%% see @A: {x}"), []);
  });
});

describe("edges", () => {
  test("of a decision are tried in drawing order, and default is the default", () => {
    const gate = stepOf(
      "graph TD\nA{?} -->|default| B[b]\nA -->|x > 1| C[c]\nA -- y --> D[d]",
      "A",
      "decision",
    );

    assert.deepEqual(
      gate.branches.map(({ text }) => text),
      ["x > 1", "y"],
    );
    assert.equal(gate.defaultBranch, "B");
  });

  test("of a decision whose settings list branches are those, and differences are told", () => {
    const source = `graph TD
  A{?} -->|"output.x"| B[b]
  A -->|default| C[c]
  D[d]
%% @A: {"branches": [{"condition": "output.y", "targetStepId": "D"}, {"condition": null, "targetStepId": "C"}, {"condition": "z", "targetStepId": "Q"}]}`;

    const { definition } = readWorkflow(source);

    assert.deepEqual(
      definition.edges.map(({ source: from, target, when }) => [
        from,
        target,
        typeof when === "string" ? when : when.text,
      ]),
      [
        ["A", "D", "output.y"],
        ["A", "C", "default"],
      ],
    );
    assert.deepEqual(problemsOf(source), [
      "2:8 (branch_disagrees)",
      "5:22 (branch_not_drawn)",
      "5:112 unknown_target",
    ]);
  });

  test("may have their default in the settings", () => {
    const source = 'graph TD\nA{?} -->|x| B[b]\nA --> C[c]\n%% @A: {"defaultBranch": "C"}';

    assert.equal(stepOf(source, "A", "decision").defaultBranch, "C");
    assert.deepEqual(problemsOf(source), []);
  });

  const faulty: readonly (readonly [string, string, readonly string[]])[] = [
    [
      "a condition that cannot be read",
      'A{?} -->|"a >> 1"| B[b]\nA -->|default| B',
      ["2:14 bad_expression"],
    ],
    ["two defaults", "A{?} -->|default| B[b]\nA -->|Default| C[c]", ["3:7 branch_ambiguous"]],
    ["no label on one branch", "A{?} -->|x| B[b]\nA --> C[c]", ["3:3 (branch_unlabelled)"]],
    [
      "a condition outside a decision",
      'A[a] -->|"x > 1"| B[b]',
      ["2:11 condition_outside_decision"],
    ],
    ["a remark outside a decision", "A[a] -->|sends it to| B[b]", ["2:10 (label_ignored)"]],
    ["no arrow", "A[a] --- B[b]", ["2:6 edge_without_arrow"]],
    ["two arrows", "A[a] <--> B[b]", ["2:6 edge_both_ways"]],
    ["an id that nobody describes", "A[a] --> Bee", ["2:10 unknown_target"]],
    ["a subgraph for a target", "subgraph s\nA[a]\nend\nA --> s", ["5:7 edge_to_subgraph"]],
  ];

  for (const [name, lines, expected] of faulty) {
    test(`with ${name} are told with their place`, () => {
      assert.deepEqual(problemsOf(`graph TD\n${lines}`), expected);
    });
  }

  test("that are invisible only place their steps, and a sketch of bare ids is a workflow", () => {
    assert.deepEqual(readWorkflow("graph TD\nA[a] ~~~ B[b]").definition.edges, []);
    assert.deepEqual(problemsOf("graph LR\nDraft --> Review --> Publish"), []);
  });
});

test("a broken drawing is told, and what can be read of the rest is still checked", () => {
  const source = 'graph TD\nA[a] --> B[(\nC[c]\n%% @B: {}\n%% @C: {"retries": "x"}';

  assert.deepEqual(problemsOf(source), ["2:11 diagram_syntax", "5:20 config_invalid_value"]);
});

test("an id through which code could be reached is refused", () => {
  assert.deepEqual(problemsOf("graph TD\nconstructor[x]"), ["2:1 step_id_reserved"]);
});
