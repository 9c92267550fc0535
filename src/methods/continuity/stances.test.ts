/** The two stances: one opens what leaves for another tool, the other steers our own calls. */

import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { parsePrompt } from "../../kernel/library/parse-prompt.ts";
import { compileDigest } from "./digest/digest-prompt.ts";
import { distillContract } from "./distill/distill-contract.ts";
import { compileDistill } from "./distill/distill-prompt.ts";
import { compilePacket } from "./packet/compile-packet.ts";
import { anyMaterial } from "./packet/material-arbitraries.suite.ts";
import { library, NOW, optionsFor } from "./packet/packet-world.suite.ts";

const stanceOf = (name: string): string =>
  parsePrompt(library.read(`continuity/prompts/${name}.md`)).body.trim();
const THINKING = stanceOf("thinking-stance");
const CONSTRAINTS = stanceOf("constraints");

test("the thinking stance opens our own calls over a project's thinking", () => {
  const distilled = compileDistill(library, distillContract(["m1"]), {
    title: "Tides",
    conversationId: "c",
    messages: [],
    part: { number: 1, of: 1 },
    passages: [],
  });
  const digested = compileDigest(library, {
    projectId: "p",
    projectName: "Tidepool",
    period: { since: NOW - 86_400_000, until: NOW },
    facts: [],
    passages: [],
  });

  for (const { text } of [distilled, digested]) {
    assert.ok(text.startsWith(THINKING), text.slice(0, 100));
    assert.ok(!text.includes(CONSTRAINTS));
  }
});

test("the constraints open task and decision packets; no project packet holds them, and no packet the thinking stance", () => {
  const opened = { project: 0, task: 0, decision: 0 };
  fc.assert(
    fc.property(anyMaterial, (material) => {
      const { prompt } = compilePacket(
        material,
        optionsFor({ intent: "generate_next_actions" }, 40_000),
      );

      assert.equal(prompt.text.startsWith(CONSTRAINTS), material.origin !== "project");
      assert.equal(prompt.text.includes(CONSTRAINTS), material.origin !== "project");
      assert.ok(!prompt.text.includes(THINKING));
      opened[material.origin] += 1;
    }),
    { numRuns: 60 },
  );
  assert.ok(Math.min(...Object.values(opened)) > 0, JSON.stringify(opened));
});
