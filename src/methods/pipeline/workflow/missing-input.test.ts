import assert from "node:assert/strict";
import { test } from "node:test";
import { checkWorkflow } from "./check-workflow.ts";
import { missingInput } from "./missing-input.ts";

test("what steps read of an input and it does not have is named once, in drawing order", () => {
  const { definition } = checkWorkflow(`flowchart TD
    plan[Plan] --> each[[Each: Ask]]
    each --> gather[Join Answers]
    gather --> good{Enough?}
    good -->|output.score >= run.input.least| done[Tell]
    good -->|default| plan
%% @plan: { "prompt": "About {{run.input.topic}}, for {{run.input.reader.name}}." }
%% @each: { "itemsPath": "run.input.people", "itemVariable": "person", "prompt": "Ask {{person}} about {{run.input.topic}}." }
%% @done: { "prompt": "Tell {{output.summary}} and {{steps.plan.output.x}}." }
`);
  const input = { reader: null, other: 1 };

  assert.deepEqual(missingInput(definition, {}), ["topic", "reader", "people", "least"]);
  assert.deepEqual(missingInput(definition, input), ["topic", "people", "least"]);
  assert.deepEqual(missingInput(definition, { topic: "", reader: {}, people: [], least: 0 }), []);
});
