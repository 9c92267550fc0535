import assert from "node:assert/strict";
import { describe, test } from "node:test";
import * as fc from "fast-check";
import type { Json } from "../base/json.ts";
import { type FilledForm, readFields, readForm } from "./answer-form.ts";

const form = readForm(
  "review",
  ["complete", "reject"],
  [
    { name: "severity", type: "choice", required: true, options: ["low", "high"] },
    { name: "score", type: "number", minimum: 0, maximum: 100 },
    {
      name: "risks",
      type: "multiselect",
      options: [
        { value: "a", label: "A" },
        { value: "b", label: "B" },
      ],
    },
    { name: "sure", type: "confirm" },
    { name: "notes", type: "list" },
    { name: "output", type: "json" },
    { name: "why", type: "text", required: true, answers: ["reject"] },
  ],
);

describe("the form of an inbox entry", () => {
  test("reads what a terminal gives as text into the values the fields want", () => {
    const { values: read } = readFields(form, "complete", {
      severity: "high",
      score: "58",
      risks: "a, b",
      sure: "yes",
      notes: "one\ntwo",
      output: '{"x":1}',
    });

    assert.deepEqual(read, {
      severity: "high",
      score: 58,
      risks: ["a", "b"],
      sure: true,
      notes: ["one", "two"],
      output: { x: 1 },
    });
  });

  test("needs its required fields with the first answer, and others with the answers they name", () => {
    assert.deepEqual(namesOf(readFields(form, "complete", {})), ["severity"]);
    assert.deepEqual(namesOf(readFields(form, "reject", {})), ["why"]);
  });

  test("points at every field that is wrong or unknown", () => {
    const wrong = { severity: "huge", score: 101, sure: "perhaps", other: 1 };

    assert.deepEqual(namesOf(readFields(form, "complete", wrong)), [
      "other",
      "severity",
      "score",
      "sure",
    ]);
  });

  test("asks for the limits when a run reached one, whatever the wait says", () => {
    const limits = readForm("limit_reached", ["raise", "cancel_run"], []);

    assert.deepEqual(readFields(limits, "raise", { turns: "500" }).values, { turns: 500 });
    assert.deepEqual(namesOf(readFields(limits, "raise", { turns: "many" })), ["turns"]);
  });

  test("either gives only known fields and names every one it does not know, for any input", () => {
    const names = new Set(form.fields.map(({ name }) => name));
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (given) => {
        const { values, problems } = readFields(form, "complete", given as Record<string, Json>);

        assert.ok(Object.keys(values).every((name) => names.has(name)));
        const unknown = Object.keys(given).filter((name) => !names.has(name));
        assert.ok(unknown.every((name) => problems.some((problem) => problem.name === name)));
      }),
    );
  });
});

function namesOf({ problems }: FilledForm): readonly string[] {
  return problems.map(({ name }) => name);
}
