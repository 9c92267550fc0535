/** What is wrong with an input is said by code and place, and nothing is written: over every operation. */

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { ProductError } from "../../kernel/base/errors.ts";
import { inputFields } from "../../kernel/operation/input-fields.ts";
import { problemsOf } from "../../kernel/operation/input-problems.ts";
import { ADMIN, openWorld, type World } from "./workspace-world.suite.ts";

describe("bad input", () => {
  let world: World;
  before(async () => {
    world = await openWorld();
  });
  after(() => world.remove());

  test("a missing field is named by every operation that needs it", async () => {
    const eventsBefore = await world.events();
    let tried = 0;
    for (const { name, input } of world.registry.operations) {
      const needed = inputFields(input).filter(({ isRequired }) => isRequired);
      if (needed.length === 0) continue;
      const { code, pointers } = await refusal(name, {});
      tried += 1;

      assert.equal(code, "input_invalid", name);
      assert.deepEqual(
        pointers.toSorted(),
        needed.map((field) => `/${field.name}`).toSorted(),
        name,
      );
    }

    assert.ok(tried >= 60, `${tried} operations have required fields`);
    assert.equal(await world.events(), eventsBefore);
  });

  test("a field nobody knows is refused by every operation", async () => {
    const eventsBefore = await world.events();
    for (const { name } of world.registry.operations) {
      const { code, pointers } = await refusal(name, { nonsense: 1 });

      assert.equal(code, "input_invalid", name);
      assert.ok(pointers.includes("/nonsense"), name);
    }
    assert.equal(await world.events(), eventsBefore);
  });

  test("every kind of field refuses a value of another kind at its place", async () => {
    const eventsBefore = await world.events();
    for (const { name, input } of world.registry.operations) {
      for (const field of inputFields(input).filter(({ kind }) => kind !== "json")) {
        const wrong = field.kind === "string" || field.isList ? 12.5 : "certainly not";
        const { code, pointers } = await refusal(name, { [field.name]: wrong });

        assert.equal(code, "input_invalid", `${name} ${field.name}`);
        assert.ok(
          pointers.some((pointer) => pointer.startsWith(`/${field.name}`)),
          `${name} ${field.name}`,
        );
      }
    }
    assert.equal(await world.events(), eventsBefore);
  });

  test("a page has at most 200 items, everywhere", async () => {
    const lists = world.registry.operations.filter(({ input }) =>
      inputFields(input).some((field) => field.name === "limit" && field.kind === "number"),
    );
    for (const { name } of lists) {
      const { pointers } = await refusal(name, { limit: 201 });

      assert.ok(pointers.includes("/limit"), name);
    }
    assert.ok(lists.length >= 12, `${lists.length} lists`);
  });

  test("a cursor from somewhere else is refused, not ignored", async () => {
    for (const name of [
      "task.list",
      "project.list",
      "run.list",
      "event.list",
      "inbox.list",
      "user.list",
    ]) {
      assert.equal((await refusal(name, { cursor: "elsewhere" })).code, "cursor_invalid", name);
    }
  });

  async function refusal(name: string, input: unknown) {
    try {
      await world.as(ADMIN, name, input);
    } catch (error) {
      if (!(error instanceof ProductError)) throw error;
      return { code: error.code, pointers: problemsOf(error).map(({ pointer }) => pointer) };
    }
    assert.fail(`${name} accepted ${JSON.stringify(input)}`);
  }
});
