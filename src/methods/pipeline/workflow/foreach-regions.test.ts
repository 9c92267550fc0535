import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { anyBlock, grow } from "../routing/random-workflow.suite.ts";
import { foreachRegions, readRegions } from "./foreach-regions.ts";
import { readWorkflow } from "./read-workflow.ts";
import { startSteps } from "./start-steps.ts";

function regionsOf(lines: string): Record<string, string> {
  const regions = foreachRegions(readWorkflow(`graph TD\n${lines}`).definition);
  return Object.fromEntries(
    Array.from(regions, ([id, { body, joinId }]) => [id, `${[...body].join(",")} → ${joinId}`]),
  );
}

describe("a foreach repeats what stands between it and its join", () => {
  test("nothing but its own prompt, or several steps", () => {
    assert.deepEqual(regionsOf("F[[Each]] --> J[Join] --> A[a]"), { F: " → J" });
    assert.deepEqual(
      regionsOf("F[[Each]] --> A[a] --> B{?} -->|x| A\nB -->|default| J[Join] --> C[c]"),
      {
        F: "A,B → J",
      },
    );
  });

  test("with another foreach and its join inside", () => {
    assert.deepEqual(
      regionsOf("F[[Each]] --> A[a] --> G[[Each]] --> B[b] --> J[Join] --> K[Join] --> C[c]"),
      {
        F: "A,G,B,J → K",
        G: "B → J",
      },
    );
  });

  test("with parallel edges and their join inside", () => {
    assert.deepEqual(regionsOf("F[[Each]] --> A[a] --> B[b] & C[c] --> P[Join both] --> J[Join]"), {
      F: "A,B,C,P → J",
    });
    assert.deepEqual(regionsOf("F[[Each]] --> A[a] --> B[b] & C[c] --> J[Join all] --> D[d]"), {
      F: "A,B,C → J",
    });
  });

  test("as far as the join that names it", () => {
    const lines = "F[[Each]] --> A[a] --> B[b] & C[c] --> P[Join] --> D[d] & E[e] --> J[Join]";

    assert.deepEqual(regionsOf(lines), { F: "A,B,C → P" });
    assert.deepEqual(regionsOf(`${lines}\n%% @J: {"awaitTag": "foreach:F"}`), {
      F: "A,B,C,P,D,E → J",
    });
  });

  test("and a third level, but no more than eight", () => {
    const nested = (levels: number) =>
      `${Array.from({ length: levels }, (_, at) => `F${at}[[Each]]`).join(" --> ")} --> ${Array.from({ length: levels }, (_, at) => `J${at}[Join]`).join(" --> ")}`;

    assert.equal(Object.keys(regionsOf(nested(8))).length, 8);
    assert.deepEqual(
      readRegions(readWorkflow(`graph TD\n${nested(9)}`).definition).problems.map(
        ({ code }) => code,
      ),
      ["foreach_too_deep"],
    );
  });
});

test("in any workflow grown from blocks, every foreach finds the join it was grown with", () => {
  fc.assert(
    fc.property(anyBlock, (block) => {
      const { graph } = grow(block);
      const { definition } = graph;

      const { regions, problems } = readRegions(definition);

      assert.deepEqual(problems, []);
      assert.deepEqual(startSteps(definition), [definition.steps[0]?.id]);
      for (const step of definition.steps) {
        if (step.stepType !== "foreach") continue;
        assert.equal(regions.get(step.id)?.joinId, graph.joinOf(step.id).id);
      }
    }),
    { numRuns: 1_000 },
  );
});
