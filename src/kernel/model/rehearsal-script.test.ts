import assert from "node:assert/strict";
import { test } from "node:test";
import type { ModelLabels } from "./model-provider.ts";
import { parseRehearsalScript, scriptedBehaviour } from "./rehearsal-script.ts";

const labels = (change: Partial<ModelLabels> = {}): ModelLabels => ({
  step: "ask.answer",
  attempt: 1,
  continuation: 0,
  ...change,
});

test("the first rule that fits the step, item, attempt and continuation counts", () => {
  const script = parseRehearsalScript(`{
    "replies": [
      { "step": "ask.answer", "item": "7", "reply": "seventh" },
      { "step": "ask.*", "attempt": 2, "reply": "second try" },
      { "step": "ask.answer", "continuation": "*", "reply": { "answer": 42 }, "latencyMs": 5 },
      { "step": "*", "reply": "anything" }
    ],
    "default": { "reply": "never reached" }
  }`);
  const replyFor = (change: Partial<ModelLabels>) =>
    scriptedBehaviour(script, labels(change))?.reply;

  assert.equal(replyFor({ item: "7" }), "seventh");
  assert.equal(replyFor({ attempt: 2 }), "second try");
  assert.deepEqual(replyFor({}), { answer: 42 });
  assert.deepEqual(replyFor({ continuation: 3 }), { answer: 42 });
  assert.equal(replyFor({ step: "other" }), "anything");
  assert.equal(replyFor({ step: "other", continuation: 1 }), undefined);
});

test("the default speaks where no rule does", () => {
  const script = parseRehearsalScript(
    '{ "replies": [], "default": { "misbehave": { "kind": "fence" }, "rates": { "cut": 0.2 } } }',
  );

  assert.deepEqual(scriptedBehaviour(script, labels())?.misbehave, { kind: "fence" });
  assert.equal(scriptedBehaviour(script, labels({ continuation: 1 })), undefined);
});

test("a syntax error names line and column", () => {
  assert.throws(
    () => parseRehearsalScript('{\n  "replies": [\n    { "step": "a" "reply": 1 }\n  ]\n}'),
    {
      code: "rehearsal_script_invalid",
      message: /no JSON: comma expected \(line 3, column 19\)/,
    },
  );
  assert.throws(() => parseRehearsalScript('{"replies": [] /* none */}'), { message: /column 16/ });
  assert.throws(() => parseRehearsalScript('{"replies": [],}'), {
    code: "rehearsal_script_invalid",
  });
  assert.throws(() => parseRehearsalScript(""), { code: "rehearsal_script_invalid" });
});

test("a rule that makes no sense is pointed at", () => {
  const wrong = (text: string, message: RegExp) =>
    assert.throws(() => parseRehearsalScript(text), { code: "rehearsal_script_invalid", message });

  wrong('{\n "replies": [\n  { "attempt": 0 }\n ]\n}', /replies\.0\.attempt.*line 3, column 16/);
  wrong('{"replies": [{"misbehave": {"kind": "explode"}}]}', /replies\.0\.misbehave.*column 37/);
  wrong('{"replies": [{"stepp": "x"}]}', /stepp.*column 14/);
  wrong('{"default": {"rates": {"cut": 0.7, "fence": 0.6}}}', /default\.rates.*exceed 1/);
  wrong("[]", /column 1/);
});
