import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { ProductError } from "../../kernel/base/errors.ts";
import { problemsOf } from "../../kernel/operation/input-problems.ts";
import { ADMIN, openWorld, type World } from "./workspace-world.suite.ts";

describe("adding models", () => {
  let world: World;
  before(async () => {
    world = await openWorld();
  });
  after(() => world.remove());

  test("takes what its kind needs, and nothing that would be ignored", async () => {
    const wrong: readonly (readonly [object, readonly string[]])[] = [
      [{ kind: "openai-compatible" }, ["/baseUrl"]],
      [{ kind: "anthropic" }, ["/keyVariable"]],
      [{ kind: "command" }, ["/command"]],
      [{ kind: "command", command: "claude", models: ["x"] }, ["/models"]],
      [{ baseUrl: "http://127.0.0.1:9/v1", args: ["-p"] }, ["/args"]],
      [{ baseUrl: "http://127.0.0.1:9/v1", command: "claude" }, ["/command"]],
      [{ kind: "command", command: "x", passVariables: ["PATH=1"] }, ["/passVariables/0"]],
    ];

    for (const [given, pointers] of wrong) {
      const error = await refusal(world.as(ADMIN, "model.add", { name: "new", ...given }));
      assert.equal(error.code, "input_invalid");
      assert.deepEqual(
        problemsOf(error).map(({ pointer }) => pointer),
        pointers,
      );
    }
    assert.equal(world.providers.size, 0);
  });

  test("a command is not added through the server where several people work", async () => {
    const given = { name: "claude", kind: "command", command: "claude", args: ["-p"] };

    const error = await refusal(world.as(ADMIN, "model.add", given));

    assert.deepEqual([error.code, error.kind], ["command_by_file", "not_allowed"]);
    assert.equal(world.providers.size, 0);
  });
});

async function refusal(attempt: Promise<unknown>): Promise<ProductError> {
  try {
    await attempt;
  } catch (error) {
    if (error instanceof ProductError) return error;
    throw error;
  }
  throw new Error("It was not refused.");
}
