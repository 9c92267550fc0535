import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, test } from "node:test";
import fc from "fast-check";
import type { JsonObject } from "../../../kernel/base/json.ts";
import { editedDiagram } from "../diagram/edited-diagram.ts";
import { parseDiagram } from "../diagram/parse-diagram.ts";
import { readConfig } from "./config-entries.ts";
import { setConfig } from "./edit-config.ts";

const PR_REVIEW = readFileSync(new URL("./fixtures/pr-review.mmd", import.meta.url), "utf8");

function settingsOf(source: string, stepId: string | undefined): JsonObject | undefined {
  const { entries, findings } = readConfig(parseDiagram(source));
  assert.deepEqual(findings, []);
  return entries.find((entry) => entry.stepId === stepId)?.value;
}

function withSettings(
  source: string,
  stepId: string | undefined,
  settings: JsonObject | undefined,
): string {
  const diagram = parseDiagram(source);
  return editedDiagram(diagram, setConfig(diagram, stepId, settings)).source;
}

describe("settings that change", () => {
  test("leave every other character as it was", () => {
    const before = settingsOf(PR_REVIEW, "C") ?? {};

    assert.equal(
      withSettings(PR_REVIEW, "C", { ...before, itemVariable: "one" }),
      PR_REVIEW.replace('"itemVariable": "file"', '"itemVariable": "one"'),
    );
    assert.equal(
      withSettings(PR_REVIEW, "C", { ...before, concurrency: 3 }),
      PR_REVIEW.replace(
        'issues: [{severity, line, message}]}"',
        (line) => `${line},\n%%   "concurrency": 3`,
      ),
    );
    const { itemVariable: _, ...fewer } = before;
    assert.equal(
      withSettings(PR_REVIEW, "C", fewer),
      PR_REVIEW.replace(',\n%%   "itemVariable": "file"', ""),
    );
    assert.equal(withSettings(PR_REVIEW, "C", before), PR_REVIEW);
  });

  test("stay on one line where they are", () => {
    assert.equal(
      withSettings(PR_REVIEW, "E", { stepType: "decision", defaultBranch: "H" }),
      PR_REVIEW.replace(
        '@E: { "stepType": "decision" }',
        '@E: { "stepType": "decision", "defaultBranch": "H" }',
      ),
    );
    assert.equal(
      withSettings('graph TD\nA[x]\n  %% @A: {"a":1}\n', "A", { a: 1, b: [1, { c: "d" }] }),
      'graph TD\nA[x]\n  %% @A: {"a":1, "b": [ 1, { "c": "d" } ]}\n',
    );
  });

  test("of a step that had none go to the end of the block", () => {
    const source = "graph TD\r\nA[x]\r\n%% === WORKFLOW_CONFIG ===\r\n%% === END_CONFIG ===\r\n";

    assert.equal(
      withSettings(source, "A", { stepType: "task" }),
      source.replace("%% === END", '%% @A: { "stepType": "task" }\r\n%% === END'),
    );
  });

  test("make a block where there is none", () => {
    assert.equal(
      withSettings("graph TD\nA[x]", undefined, {
        name: "Everything",
        maxTasks: 500,
        description: "x".repeat(40),
      }),
      `graph TD
A[x]

%% === WORKFLOW_CONFIG ===
%% workflow: {
%%   "name": "Everything",
%%   "maxTasks": 500,
%%   "description": "${"x".repeat(40)}"
%% }
%% === END_CONFIG ===
`,
    );
  });

  test("are taken away with their lines", () => {
    assert.equal(
      withSettings(PR_REVIEW, "E", undefined),
      PR_REVIEW.replace('%% @E: { "stepType": "decision" }\n', ""),
    );
    assert.equal(withSettings(PR_REVIEW, "Z", undefined), PR_REVIEW);
  });

  test("replace an entry whose JSON is broken", () => {
    assert.equal(
      withSettings("graph TD\nA[x]\n%% @A: {oops}\n", "A", { a: 1 }),
      'graph TD\nA[x]\n%% @A: { "a": 1 }\n',
    );
  });
});

const value = fc.letrec((tie) => ({
  json: fc.oneof(
    { depthSize: "small" },
    fc.constantFrom(null, true, false, 0, -1.5, 1e21),
    fc.string({
      unit: fc.oneof(
        fc.constantFrom("%%{", "}%%", "%% @A: {", "\n", "\r", '"', "\\", "{{x}}", "\u2028"),
        fc.string({ unit: "grapheme" }),
      ),
    }),
    fc.array(tie("json"), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom("a", "b", "c d", 'e"'), tie("json"), { maxKeys: 3 }),
  ),
})).json;

const settings = fc.dictionary(
  fc.constantFrom("stepType", "prompt", "config", "x y", 'q"t', "é"),
  value,
  { noNullPrototype: true },
) as fc.Arbitrary<JsonObject>;

test("whatever settings are written, one after another, read the same, and the others stay", () => {
  const change = fc.tuple(
    fc.constantFrom("A", "E", "K", undefined),
    fc.option(settings, { nil: undefined }),
  );
  const source = fc.constantFrom(
    PR_REVIEW,
    PR_REVIEW.replaceAll("\n", "\r\n"),
    "graph TD\nA[a] --> E[e] --> K[k]",
  );

  fc.assert(
    fc.property(source, fc.array(change, { minLength: 1, maxLength: 4 }), (text, changes) => {
      let current = text;
      for (const [stepId, wanted] of changes) {
        const others = ["A", "C", "E", "K", undefined].filter((each) => each !== stepId);
        const kept = others.map((each) => settingsOf(current, each));

        current = withSettings(current, stepId, wanted);

        assert.deepEqual(
          settingsOf(current, stepId),
          JSON.parse(JSON.stringify(wanted ?? null)) ?? undefined,
        );
        assert.deepEqual(
          others.map((each) => settingsOf(current, each)),
          kept,
        );
      }
    }),
    { numRuns: 300 },
  );
});
