import assert from "node:assert/strict";
import { test } from "node:test";
import { layOutView } from "../../kernel/operation/lay-out-view.ts";
import { traceTable } from "./trace-view.ts";

test("a prompt's parts are told with where they came from and why they are in or out", () => {
  const task = { type: "task", id: "01a1f03d-3fd0-7000-8000-000000000000" };
  const trace = {
    ledger: [
      { part: "base", layer: "base", outcome: "in", reason: "required", characters: 4412 },
      {
        part: "step",
        layer: "step",
        outcome: "in",
        reason: "required",
        ref: { type: "step", id: "ask", field: "prompt" },
        characters: 133,
      },
      { part: "facts", layer: "context", outcome: "in", reason: "included", characters: 97 },
      { part: "notes", layer: "context", outcome: "out", reason: "empty" },
    ],
    refs: [
      { ref: { type: "step", id: "ask", field: "prompt" }, part: "step" },
      { ref: { type: "value", id: "run.input.topic" }, part: "step" },
      { ref: { ...task, field: "title" }, part: "facts" },
      { ref: { ...task, field: "summary" }, part: "facts" },
    ],
  };

  assert.equal(
    layOutView(traceTable(trace) ?? ""),
    `     PART            CHARACTERS  FROM                              WHY
in   base                 4,412                                    Required.
in   step                   133  step ask.prompt, run.input.topic  Required.
in   context: facts          97  task 01a1f03d-3fd0-7000           Included.
out  context: notes                                                Has nothing to say.`,
  );
});

test("a trace without a ledger has no table", () => {
  for (const trace of [undefined, null, "kept", {}, { ledger: [] }, { ledger: 1, refs: [] }])
    assert.equal(traceTable(trace), undefined);
});
