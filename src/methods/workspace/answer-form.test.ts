import assert from "node:assert/strict";
import { describe, test } from "node:test";
import * as fc from "fast-check";
import { ProductError } from "../../kernel/base/errors.ts";
import type { Json } from "../../kernel/base/json.ts";
import { problemsOf } from "../../kernel/operation/input-problems.ts";
import { readFields, readForm } from "./answer-form.ts";

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
    const read = readFields(form, "complete", {
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
    assert.deepEqual(
      pointers(() => readFields(form, "complete", {})),
      ["/fields/severity"],
    );
    assert.deepEqual(
      pointers(() => readFields(form, "reject", {})),
      ["/fields/why"],
    );
  });

  test("points at every field that is wrong or unknown", () => {
    const wrong = { severity: "huge", score: 101, sure: "perhaps", other: 1 };

    assert.deepEqual(
      pointers(() => readFields(form, "complete", wrong)),
      ["/fields/other", "/fields/severity", "/fields/score", "/fields/sure"],
    );
  });

  test("asks for the limits when a run reached one, whatever the wait says", () => {
    const limits = readForm("limit_reached", ["raise", "cancel_run"], []);

    assert.deepEqual(readFields(limits, "raise", { turns: "500" }), { turns: 500 });
    assert.deepEqual(
      pointers(() => readFields(limits, "raise", { turns: "many" })),
      ["/fields/turns"],
    );
  });

  test("either gives only known fields or refuses with pointers, for any input", () => {
    const names = new Set(form.fields.map(({ name }) => name));
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (given) => {
        try {
          const read = readFields(form, "complete", given as Record<string, Json>);
          assert.ok(Object.keys(read).every((name) => names.has(name)));
        } catch (error) {
          assert.ok(error instanceof ProductError);
          assert.equal(error.code, "input_invalid");
          assert.ok(problemsOf(error).every(({ pointer }) => pointer.startsWith("/fields/")));
        }
      }),
    );
  });
});

function pointers(act: () => unknown): readonly string[] {
  try {
    act();
  } catch (error) {
    if (error instanceof ProductError) return problemsOf(error).map(({ pointer }) => pointer);
    throw error;
  }
  return [];
}
