/** A task's whole way without an engine: its prompt, the rehearsal model's reply, and what follows. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, test } from "node:test";
import type { Json, JsonObject } from "../../../kernel/base/json.ts";
import { readReply } from "../../../kernel/contract/read-reply.ts";
import { jsonSchemaOf } from "../../../kernel/contract/shape.ts";
import { openLibrary } from "../../../kernel/library/library.ts";
import { prepareAct } from "../../../kernel/model/rehearsal-act.ts";
import {
  parseRehearsalScript,
  type RehearsalScript,
} from "../../../kernel/model/rehearsal-script.ts";
import { readWorkflow } from "../workflow/read-workflow.ts";
import type { WorkStep } from "./task-data.ts";
import { outcomeOf, type TaskOutcome } from "./task-outcome.ts";
import { compileTaskPrompt } from "./task-prompt.ts";
import { taskReplyContract } from "./task-reply.ts";

const library = openLibrary({
  layers: [{ name: "built-in", folder: path.join(import.meta.dirname, "../../../../library") }],
});
const source = readFileSync(
  path.join(import.meta.dirname, "../workflow/fixtures/pr-review.mmd"),
  "utf8",
);
const steps = new Map(readWorkflow(source).definition.steps.map((step) => [step.id, step]));

interface Called {
  readonly item?: string;
  readonly attempt?: number;
  readonly script?: RehearsalScript;
}

function perform(
  id: string,
  scope: JsonObject,
  { item, attempt = 1, script }: Called = {},
): TaskOutcome {
  const step = steps.get(id) as WorkStep;
  const contract = taskReplyContract(step);
  const task = {
    id,
    title: `PR Review: ${step.name}`,
    summary: undefined,
    description: undefined,
    extraPrompt: undefined,
    additionalInfo: undefined,
    tags: [],
  };
  const { turnPrompt, unknownPaths } = compileTaskPrompt({ library, task, step, scope });
  assert.deepEqual(unknownPaths, []);
  for (const { text } of turnPrompt.messages) assert.doesNotMatch(text, /\{\{/);
  const { text: reply } = prepareAct(script === undefined ? {} : { script }, {
    model: "rehearsal",
    messages: turnPrompt.messages,
    outputSchema: jsonSchemaOf(contract),
    syntax: { kind: "sections", sections: contract.sections },
    labels: { step: id, attempt, continuation: 0, ...(item === undefined ? {} : { item }) },
  });
  const reading = readReply(contract, reply, { finish: "stop" });
  assert.ok(reading.ok, reply);
  return outcomeOf(reading.value, { minConfidence: step.minConfidence });
}

function outputOf(outcome: TaskOutcome): JsonObject {
  assert.ok(outcome.kind === "completed", JSON.stringify(outcome));
  return outcome.output;
}

describe("the seed's steps on the rehearsal model", () => {
  const run = { input: { prNumber: 7 } };

  test("complete with the fields that their prompts ask for, each from what came before", () => {
    const details = outputOf(perform("A", { run, input: run.input }));
    assert.deepEqual(Object.keys(details), ["title", "author", "baseBranch", "headBranch"]);

    const input = { ...run.input, ...details };
    const { files } = outputOf(perform("B", { run, input, output: details }));
    assert.ok(Array.isArray(files) && files.length > 0);

    const reviews: Json[] = [];
    for (const [index, file] of (files as Json[]).entries()) {
      const output = { files: files as Json[] };
      const item = { item: file, file, index, total: files.length, parentId: "t0" };
      const scope = { run, input: { ...run.input, ...output }, output, ...item };
      const review = outputOf(perform("C", scope, { item: String(index) }));
      assert.deepEqual(Object.keys(review), ["score", "issues"]);
      reviews.push({ index, output: review });
    }

    const joined = { aggregatedResults: reviews };
    const verdict = outputOf(perform("D", { run, input: joined, output: joined }));
    assert.deepEqual(Object.keys(verdict), ["score", "summary", "criticalIssues", "warnings"]);
    assert.ok(typeof verdict["score"] === "number" && verdict["score"] >= 50);

    for (const id of ["F", "H", "I", "K"]) {
      const scope = { run, input: { ...run.input, ...verdict }, output: verdict };
      assert.deepEqual(Object.keys(outputOf(perform(id, scope))), ["text"]);
    }
  });

  test("say what a script pins, by step, item and attempt", () => {
    const script = parseRehearsalScript(
      JSON.stringify({
        replies: [
          { step: "D", set: { output: { score: 42 } } },
          {
            step: "C",
            item: "1",
            attempt: 1,
            set: { status: "FAILED", nextAction: "CONTINUE", nextActionReason: "Try again." },
          },
          {
            step: "H",
            reply:
              '## Status\nSUCCESS\n\n## Summary\nAsked.\n\n## Output\n{"shouldRetry": true}\n\n## Next Action\nCOMPLETE',
          },
          {
            step: "K",
            set: {
              nextAction: "HOLD",
              questions: [{ id: "q", question: "Really?", type: "confirm" }],
            },
          },
        ],
      }),
    );
    const file = { path: "src/a.ts" };
    const scope = { run, input: run.input, item: file, file, index: 1, total: 2 };

    assert.equal(outputOf(perform("D", scope, { script }))["score"], 42);
    assert.deepEqual(perform("C", scope, { script, item: "1" }), {
      kind: "retry",
      reason: { code: "task_failed", message: "The attempt failed: Try again." },
    });
    outputOf(perform("C", scope, { script, item: "1", attempt: 2 }));
    assert.deepEqual(outputOf(perform("H", scope, { script })), { shouldRetry: true });
    assert.equal(perform("K", scope, { script }).kind, "asked");
  });
});
