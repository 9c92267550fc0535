import assert from "node:assert/strict";
import { test } from "node:test";
import { openRig } from "../running/pipeline-rig.suite.ts";
import { seenValues } from "./seen-values.ts";

const SOURCE = `graph TD
  A[Find] --> C[[Each: Work]] --> D[Join All] --> E[Tell]
%% === WORKFLOW_CONFIG ===
%% workflow: { "maxTasks": 20000 }
%% @A: { "prompt": "Find." }
%% @C: { "stepType": "foreach", "itemsPath": "run.input.list", "prompt": "Do {{item}}.", "maxItems": 10000 }
%% @D: { "stepType": "join" }
%% @E: { "prompt": "Tell {{steps.A.output.colour}}." }
%% === END_CONFIG ===
`;

test("what a step said in the newest run is offered to later prompts, however many items came after it", async (t) => {
  const rig = await openRig([
    { step: "A", output: { colour: "teal" } },
    { step: "C", output: { ok: true } },
  ]);
  t.after(() => rig.close());
  const workflowId = await rig.save("Colours", SOURCE);
  const list = Array.from({ length: 450 }, (_, index) => `item ${index}`);
  const runId = await rig.startSaved("Colours", { list });
  await rig.rest(runId);
  assert.equal((await rig.run(runId)).state, "completed");

  const seen = await rig.kernel.store.read(() => seenValues(workflowId, "everything"));

  assert.equal(seen.runId, runId);
  assert.deepEqual(seen.outputs.get("A"), { colour: "teal" });
});
