/** What surfaces rely on: names, help, and what a model may be given. */

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { inputFields, toJsonSchema } from "../../kernel/operation/input-fields.ts";
import { loadOperations } from "../../kernel/operation/noun-index.ts";
import { nounOf } from "../../kernel/operation/operation-name.ts";
import { workspaceNouns } from "./workspace-nouns.ts";

const index = workspaceNouns(async () => ({
  migrations: [],
  programs: { versionOf: async () => undefined },
  models: {
    addProvider: async () => undefined,
    removeProvider: async () => false,
    setDefault: async () => undefined,
  },
}));
const operations = await loadOperations(index);

describe("the workspace's operations", () => {
  test("give a model the few tools it needs, and never those over people, tokens, backups and pruning", () => {
    const tools = (mcp: string) =>
      operations.filter(({ surfaces }) => surfaces?.mcp === mcp).map(({ name }) => name);
    const dangerous = operations.filter(
      ({ name, permission }) =>
        permission === "administer" || /^(?:user|token|backup)\.|prune|doctor/.test(name),
    );

    assert.deepEqual(tools("core").toSorted(), [
      "decision.add",
      "inbox.answer",
      "run.show",
      "task.next",
      "task.update",
      "thinking.search",
    ]);
    assert.deepEqual(
      dangerous.filter(({ surfaces }) => surfaces?.mcp !== "none").map(({ name }) => name),
      [],
    );
    assert.ok(operations.every(({ surfaces }) => surfaces?.mcp !== undefined));
  });

  test("explain every field a caller may fill in", () => {
    const unexplained = operations.flatMap(({ name, input }) =>
      inputFields(input)
        .filter(({ description }) => description === undefined)
        .map((field) => `${name} ${field.name}`),
    );

    assert.deepEqual(unexplained, []);
  });

  test("have a summary that is a sentence, and a noun that help knows", () => {
    const nouns = new Set(index.map(({ name }) => name));

    for (const operation of operations) {
      assert.match(operation.summary, /^[A-Z].*\.$/, operation.name);
      assert.ok(nouns.has(nounOf(operation)), operation.name);
    }
    const used = new Set(operations.map(nounOf));
    assert.deepEqual(
      [...nouns].filter((noun) => !used.has(noun)),
      [],
    );
  });

  test("can be described as JSON schema, in and out", () => {
    for (const { name, input, output } of operations) {
      assert.equal(toJsonSchema(input, "input").type, "object", name);
      assert.equal(toJsonSchema(output, "output").type, "object", name);
    }
  });

  test("whatever destroys says so, and whatever takes a version names it the same", () => {
    const destroying = operations
      .filter(({ effect }) => effect === "destroys")
      .map(({ name }) => name);

    assert.deepEqual(
      operations
        .filter(({ name }) => /\.delete$|prune|clear-sample/.test(name))
        .map(({ name }) => name),
      destroying,
    );
    const changing = operations.filter(({ name }) =>
      /\.(?:update|archive|restore|delete)$/.test(name),
    );
    const versioned = changing.filter(
      ({ name, input }) =>
        /^(?:view|artifact)\./.test(name) ||
        inputFields(input).some((field) => field.name === "expectedVersion"),
    );
    assert.deepEqual(versioned, changing);
  });
});
