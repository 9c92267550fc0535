import assert from "node:assert/strict";
import { test } from "node:test";
import { z } from "zod";
import { defineContract } from "../../../src/kernel/contract/contract.ts";
import { readReply } from "../../../src/kernel/contract/read-reply.ts";
import { repairedReply } from "./repaired-reply.ts";

const contract = defineContract({
  name: "list",
  schema: z.strictObject({ words: z.array(z.string()), isDone: z.boolean() }),
});

const repairsOf = (raw: string) => {
  const reading = readReply(contract, raw, { finish: "stop" });
  assert.ok(reading.ok, JSON.stringify(reading));
  return { value: reading.value, repairs: reading.repairs };
};

test("a repaired reply is read without a repair, and as the raw one was", () => {
  for (const raw of [
    '{"words": ["a", "b",], "isDone": true,}',
    "{words: ['a' 'b'], isDone: True}",
    '{"words": ["a", "b"], /* both */ "isDone": true}',
  ]) {
    const { value, repairs } = repairsOf(raw);
    const { text, applied } = repairedReply(raw, repairs);

    assert.ok(applied > 0, raw);
    const again = repairsOf(text);
    assert.deepEqual([again.value, again.repairs], [value, []], text);
  }
});

test("what was only left aside stays, and is not counted", () => {
  const raw = 'Here it is:\n{"words": [], "isDone": false}';
  const { repairs } = repairsOf(raw);

  assert.ok(repairs.length > 0);
  assert.deepEqual(repairedReply(raw, repairs), { text: raw, applied: 0 });
});

test("a repair that does not stand where it says, or is kept in part only, changes nothing", () => {
  const raw = '{"words": [],}';
  const comma = { step: "jsonc", offset: 12, before: ",", after: "", loss: "syntactic" };

  assert.deepEqual(repairedReply(raw, [comma]), { text: '{"words": []}', applied: 1 });
  for (const change of [
    { ...comma, offset: 3 },
    { ...comma, offset: undefined },
    { ...comma, loss: "lossy" },
    { ...comma, after: "x".repeat(201) },
  ])
    assert.deepEqual(repairedReply(raw, [change]), { text: raw, applied: 0 });
});
