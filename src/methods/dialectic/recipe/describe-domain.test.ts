/** The documentation of a domain: every stage and step in the seed's template, nothing left unknown. */

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { builtInLibrary } from "../../../../tests/scratch/scratch-kernel.ts";
import { contractOf } from "../running/turn-handler.ts";
import { compileDomain } from "./compile-domain.ts";
import { describeDomain } from "./describe-domain.ts";

for (const key of ["software", "research"]) {
  describe(`the documentation of ${key}`, () => {
    const { domain } = compileDomain(builtInLibrary(), key);
    assert.ok(domain);
    const text = describeDomain(domain, contractOf);

    test("has every stage with its sources, recipe and steps", () => {
      for (const { title, key: stage, name, description, steps } of domain.stages) {
        const own = describeDomain(domain, contractOf, stage);
        assert.ok(text.includes(own.trim()), stage);
        for (const line of [
          `## Stage: ${title} (\`${stage}\`)`,
          "### Sources of Truth",
          `### Recipe: \`${name}\``,
          `- **Recipe Description:** ${description}`,
          `- **Steps Count:** ${steps.length}`,
        ])
          assert.ok(own.split("\n").includes(line), line);
        assert.equal(own.match(/^#### Step \d+: /gm)?.length, steps.length);
      }
      assert.ok(!text.includes("<TBD>"));
    });

    test("gives each step's definition and outputs as JSON in the seed's keys", () => {
      const steps = domain.stages.flatMap((stage) =>
        stage.steps.toSorted((a, b) => a.number - b.number),
      );
      const blocks = [...text.matchAll(/```json\n([^]*?)\n```/g)].map(([, json = ""]) =>
        JSON.parse(json),
      );
      assert.equal(blocks.length, 2 * steps.length);
      for (const [at, step] of steps.entries()) {
        const [definition, outputs] = [blocks[2 * at], blocks[2 * at + 1]];
        assert.deepEqual(
          [definition.name, definition.prompt_type, definition.output_type],
          [step.name, step.promptType, step.outputType],
        );
        assert.equal(definition.granularity_strategy, step.granularity);
        assert.equal(definition.inputs_required.length, step.inputs.length);
        const wanted =
          step.promptType === "Planner" ? ["system_materials", "context_for_documents"] : [];
        for (const field of wanted)
          assert.ok(Object.hasOwn(outputs, field), `${step.key} ${field}`);
        for (const { key: field } of step.shape.fields)
          assert.ok(Object.hasOwn(outputs, field), `${step.key} ${field}`);
      }
    });
  });
}
