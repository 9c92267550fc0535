import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, test } from "node:test";
import { exportWorkflow, importWorkflow } from "./workflow-export.ts";

const PR_REVIEW = readFileSync(new URL("./fixtures/pr-review.mmd", import.meta.url), "utf8");

const exported = exportWorkflow({
  name: "PR Review Pipeline",
  description: "Automated PR review with human escalation",
  source: PR_REVIEW,
  agents: [
    { id: "code-reviewer", displayName: "Code Review Agent", agentPrompt: "You are an expert." },
  ],
  exportedAt: "2025-01-15T10:00:00Z",
});

describe("an export", () => {
  test("has the seed's format, agents included", () => {
    assert.deepEqual(Object.keys(exported), ["workflow", "agents", "exportVersion", "exportedAt"]);
    assert.equal(exported.exportVersion, "2.0");
    assert.equal(exported.workflow.mermaidSource, PR_REVIEW);
    assert.equal(exported.workflow.steps.length, 11);
    assert.deepEqual(exported.workflow.steps[0], {
      id: "A",
      name: "Fetch PR Details",
      stepType: "task",
      execution: "automated",
      prompt:
        "Fetch PR #{{input.prNumber}} metadata from GitHub. Output: {title, author, baseBranch, headBranch}",
    });
    assert.deepEqual(exported.workflow.steps[9], {
      id: "J",
      name: "Retry?",
      stepType: "decision",
      branches: [{ condition: "output.shouldRetry", targetStepId: "A" }],
      defaultBranch: "K",
    });
  });

  test("comes back as it went, byte for byte", () => {
    const imported = importWorkflow(JSON.stringify(exported));

    assert.equal(imported.source, PR_REVIEW);
    assert.equal(imported.name, "PR Review Pipeline");
    assert.deepEqual(imported.agents, exported.agents);
    assert.deepEqual(imported.problems, []);
  });

  test("writes durations, policies and mappings as settings do", () => {
    const source = `graph TD
  F[[Each: x]] --> J[Join] --> S[[Run: Other]]
%% @F: {"itemsPath": "input.x", "prompt": "p", "timeout": "90s", "maxItems": 5}
%% @J: {"minCount": 2, "deadline": "36h", "onDeadline": "partial", "prompt": "p", "execution": "manual"}
%% @S: {"inputMapping": {"a": "output.b"}, "timeout": "500ms"}`;

    const { steps } = exportWorkflow({ name: "x", source, agents: [], exportedAt: "" }).workflow;

    assert.deepEqual(steps, [
      {
        id: "F",
        name: "Each: x",
        stepType: "foreach",
        prompt: "p",
        timeout: "90s",
        itemsPath: "input.x",
        itemVariable: "item",
        maxItems: 5,
      },
      {
        id: "J",
        name: "Join",
        stepType: "join",
        execution: "manual",
        prompt: "p",
        minCount: 2,
        deadline: "36h",
        onDeadline: "partial",
      },
      {
        id: "S",
        name: "Run: Other",
        stepType: "subflow",
        subflowId: "Other",
        inputMapping: { a: "output.b" },
        timeout: "500ms",
      },
    ]);
  });
});

describe("an import", () => {
  const importOf = (workflow: object, rest: object = { exportVersion: "2.0" }) =>
    importWorkflow(JSON.stringify({ workflow, ...rest }));

  test("needs no steps, agents or version", () => {
    const imported = importOf({ mermaidSource: "graph TD\nA[x]" }, {});

    assert.deepEqual([imported.name, imported.agents], [undefined, []]);
    assert.deepEqual(
      imported.problems.map(({ code, severity }) => [code, severity]),
      [["export_version_missing", "warning"]],
    );
  });

  test("says where the list of steps and the diagram differ, and keeps the diagram", () => {
    const { problems, source } = importOf({
      mermaidSource: "graph TD\nA[x] --> B[y]",
      steps: [
        {
          id: "A",
          name: "Other",
          stepType: "task",
          hitlPhase: "",
          description: null,
          prompt: "new",
        },
        { id: "C", name: "z" },
      ],
    });

    assert.equal(source, "graph TD\nA[x] --> B[y]");
    assert.deepEqual(
      problems.map(({ message }) => message),
      [
        'The list of steps and the diagram say different things about "name" (and 1 more like it) of "A". The diagram counts.',
        'The list of steps has "C", the diagram has not. The diagram counts.',
        'The diagram has "B", the list of steps has not. The diagram counts.',
      ],
    );
  });

  test("refuses what is no export, is of another version, or is no safe JSON", () => {
    assert.throws(() => importWorkflow("{"), { code: "json_invalid" });
    assert.throws(() => importWorkflow('{"__proto__": {}}'), { code: "json_reserved_key" });
    assert.throws(() => importWorkflow("[]"), { code: "export_invalid" });
    assert.throws(() => importOf({ steps: [] }), { code: "export_invalid" });
    assert.throws(() => importOf({ mermaidSource: "graph TD" }, { exportVersion: "3.0" }), {
      code: "export_version_unknown",
    });
  });
});
