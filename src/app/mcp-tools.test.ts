/** What the whole program offers to agents. */

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { encode } from "gpt-tokenizer/encoding/o200k_base";
import { builtInLibrary } from "../../tests/scratch/scratch-kernel.ts";
import { loadOperations } from "../kernel/operation/noun-index.ts";
import { INTENTS } from "../methods/continuity/packet/intents.ts";
import { describePrompt, offeredPrompts } from "../surfaces/mcp/prompts.ts";
import { chooseTools, describeTool } from "../surfaces/mcp/tools.ts";
import { agentInstructions } from "./agent-instructions.ts";
import { listNouns } from "./methods.ts";

const operations = await loadOperations(listNouns(() => ""));
const core = chooseTools(operations, { profile: "core", readOnly: false });
const full = chooseTools(operations, { profile: "full", readOnly: false });

describe("the tools of the program", () => {
  test("the core is small: at most 12 tools in 6,000 tokens", () => {
    const tokens = encode(JSON.stringify(core.map(describeTool))).length;

    assert.ok(core.length <= 12, core.map(({ name }) => name).join(" "));
    assert.ok(tokens <= 6000, `${tokens} tokens`);
  });

  test("the core takes an agent through the loop: find, compile, bring home, do, start, answer, leave a trail", () => {
    const names = core.map(({ name }) => name);

    for (const name of [
      "thinking.search",
      "packet.compile",
      "harvest.read",
      "task.next",
      "task.update",
      "decision.add",
      "workflow.run",
      "run.show",
      "inbox.answer",
      "session.start",
      "session.intent",
      "session.finish",
    ])
      assert.ok(names.includes(name), name);
  });

  test("what destroys says so, what reads says so, and people, tokens and money are nobody's tool", () => {
    for (const operation of full) {
      const { annotations } = describeTool(operation);
      assert.equal(annotations.readOnlyHint, operation.effect === "reads", operation.name);
      assert.equal(annotations.destructiveHint, operation.effect === "destroys", operation.name);
    }
    const barred = full.filter(({ name }) => /^(?:user|token|login|agent)\./.test(name));
    assert.deepEqual(
      barred.filter(({ effect }) => effect !== "reads").map(({ name }) => name),
      [],
    );
  });

  test("names are unique and of letters, digits and underscores only; every field is explained", () => {
    const tools = full.map(describeTool);

    assert.equal(new Set(tools.map(({ name }) => name)).size, tools.length);
    for (const { name } of tools) assert.match(name, /^[a-z][a-z0-9_]{1,63}$/);
    for (const { name, inputSchema } of core.map(describeTool)) {
      const { properties } = inputSchema as unknown as {
        properties: Readonly<Record<string, object>>;
      };
      for (const [field, schema] of Object.entries(properties))
        assert.match(JSON.stringify(schema), /"description"/, `${name}.${field}`);
    }
  });

  test("every intent is a prompt, and what it always says and asks for are fields of its operation", () => {
    const prompts = offeredPrompts(operations, builtInLibrary());

    assert.deepEqual(
      prompts.map(({ prompt }) => prompt.name),
      [...INTENTS],
    );
    for (const offered of prompts) {
      const { arguments: asked } = describePrompt(offered);
      assert.equal(asked.length, offered.prompt.asks.length, offered.prompt.name);
    }
  });

  test("the instructions name only tools that there are in the core", () => {
    const named =
      agentInstructions(builtInLibrary())
        .match(/`[a-z]+_[a-z_]+`/g)
        ?.filter((name) => !/in_progress|on_hold/.test(name)) ?? [];
    const names = new Set(core.map((operation) => `\`${describeTool(operation).name}\``));

    assert.ok(named.length >= 8);
    assert.deepEqual(
      named.filter((name) => !names.has(name)),
      [],
    );
  });
});
