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

  const odd = readForm(
    "review",
    ["complete"],
    [
      { name: "text" },
      { name: "long", type: "longtext" },
      { name: "strange", type: "something else" },
      { name: "number", type: "number", minimum: 1, maximum: 3 },
      { name: "confirm", type: "confirm" },
      {
        name: "choice",
        type: "choice",
        options: [1, "two", true].map((value) => ({ value, label: "x" })),
      },
      { name: "free", type: "choice" },
      { name: "many", type: "multiselect", options: ["a", "b"] },
      { name: "list", type: "list" },
      { name: "json", type: "json" },
    ],
  );
  const readOne = (name: string, value: Json) => {
    const { values, problems } = readFields(odd, "complete", { [name]: value });
    return problems[0]?.message ?? values[name];
  };

  test("every kind of field takes what it wants and says what it wanted instead", () => {
    const cases: [string, Json, Json | undefined][] = [
      ["text", "x", "x"],
      ["text", 5, "5"],
      ["text", { a: 1 }, "must be text"],
      ["long", ["a"], "must be text"],
      ["strange", false, "false"],
      ["strange", [1], "must be text"],
      ["number", 1, 1],
      ["number", " 3 ", 3],
      ["number", 0.5, "must be at least 1"],
      ["number", "3.5", "must be at most 3"],
      ["number", " ", "must be a number"],
      ["number", "many", "must be a number"],
      ["number", true, "must be a number"],
      ["number", "Infinity", "must be a number"],
      ["confirm", true, true],
      ["confirm", " Yes ", true],
      ["confirm", "y", true],
      ["confirm", "TRUE", true],
      ["confirm", false, false],
      ["confirm", "n", false],
      ["confirm", "no", false],
      ["confirm", "false", false],
      ["confirm", "perhaps", "must be yes or no"],
      ["confirm", 1, "must be yes or no"],
      ["choice", 1, 1],
      ["choice", "1", 1],
      ["choice", "true", true],
      ["choice", "two", "two"],
      ["choice", "three", "must be one of 1, two, true"],
      ["free", "x", "must be one of "],
      ["many", "a,b", ["a", "b"]],
      ["many", ["b"], ["b"]],
      ["many", ["a", "c"], "must be one of a, b"],
      ["list", " one ,two\r\nthree\n\n", ["one", "two", "three"]],
      ["list", ["a, b", 2], ["a, b", "2"]],
      ["list", 7, ["7"]],
      ["list", [["a"]], "must be text"],
      ["json", "[1", "[1"],
      ["json", '{"a":null}', { a: null }],
      ["json", { a: 1 }, { a: 1 }],
      ["json", ["1"], ["1"]],
    ];

    for (const [name, value, wanted] of cases) {
      assert.deepEqual(readOne(name, value), wanted, `${name} ${JSON.stringify(value)}`);
    }
  });

  test("a field of a kind that is not known is one of text, and what it begins with may be anything", () => {
    const types = odd.fields.map(({ type }) => type);
    const { fields } = readForm("review", [], [{ name: "a", initial: { deep: [null] } }]);

    assert.deepEqual(types.slice(0, 3), ["text", "longtext", "text"]);
    assert.deepEqual(fields[0]?.initial, { deep: [null] });
  });

  test("what every object has is nothing that was filled in", () => {
    const named = readForm("review", ["complete"], [{ name: "constructor", required: true }]);

    assert.deepEqual(namesOf(readFields(named, "complete", {})), ["constructor"]);
    assert.deepEqual(readFields(named, "reject", {}), { values: {}, problems: [] });
  });

  test("left out, null and empty are the same, and what is left out is not in the answer", () => {
    for (const empty of [null, ""]) {
      assert.deepEqual(readFields(odd, "complete", { text: empty }), { values: {}, problems: [] });
      assert.deepEqual(readFields(form, "complete", { severity: empty }).problems, [
        { name: "severity", message: 'is needed to answer "complete"' },
      ]);
    }
    assert.deepEqual(readOne("number", 0), "must be at least 1");
  });

  test("who names a field that is not there is told which there are", () => {
    const none = readForm("review", ["complete"], []);
    const told = (of: typeof none) => readFields(of, "complete", { nope: 1 }).problems;

    assert.deepEqual(told(none), [
      { name: "nope", message: "there is no such field; there is none to fill in" },
    ]);
    assert.match(
      told(form)[0]?.message ?? "",
      /there is severity, score, risks, sure, notes, output, why$/,
    );
    assert.deepEqual(readFields(form, "complete", { toString: 1 } as never).problems.length, 2);
  });

  test("the form of a reached limit asks for a new one of each kind", () => {
    const { kind, fields } = readForm("limit_reached", ["raise"], [{ name: "other" }]);
    const help = "Left out, the limit that was reached is doubled.";
    const limit = (name: string, label: string) => ({
      name,
      label,
      type: "number",
      required: false,
      minimum: 1,
      help,
    });

    assert.equal(kind, "limit_reached");
    assert.deepEqual(fields, [
      limit("turns", "New limit of turns"),
      limit("jobs", "New limit of jobs"),
      limit("tokens", "New limit of tokens"),
      limit("costMicroUsd", "New limit of cost in millionths of a dollar"),
      limit("wallMs", "New limit of milliseconds"),
      {
        name: "allowUnknownPrice",
        label: "Use models of unknown price",
        type: "confirm",
        required: false,
        help: "Although there is a money budget.",
      },
    ]);
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
