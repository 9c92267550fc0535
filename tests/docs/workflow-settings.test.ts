/** The page on workflows names every setting there is, and none there is not. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import {
  stepConfigSchema,
  workflowConfigSchema,
} from "../../src/methods/pipeline/workflow/step-config.ts";
import { WORKFLOW_DEFAULTS } from "../../src/methods/pipeline/workflow/workflow-definition.ts";

const page = readFileSync(path.join(import.meta.dirname, "../../docs/workflows.md"), "utf8");
const table = page.slice(page.indexOf("| Setting |"), page.indexOf("Of the whole,"));
const whole = /^Of the whole, `%% workflow: \{…\}`: (.*)$/m.exec(page)?.[1] ?? "";

test("every setting of a step is in the table", () => {
  const named = table
    .split("\n")
    .flatMap((row) =>
      [...(row.split("|")[1] ?? "").matchAll(/`(\w+)`/g)].map(([, name]) => String(name)),
    );
  const settings = Object.keys(stepConfigSchema.shape).filter((name) => name !== "type");

  assert.deepEqual(named.toSorted(), settings.toSorted());
  assert.match(table, /`type` is its old name/);
});

test("every setting of the whole is named below it", () => {
  const named = [...whole.matchAll(/`(\w+)`/g)].map(([, name]) => String(name));

  assert.deepEqual(named.toSorted(), Object.keys(workflowConfigSchema.shape).toSorted());
});

test("what holds where nothing is said is what the page says", () => {
  const { maxTasks, maxIterations, maxItems, itemVariable } = WORKFLOW_DEFAULTS;

  assert.match(table, new RegExp(`before it is held \\(${maxIterations}\\)`));
  assert.match(table, new RegExp(`hold the run \\(${maxItems}\\)`));
  assert.ok(table.includes(`is called (\`${itemVariable}\`)`));
  assert.ok(whole.includes(`(${maxTasks.toLocaleString("en-US")} a run)`));
});
