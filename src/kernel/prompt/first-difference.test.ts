import assert from "node:assert/strict";
import { test } from "node:test";
import { compilePrompt } from "./compile-prompt.ts";
import { firstDifference } from "./first-difference.ts";
import type { Layout, Part } from "./part.ts";

const layout: Layout = {
  layers: [
    { id: "task", role: "user", stability: "turn", heading: "TASK" },
    { id: "rules", role: "system", stability: "fixed" },
    { id: "facts", role: "user", stability: "project", heading: "FACTS", list: "bulleted" },
  ],
};

function compile(task: string, facts: readonly string[]) {
  const part = (id: string, layer: string, order: number, text: string): Part => {
    return { id, layer, order, text, importance: "required" };
  };
  return compilePrompt(layout, [
    part("task", "task", 0, task),
    part("rules", "rules", 0, "Be brief. Größe zählt."),
    ...facts.map((fact, index) => part(fact.split(" ")[0] ?? "", "facts", index, fact)),
  ]);
}

test("equal prompts have no first difference", () => {
  assert.equal(firstDifference(compile("Go", ["a 1"]), compile("Go", ["a 1"])), undefined);
});

test("the first changed byte is named with the part that stands there", () => {
  const before = compile("Go", ["a is one", "b is two"]);
  const after = compile("Go", ["a is one", "b is three"]);

  const difference = firstDifference(before, after);

  assert.deepEqual(difference, {
    message: 1,
    character: "FACTS\n• a is one\n• b is t".length,
    byte: Buffer.byteLength("Be brief. Größe zählt.FACTS\n• a is one\n• b is t"),
    before: { layer: "facts", part: "b" },
    after: { layer: "facts", part: "b" },
  });
});

test("a part that came or went is seen from both sides", () => {
  const before = compile("Go", ["a is one", "b is two"]);
  const after = compile("Go", ["b is two"]);

  const difference = firstDifference(before, after);

  assert.deepEqual(difference?.before, { layer: "facts", part: "a" });
  assert.deepEqual(difference?.after, { layer: "facts", part: "b" });
});

test("text at the end of a prompt has no counterpart in the shorter one", () => {
  const before = compile("Go", ["a is one"]);
  const after = compile("Go on", ["a is one"]);

  const difference = firstDifference(before, after);

  assert.equal(difference?.message, 2);
  assert.equal(difference?.before, undefined);
  assert.deepEqual(difference?.after, { layer: "task", part: "task" });
});

test("a difference in a heading belongs to its layer", () => {
  const other = compilePrompt(
    { layers: layout.layers.map((layer) => ({ ...layer, heading: `# ${layer.id}` })) },
    [{ id: "task", layer: "task", order: 0, text: "Go", importance: "required" }],
  );
  const plain = compilePrompt(layout, [
    { id: "task", layer: "task", order: 0, text: "Go", importance: "required" },
  ]);

  const difference = firstDifference(plain, other);

  assert.deepEqual(difference?.after, { layer: "task" });
});
