import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "../../../kernel/base/json.ts";
import { openRig } from "./pipeline-rig.suite.ts";

const MANY = `graph TD
  C[[Each: Work]] --> D[Join All]
%% === WORKFLOW_CONFIG ===
%% workflow: { "maxTasks": 20000 }
%% @C: { "stepType": "foreach", "itemsPath": "run.input.list", "prompt": "Do {{item}}.", "maxItems": 10000 }
%% @D: { "stepType": "join" }
%% === END_CONFIG ===
`;

test("a workflow that raises its limits runs 10,000 items, each once, in their order, and none is told of the others", async (t) => {
  const rig = await openRig([{ step: "C", output: { ok: true } }]);
  t.after(() => rig.close());
  const list = Array.from({ length: 10_000 }, (_, index) => `item ${index}`);
  const begun = performance.now();
  const before = process.cpuUsage();
  const runId = await rig.play(MANY, { list });
  const { user, system } = process.cpuUsage(before);
  const seconds = ((performance.now() - begun) / 1000).toFixed(1);
  const each = ((user + system) / 1000 / list.length).toFixed(2);
  const megabytes = Math.round(process.memoryUsage().rss / 1e6);
  t.diagnostic(`10,000 items: ${seconds} s, ${each} ms of processor each, ${megabytes} MB`);

  assert.equal((await rig.run(runId)).state, "completed");
  const { aggregatedResults, counts } = (await rig.task(runId, "D")).output as JsonObject;
  const results = aggregatedResults as { index: number; status: string }[];
  assert.equal((counts as JsonObject)["completed"], 10_000);
  assert(results.every(({ index, status }, place) => index === place && status === "completed"));
  const prompts = await rig.prompts(runId);
  assert.equal(prompts.length, 10_000);
  assert(Math.max(...prompts.map(({ text }) => text.length)) < 5_000);
  assert(megabytes < 900, "memory does not grow with the items");
});
