/**
 * The workflows of the library: sound, and every place in every prompt is filled whichever way the step is
 * reached. Outputs are made by the rehearsal model's own hand from the schemas the steps promise.
 */

import assert from "node:assert/strict";
import path from "node:path";
import { describe, test } from "node:test";
import type { Json, JsonObject } from "../../../kernel/base/json.ts";
import { lookUp, parsePath } from "../../../kernel/base/json-path.ts";
import { parseTemplate, renderTemplate } from "../../../kernel/base/template.ts";
import { openLibrary } from "../../../kernel/library/library.ts";
import { createDice } from "../../../kernel/model/rehearsal-dice.ts";
import { planOf } from "../../../kernel/model/rehearsal-plan.ts";
import { subjectOf } from "../../../kernel/model/rehearsal-subject.ts";
import { makeValue } from "../../../kernel/model/rehearsal-value.ts";
import { outputType } from "../work/output-schema.ts";
import { foreachRegions } from "../workflow/foreach-regions.ts";
import type { WorkflowDefinition, WorkflowStep } from "../workflow/workflow-definition.ts";
import { listLibraryWorkflows } from "./library-workflows.ts";

const library = openLibrary({
  layers: [{ name: "built-in", folder: path.join(import.meta.dirname, "../../../../library") }],
});
const ready = listLibraryWorkflows(library);

test("there are four of them", () => {
  assert.deepEqual(
    ready.map(({ ref, name }) => [ref, name]),
    [
      ["library:document-review", "Document review"],
      ["library:pr-review", "PR review"],
      ["library:research", "Research"],
      ["library:translation", "Translation"],
    ],
  );
});

for (const { ref, name, description, definition, problems } of ready) {
  describe(name, () => {
    test("says what it is for and has neither errors nor warnings", () => {
      assert.deepEqual(problems, []);
      assert.ok(description.length > 40 && definition.inputSchema !== undefined);
    });

    test("promises an output for every piece of work", () => {
      const silent = definition.steps.filter(
        (step) => "prompt" in step && step.prompt !== undefined && step.outputSchema === undefined,
      );

      assert.deepEqual(silent, []);
    });

    test("fills every place of every prompt, whichever way a step is reached", () => {
      for (const step of definition.steps) {
        for (const before of tasksBefore(definition, step.id)) {
          for (const text of textsOf(step)) {
            const { missing } = renderTemplate(
              parseTemplate(text),
              scopeOf(definition, step, before),
            );

            assert.deepEqual(missing, [], `${ref} ${step.id} after ${before?.id ?? "the start"}`);
          }
        }
      }
    });

    test("decides on what every task before the decision gives", () => {
      for (const step of definition.steps) {
        if (step.stepType !== "decision") continue;
        const conditions = definition.edges.filter(({ source }) => source === step.id);
        assert.equal(conditions.filter(({ when }) => when === "default").length, 1);
        for (const before of tasksBefore(definition, step.id)) {
          const scope = scopeOf(definition, step, before);
          const fields = step.branches.flatMap(({ text }) => text.match(/output(?:\.\w+)+/g) ?? []);
          for (const field of fields) {
            assert.ok(lookUp(scope, parsePath(field)).found, `${ref} ${step.id}: ${field}`);
          }
        }
      }
    });
  });
}

test("the review of pull requests keeps the ids and ways of the original", () => {
  const review = ready.find(({ ref }) => ref === "library:pr-review");
  const ways = review?.definition.edges.map(({ source, target }) => source + target);

  assert.deepEqual(
    review?.definition.steps.map(({ id }) => id).toSorted(),
    "ABCDEFGHIJK".split(""),
  );
  assert.deepEqual(ways?.toSorted(), [
    "AB",
    "BC",
    "CD",
    "DE",
    "EF",
    "EG",
    "EH",
    "FI",
    "GI",
    "HJ",
    "JA",
    "JK",
  ]);
});

/** The tasks whose output a step may be reached with: decisions pass it on. `undefined` is the start of the run. */
function tasksBefore(
  definition: WorkflowDefinition,
  stepId: string,
  seen: ReadonlySet<string> = new Set(),
): (WorkflowStep | undefined)[] {
  const sources = definition.edges
    .filter(({ target }) => target === stepId)
    .map(({ source }) => source);
  const found = sources.flatMap((id): (WorkflowStep | undefined)[] => {
    const step = definition.steps.find((each) => each.id === id);
    if (step?.stepType !== "decision") return [step];
    return seen.has(id) ? [] : tasksBefore(definition, id, new Set([...seen, id]));
  });
  return definition.steps[0]?.id === stepId ? [undefined, ...found] : found;
}

function scopeOf(
  definition: WorkflowDefinition,
  step: WorkflowStep,
  before: WorkflowStep | undefined,
): JsonObject {
  const input = sample(definition.inputSchema, "input");
  const output = before === undefined ? undefined : outputOf(before);
  const steps = Object.fromEntries(
    dominatorsOf(definition, step.id).map((each) => [each.id, { output: outputOf(each) }]),
  );
  return {
    run: { input },
    input: { ...input, ...output },
    ...(output === undefined ? {} : { output }),
    steps,
    ...itemScope(definition, step),
  };
}

/** Inside a foreach, and for its own prompt, the item has a name. */
function itemScope(definition: WorkflowDefinition, step: WorkflowStep): JsonObject {
  const around = [...foreachRegions(definition)].find(
    ([id, { body }]) => id === step.id || body.has(step.id),
  );
  const foreach = definition.steps.find(({ id }) => id === around?.[0]);
  if (foreach?.stepType !== "foreach") return {};
  const [first] = tasksBefore(definition, foreach.id);
  const items = lookUp({ output: first && outputOf(first) }, foreach.items);
  const [item = null] = items.found && Array.isArray(items.value) ? (items.value as Json[]) : [];
  return { [foreach.itemVariable]: item, item, index: 0, total: 1, parentId: "parent" };
}

/** Steps that every way from the start to this one passes: their outputs are there for certain. */
function dominatorsOf({ steps, edges }: WorkflowDefinition, stepId: string): WorkflowStep[] {
  const start = steps[0]?.id;
  const isReached = (without: string): boolean => {
    const seen = new Set([without]);
    const waiting = start === undefined || start === without ? [] : [start];
    for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
      if (id === stepId) return true;
      if (seen.has(id)) continue;
      seen.add(id);
      waiting.push(...edges.filter(({ source }) => source === id).map(({ target }) => target));
    }
    return false;
  };
  return steps.filter(({ id }) => id !== stepId && !isReached(id));
}

function outputOf(step: WorkflowStep): JsonObject {
  return "outputSchema" in step ? sample(step.outputSchema, step.id) : {};
}

function sample(schema: JsonObject | undefined, seed: string): JsonObject {
  if (schema === undefined) return {};
  const subject = subjectOf([{ role: "user", text: "We move the lease into the lock file." }]);
  const making = { dice: createDice(seed), subject, inventIds: false };
  return outputType(schema).parse(makeValue(planOf(schema), making));
}

function textsOf(step: WorkflowStep): readonly string[] {
  return "prompt" in step && step.prompt !== undefined ? [step.prompt] : [];
}
