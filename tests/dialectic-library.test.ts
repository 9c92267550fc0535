/** What the built-in domains of the dialectic say: whole, consistent, and theirs alone. */

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, test } from "node:test";
import { openLibrary } from "../src/kernel/library/library.ts";
import { parsePrompt } from "../src/kernel/library/parse-prompt.ts";
import { type Field, isIncluded } from "../src/methods/dialectic/recipe/document-file.ts";
import {
  type DomainContent,
  listDomains,
  promptPath,
  readDomain,
} from "../src/methods/dialectic/recipe/read-domain.ts";
import type { InputRule, RecipeStep } from "../src/methods/dialectic/recipe/recipe-file.ts";

const root = path.join(import.meta.dirname, "..");
const library = openLibrary({
  layers: [{ name: "built-in", folder: path.join(root, "library") }],
});
const domains = listDomains(library).map(({ key }) => readDomain(library, key));

interface PlacedStep extends RecipeStep {
  readonly stage: string;
  readonly stageIndex: number;
}

test("there is a domain for software and one that has nothing to do with it", () => {
  assert.deepEqual(
    domains.map(({ domain }) => domain.key),
    ["research", "software"],
  );
});

for (const content of domains) {
  describe(`the domain ${content.domain.key}`, () => {
    const steps = stepsOf(content);
    const key = content.domain.key;

    test("has the five stages", () => {
      assert.deepEqual(content.domain.stages, [
        "thesis",
        "antithesis",
        "synthesis",
        "parenthesis",
        "paralysis",
      ]);
      for (const [index, { value }] of content.recipes.entries()) {
        assert.equal(value.stage, content.domain.stages[index]);
        assert.equal(value.steps[0]?.promptType, "Planner", `${value.name} begins with a plan`);
      }
    });

    test("has a prompt for every step and stage, and none that nothing uses", () => {
      const used = [
        ...content.recipes.map(({ value }) => value.seedTemplate),
        ...steps.map(({ promptTemplate }) => promptTemplate),
      ];
      const there = library
        .list({ kind: "prompts", folder: `dialectic/prompts/${key}` })
        .map((entry) => path.basename(entry.path, ".md"));

      assert.deepEqual(there.toSorted(), [...new Set(used)].toSorted());
      assert.equal(new Set(used).size, used.length, "each has a prompt of its own");
    });

    test("has a shape for every document and header, and none that nothing uses", () => {
      const named = steps.map(({ schema, documentKey }) => schema ?? documentKey);

      assert.deepEqual([...content.documents.keys()].toSorted(), [...new Set(named)].toSorted());
      for (const [name, { value }] of content.documents) assert.equal(value.key, name);
    });

    test("produces every input it asks for, as the type it is asked for", () => {
      const problems = steps.flatMap((step) =>
        step.inputsRequired
          .filter((input) => !isProduced(input, step, content, steps))
          .map((input) => `${step.key}: ${input.type} ${input.stage}/${input.documentKey}`),
      );

      assert.deepEqual(problems, []);
    });

    test("weighs every input exactly once", () => {
      const problems = steps.flatMap((step) =>
        step.inputsRequired
          .filter((input) => rulesFor(step, input) !== 1)
          .map((input) => `${step.key}: ${input.type} ${input.documentKey}`),
      );

      assert.deepEqual(problems, []);
      for (const step of steps) {
        assert.equal(step.inputsRelevance.length, step.inputsRequired.length, step.key);
      }
    });

    test("names a proposal only where there is one, and a reviewer only in pairs", () => {
      const problems = steps.flatMap((step) => {
        const { variables } = parsePrompt(library.read(promptPath(key, step.promptTemplate)));
        return variables
          .filter(({ name }) => name === "proposal" || name === "reviewer")
          .filter(({ name }) => !knows(step, name, steps))
          .map(({ name }) => `${step.key} uses {{${name}}}`);
      });

      assert.deepEqual(problems, []);
    });

    test("plans with headers that carry what every document shares", () => {
      for (const step of steps.filter(({ outputType }) => outputType === "HeaderContext")) {
        const materials = fieldsOf(content, step.schema ?? "").find(
          (field) => field.key === "system_materials",
        );
        assert.ok(materials?.kind === "object", step.key);
        assert.deepEqual(
          materials.fields.slice(0, 3).map((field) => field.key),
          ["agent_notes_to_self", "input_artifacts_summary", "stage_rationale"],
        );
      }
    });

    test("gives no key of a document a second meaning further down", () => {
      const problems = [...content.documents.keys()].flatMap((name) => {
        const top = fieldsOf(content, name);
        const keys = new Set(top.map((field) => field.key));
        assert.equal(keys.size, top.length, `${name} has a key twice`);
        return top.flatMap(below).flatMap((inner) => (keys.has(inner.key) ? [inner.key] : []));
      });

      assert.deepEqual(problems, []);
    });

    test("is told to the engine by its files alone", () => {
      const folder = path.join(root, "src", "methods", "dialectic");
      const names = [
        ...new Set(
          [...steps.map(({ documentKey }) => documentKey), ...content.domain.stages].filter(
            (name) => !name.startsWith("header_context"),
          ),
        ),
      ];
      const known = readdirSync(folder, { recursive: true, encoding: "utf8" })
        .filter((file) => /(?<!\.test|\.suite)\.ts$/.test(file))
        .flatMap((file) => {
          const text = withoutComments(readFileSync(path.join(folder, file), "utf8"));
          return names
            .filter((name) => new RegExp(`["'\`]${name}["'\`]`).test(text))
            .map((name) => `${file}: ${name}`);
        });

      assert.deepEqual(known, []);
    });
  });
}

test("software has the documents it has always had, and a model is asked 33, 104 and 237 times", () => {
  const software = domains.find(({ domain }) => domain.key === "software");
  assert.ok(software);
  const steps = stepsOf(software);

  assert.deepEqual(
    software.recipes.map(({ value }) => [value.name, value.steps.length]),
    [
      ["thesis_v1", 5],
      ["antithesis_v1", 7],
      ["synthesis_v1", 13],
      ["parenthesis_v1", 4],
      ["paralysis_v1", 4],
    ],
  );
  assert.deepEqual(
    [1, 2, 3, 4, 5].map((slots) => turnsOf(steps, slots)),
    [33, 104, 237, 456, 785],
  );
  assert.equal(steps.filter(({ outputType }) => outputType === "RenderedDocument").length, 18);
  assert.equal(steps.filter(({ outputType }) => outputType === "AssembledDocumentJson").length, 9);
});

test("what all domains share has the variables that the engine fills", () => {
  const expected: Readonly<Record<string, readonly string[]>> = {
    planner: [],
    turn: [],
    revise: [],
    continue: ["anchor", "cursor", "document_title", "mark", "missing", "tail"],
    correct: ["document_title", "errors", "missing"],
  };
  for (const [name, variables] of Object.entries(expected)) {
    const prompt = parsePrompt(library.read(`dialectic/prompts/${name}.md`));

    assert.deepEqual(prompt.variables.map((each) => each.name).toSorted(), variables, name);
    assert.equal(prompt.role, name === "planner" || name === "turn" ? "system" : "user");
  }
});

function stepsOf(content: DomainContent): readonly PlacedStep[] {
  return content.recipes.flatMap(({ value }, stageIndex) =>
    value.steps.map((step) => ({ ...step, stage: value.stage, stageIndex })),
  );
}

function isProduced(
  input: InputRule,
  reader: PlacedStep,
  content: DomainContent,
  steps: readonly PlacedStep[],
): boolean {
  if (input.type === "seed_prompt") return input.stage === reader.stage;
  if (input.type === "project_resource") return input.documentKey === "initial_user_prompt";
  if (input.type === "feedback" || input.from === "previous") {
    if (input.required) return false;
  }
  const maker = steps.find(
    ({ stage, documentKey }) => stage === input.stage && documentKey === input.documentKey,
  );
  if (maker === undefined) return false;
  const isEarlier =
    maker.stageIndex < reader.stageIndex ||
    (maker.stage === reader.stage && maker.key !== reader.key);
  if (input.from === "current" && input.type !== "feedback" && !isEarlier) return false;
  switch (input.type) {
    case "document":
      return maker.outputType === "RenderedDocument";
    case "contribution":
      return maker.outputType === "AssembledDocumentJson";
    case "header_context":
      return maker.outputType === "HeaderContext";
    default:
      return content.domain.stages.includes(input.stage);
  }
}

function rulesFor(step: PlacedStep, input: InputRule): number {
  const isFeedback = input.type === "feedback";
  return step.inputsRelevance.filter(
    (rule) =>
      rule.documentKey === input.documentKey &&
      (rule.type === undefined ? !isFeedback : rule.type === input.type) &&
      (rule.stage === undefined || rule.stage === input.stage),
  ).length;
}

/** A review and what is written from its plan is about one proposal; so is what answers reviews. */
function knows(step: PlacedStep, name: string, steps: readonly PlacedStep[]): boolean {
  if (step.granularity === "pairwise_by_origin") return true;
  if (name === "reviewer") return false;
  if (["per_source_document_by_lineage", "per_source_group"].includes(step.granularity))
    return true;
  const header = headerOf(step, steps);
  return (
    step.granularity === "per_source_document" && header !== undefined && knows(header, name, steps)
  );
}

function headerOf(step: PlacedStep, steps: readonly PlacedStep[]): PlacedStep | undefined {
  const input = step.inputsRequired.find(({ type }) => type === "header_context");
  return steps.find(
    ({ stage, documentKey }) => stage === input?.stage && documentKey === input.documentKey,
  );
}

/** Counted from the granularities alone, so that the planner has something to be held against. */
function turnsOf(steps: readonly PlacedStep[], slots: number): number {
  const jobs = (step: PlacedStep): number => {
    switch (step.granularity) {
      case "all_to_one":
      case "per_model":
      case "per_source_group":
        return slots;
      case "per_source_document_by_lineage":
        return slots ** 2;
      case "pairwise_by_origin":
        return slots ** 3;
      default: {
        const header = headerOf(step, steps);
        assert.ok(header, `${step.key} has no source`);
        return jobs(header);
      }
    }
  };
  return steps.reduce((sum, step) => sum + jobs(step), 0);
}

function fieldsOf(content: DomainContent, name: string): readonly Field[] {
  const document = content.documents.get(name);
  assert.ok(document, name);
  return document.value.fields.flatMap((entry) => {
    if (!isIncluded(entry)) return [entry];
    const { include, only, except } = entry;
    return fieldsOf(content, include).filter(
      ({ key }) => (only?.includes(key) ?? true) && !except?.includes(key),
    );
  });
}

function below(field: Field): readonly Field[] {
  return field.kind === "object" || field.kind === "list"
    ? field.fields.flatMap((inner) => [inner, ...below(inner)])
    : [];
}

function withoutComments(source: string): string {
  return source.replaceAll(/\/\*[^]*?\*\/|\/\/.*$/gm, "");
}
