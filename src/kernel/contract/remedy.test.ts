import assert from "node:assert/strict";
import { test } from "node:test";
import * as z from "zod";
import { continuationPoint } from "./continuation-point.ts";
import { defineContract } from "./contract.ts";
import { joinContinuation } from "./join-continuation.ts";
import { readReply } from "./read-reply.ts";
import { type Remedy, remedyFor } from "./remedy.ts";

const contract = defineContract({
  name: "plan",
  schema: z.object({
    title: z.string(),
    score: z.number(),
    steps: z.array(z.object({ id: z.string(), cost: z.int() })),
  }),
});

function remedy(text: string, finish: string = "stop"): Remedy {
  const reading = readReply(contract, text, { finish });
  assert.ok(!reading.ok);
  return remedyFor(contract, reading, text);
}

test("no payload: ask again, with the form", () => {
  const { action, prompt } = remedy("I would rather talk about it.");

  assert.equal(action, "ask_again");
  assert.match(prompt, /holds no JSON answer/);
  assert.match(prompt, /Answer with one JSON object/);
});

test("invalid: name the failing fields and only them", () => {
  const { action, prompt } = remedy(
    '{"title":"x","score":"87/100","steps":[{"id":"a","cost":1},{"id":"b","cost":1.5}]}',
  );

  assert.equal(action, "correct_fields");
  assert.deepEqual(
    prompt.split("\n").filter((line) => line.startsWith("- ")),
    [
      '- `score` must be a number, but is the text "87/100".',
      "- `steps[1].cost` must be a whole number, but is the number 1.5.",
    ],
  );
  assert.doesNotMatch(prompt, /steps\[0\]|`title`/);
});

test("truncated: continue from the very place", () => {
  const text = '{"title":"x","score":1,"steps":[{"id":"a","co';

  const { action, prompt } = remedy(text, "max_tokens");

  assert.equal(action, "continue");
  assert.match(prompt, /at `steps\[0\]`/);
  assert.ok(prompt.includes(continuationPoint(text).mark));
});

test("empty: more room and less deliberation, never a lesson in JSON", () => {
  const { action, prompt } = remedy("", "length");

  assert.equal(action, "retry_with_more_output");
  assert.match(prompt, /without long deliberation/);
});

test("cut anywhere, continued as asked, the reply is read as if it had never been cut", () => {
  const value = {
    title: 'Say "go" 🧪',
    score: 12.5,
    steps: [
      { id: "a", cost: 1 },
      { id: "b", cost: 20 },
    ],
  };
  const whole = `\`\`\`json\n${JSON.stringify(value, null, 2)}\n\`\`\``;
  for (let cut = 1; cut < whole.indexOf("\n}") + 2; cut += 1) {
    const soFar = whole.slice(0, cut);
    const first = readReply(contract, soFar, { finish: "length" });
    assert.ok(!first.ok && first.failure === "truncated", `cut at ${cut}`);

    const { prompt } = remedyFor(contract, first, soFar);
    const { text, mark, anchor } = continuationPoint(soFar);
    assert.ok(prompt.includes(mark) && prompt.includes(anchor));
    const joined = joinContinuation(soFar, `${mark}\n${anchor}${whole.slice(text.length)}`);
    const second = readReply(contract, joined.text, { finish: "stop" });

    assert.ok(second.ok);
    assert.deepEqual(second.value, value);
  }
});
