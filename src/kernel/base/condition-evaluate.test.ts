import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { evaluateCondition } from "./condition-evaluate.ts";
import { parseCondition } from "./condition-parse.ts";

const scope = {
  output: {
    score: 95,
    text: "95",
    status: "approved",
    zero: 0,
    empty: "",
    yes: true,
    no: false,
    spelled: " False ",
    nothing: null,
    tags: ["bug", "ui"],
    mixed: ["1", 2, null],
    empties: [],
    nested: [{}],
    "a name that goes on and on, much longer than anybody would want to read it again": "",
    object: { length: 3, "a-b": { deep: [10, 20] } },
  },
  index: 0,
};

function answer(text: string) {
  return evaluateCondition(parseCondition(text), scope);
}

function expectAll(cases: Record<string, "true" | "false" | "unknown">): void {
  for (const [text, result] of Object.entries(cases))
    assert.equal(answer(text).result, result, text);
}

test("comparisons of one type are answered", () => {
  expectAll({
    "output.score >= 80": "true",
    "output.score < 80": "false",
    "output.score === 95": "true",
    "output.score == 95": "true",
    "output.score != 95": "false",
    "output.status === 'approved'": "true",
    'output.status !== "approved"': "false",
    "output.status < 'b'": "true",
    "output.text > '100'": "true",
    "output.yes === true": "true",
    "output.yes !== output.no": "true",
    "output.tags.length > 1": "true",
    "output.status.length === 8": "true",
    "output.object.length === 3": "true",
    "output.object['a-b'].deep[1] === 20": "true",
    "index === 0": "true",
    "(output.score >= 80) === true": "true",
    "!output.yes === output.no": "true",
  });
});

test("a path alone is false when absent, null, false, zero or empty, and true otherwise", () => {
  expectAll({
    "output.yes": "true",
    "output.no": "false",
    "!output.no": "true",
    "output.zero": "false",
    "output.empty": "false",
    "output.status": "true",
    "output.tags": "true",
    "output.object": "true",
    "output.nothing": "false",
    "!output.nothing": "true",
    "output.absent": "false",
    "!output.absent": "true",
    "absent.deeper.still": "false",
    "output.toString": "false",
    "output.tags.map": "false",
  });
});

test("the record says which values were absent or null and counted as false", () => {
  assert.deepEqual(answer("!output.absent.deep && !output.nothing"), {
    result: "true",
    reason:
      'output.absent.deep is absent (there is no "absent" in output), which counts as false; output.nothing is null, which counts as false',
    evaluated: [
      { path: "output.absent.deep", type: "absent", missing: "output.absent" },
      { path: "output.nothing", type: "null", value: null },
    ],
  });
});

test('the string "false" alone is unknown, since it would count as true', () => {
  assert.deepEqual(answer("output.spelled"), {
    result: "unknown",
    reason: 'output.spelled is the string " False ", not a boolean',
    evaluated: [{ path: "output.spelled", type: "string", value: " False ", length: 7 }],
  });
});

test("operands of different types are unknown, and path and types are named", () => {
  assert.deepEqual(answer("output.text >= 80"), {
    result: "unknown",
    reason: "output.text is a string and 80 is a number",
    evaluated: [{ path: "output.text", type: "string", value: "95", length: 2 }],
  });
  expectAll({
    "output.text === 95": "unknown",
    "output.text !== 95": "unknown",
    "output.yes === 'true'": "unknown",
    "output.nothing >= 1": "unknown",
    "output.nothing === 0": "unknown",
    "output.tags === 'bug'": "unknown",
    "output.yes > output.no": "unknown",
    "output.nothing > null": "unknown",
    "output.tags === output.tags": "unknown",
    "output.object === output.object": "unknown",
  });
});

test("an absent path inside a comparison is unknown", () => {
  assert.deepEqual(answer("output.absent >= 80"), {
    result: "unknown",
    reason: 'output.absent is absent (there is no "absent" in output)',
    evaluated: [{ path: "output.absent", type: "absent", missing: "output.absent" }],
  });
  expectAll({
    "output.absent === null": "unknown",
    "output.absent !== 'x'": "unknown",
    "output.absent in ['x']": "unknown",
    "'x' in output.absent": "unknown",
    "output.score in [output.absent]": "unknown",
    "output.score.length > 1": "unknown",
    "output.constructed === 1": "unknown",
  });
});

test("a written null asks whether a value is null", () => {
  expectAll({
    "output.nothing === null": "true",
    "output.nothing !== null": "false",
    "output.score === null": "false",
    "output.tags !== null": "true",
    "null === output.no": "false",
  });
});

test("in looks into lists, arrays and own field names", () => {
  expectAll({
    "output.status in ['approved', 'merged']": "true",
    "output.status in ['merged']": "false",
    "output.status in []": "false",
    "output.status in ['merged', null]": "false",
    "output.nothing in ['x', null]": "true",
    "output.nothing in ['x']": "unknown",
    "output.text in [95]": "unknown",
    "output.text in ['x', 95]": "unknown",
    "output.text in [95, '95']": "true",
    "'bug' in output.tags": "true",
    "'api' in output.tags": "false",
    "2 in output.mixed": "true",
    "3 in output.mixed": "unknown",
    "1 in output.tags": "unknown",
    "'status' in output": "true",
    "'constructor' in output": "false",
    "'__proto__' in output": "false",
    "'toString' in output.object": "false",
    "1 in output": "unknown",
    "'app' in output.status": "unknown",
    "'x' in output.nothing": "unknown",
  });
});

test("every reason for not knowing names both sides and what they are", () => {
  const long =
    "output['a name that goes on and on, much longer than anybody would want to read it again']";
  const reasons: [string, string][] = [
    ["output.tags === 'bug'", "output.tags is an array and 'bug' is a string"],
    ["output.object === true", "output.object is an object and true is a boolean"],
    ["output.nothing >= 1", "output.nothing is null and 1 is a number"],
    [
      "output.yes > output.no",
      "output.yes and output.no are of type boolean, which > cannot compare",
    ],
    ["output.nothing > null", "output.nothing and null are of type null, which > cannot compare"],
    [
      "output.tags === output.tags",
      "output.tags and output.tags are of type array, which === cannot compare",
    ],
    [
      "output.object !== output.object",
      "output.object and output.object are of type object, which !== cannot compare",
    ],
    [
      "'x' in output.score",
      "output.score is a number: `in` looks for a value in an array or for a field name in an object",
    ],
    [
      "1 in output",
      "output is an object: `in` looks for a value in an array or for a field name in an object",
    ],
    ["1 in output.tags", "1 is a number and output.tags holds a string"],
    [
      "output.object in output.nested",
      "output.object is an object and output.nested holds an object",
    ],
    [
      "output.text in [95, true]",
      "output.text is a string and 95 is a number; output.text is a string and true is a boolean",
    ],
    [
      "output.object in [output.object]",
      "output.object is an object and output.object is an object",
    ],
    ["output.absent in [output.gone]", 'output.absent is absent (there is no "absent" in output)'],
    ["output.gone > output.gone", 'output.gone is absent (there is no "gone" in output)'],
    ["output.gone in output.tags", 'output.gone is absent (there is no "gone" in output)'],
    ["output.score in output.gone", 'output.gone is absent (there is no "gone" in output)'],
    [`${long} > 1`, `${long.slice(0, 79).replaceAll("'", '"')}… is a string and 1 is a number`],
  ];

  for (const [text, reason] of reasons) {
    assert.deepEqual([answer(text).result, answer(text).reason], ["unknown", reason], text);
  }
});

test("a condition of eighty letters is named in full", () => {
  const name = "x".repeat(73);

  const { reason } = evaluateCondition(parseCondition(`output.${name} > 1`), {
    output: { [name]: "" },
  });

  assert.equal(reason, `output.${name} is a string and 1 is a number`);
});

test("the record holds what was looked at, by its type", () => {
  const { evaluated } = answer(
    "(output.yes || output.no) && output.score && output.tags && output.object && output.status && output.nothing",
  );

  assert.deepEqual(evaluated, [
    { path: "output.yes", type: "boolean", value: true },
    { path: "output.score", type: "number", value: 95 },
    { path: "output.tags", type: "array", length: 2 },
    { path: "output.object", type: "object" },
    { path: "output.status", type: "string", value: "approved", length: 8 },
    { path: "output.nothing", type: "null", value: null },
  ]);
});

test("literals alone are as true as they look", () => {
  expectAll({
    true: "true",
    false: "false",
    null: "false",
    "0": "false",
    "2": "true",
    "''": "false",
    "'x'": "true",
  });
});

test("orders of equal values, and of neither smaller nor larger ones", () => {
  expectAll({
    "output.score >= 95": "true",
    "output.score <= 95": "true",
    "output.score > 95": "false",
    "output.score < 95": "false",
    "output.text >= '95'": "true",
    "output.text > '95'": "false",
    "output.nothing in output.mixed": "true",
    "output.object in output.empties": "false",
  });
});

test("unknown passes through unless another operand decides, on either side", () => {
  const unknown = "output.absent > 1";
  expectAll({
    [`output.no && ${unknown}`]: "false",
    [`${unknown} && output.no`]: "false",
    [`output.yes && ${unknown}`]: "unknown",
    [`${unknown} && output.yes`]: "unknown",
    [`output.yes || ${unknown}`]: "true",
    [`${unknown} || output.yes`]: "true",
    [`output.no || ${unknown}`]: "unknown",
    [`!(${unknown})`]: "unknown",
    [`(${unknown}) === true`]: "unknown",
  });
});

test("what decides early ends the looking", () => {
  assert.deepEqual(
    answer("output.no && output.score > 1").evaluated.map(({ path }) => path),
    ["output.no"],
  );
});

test("every reason for not knowing is given, once", () => {
  assert.equal(
    answer("output.text > 1 && output.absent > 1 && output.text > 1").reason,
    'output.text is a string and 1 is a number; output.absent is absent (there is no "absent" in output)',
  );
});

test("an answer that is known, of values that are there, has no reason", () => {
  assert.deepEqual(answer("1 < 2"), { result: "true", evaluated: [] });
  assert.deepEqual(answer("output.no"), {
    result: "false",
    evaluated: [{ path: "output.no", type: "boolean", value: false }],
  });
});

test("the reason for not knowing a part is the reason for not knowing the whole", () => {
  const absent = (name: string) => `output.${name} is absent (there is no "${name}" in output)`;
  const reasons = {
    "(output.absent > 1) === true": absent("absent"),
    "output.absent > output.away": `${absent("absent")}; ${absent("away")}`,
    "output.absent === output.absent": absent("absent"),
    "output.score in [1, output.absent]": absent("absent"),
  };

  for (const [text, reason] of Object.entries(reasons)) {
    assert.equal(answer(text).reason, reason, text);
  }
  const reasonIn = (values: readonly unknown[]) =>
    evaluateCondition(parseCondition("7 in values"), { values }).reason;
  assert.equal(reasonIn(["text", true, null]), "7 is a number and values holds a string");
  assert.equal(reasonIn([null, 7.5, {}, "text"]), "7 is a number and values holds an object");
});

test("what is cut is cut between characters", () => {
  const pair = "\u{1F600}";
  const at = (length: number) => ({ text: "x".repeat(length) + pair });
  const shown = (length: number) =>
    evaluateCondition(parseCondition("text === 'a'"), at(length)).evaluated[0]?.value;

  assert.equal(shown(198), "x".repeat(198) + pair);
  assert.equal(shown(199), `${"x".repeat(199)}\uFFFD`);
  const named = (length: number) => answer(`'${"x".repeat(length)}${pair}zz' > 1`).reason;
  assert.equal(named(74), `'${"x".repeat(74)}${pair}zz' is a string and 1 is a number`);
  assert.equal(named(75), `'${"x".repeat(75)}${pair}z… is a string and 1 is a number`);
  assert.equal(named(77), `'${"x".repeat(77)}\uFFFD… is a string and 1 is a number`);
});

test("long strings are cut in the record, and the record says how long they were", () => {
  const long = { text: "x".repeat(5_000) };

  const [seen] = evaluateCondition(parseCondition("text === 'a'"), long).evaluated;

  assert.deepEqual(seen, { path: "text", type: "string", value: "x".repeat(200), length: 5_000 });
});

type Truth = true | false | undefined;
const values = { t: true, f: false, u: "unknown to a number" } as const;
const operands = { t: "t", f: "f", u: "(u > 1)" } as const;
type Letter = keyof typeof values;
const truthOf: Readonly<Record<Letter, Truth>> = { t: true, f: false, u: undefined };

test("and, or and not follow the three-valued tables", () => {
  const letter = fc.constantFrom<Letter>("t", "f", "u");
  const kleene = {
    "&&": (all: Truth[]) =>
      all.includes(false) ? false : all.includes(undefined) ? undefined : true,
    "||": (all: Truth[]) =>
      all.includes(true) ? true : all.includes(undefined) ? undefined : false,
  };

  fc.assert(
    fc.property(
      fc.constantFrom("&&" as const, "||" as const),
      fc.array(letter, { minLength: 2, maxLength: 6 }),
      fc.boolean(),
      (operator, letters, negated) => {
        const joined = letters.map((each) => operands[each]).join(` ${operator} `);
        const expected = kleene[operator](letters.map((each) => truthOf[each]));
        const wanted = expected === undefined || !negated ? expected : !expected;

        const { result } = evaluateCondition(
          parseCondition(negated ? `!(${joined})` : joined),
          values,
        );

        assert.equal(result, wanted === undefined ? "unknown" : String(wanted));
      },
    ),
  );
});

test("comparing two values of one type agrees with JavaScript", () => {
  const pair = fc.oneof(
    fc.tuple(fc.string(), fc.string()),
    fc.tuple(fc.double({ noNaN: true }), fc.double({ noNaN: true })),
  );

  fc.assert(
    fc.property(pair, ([left, right]) => {
      const ask = (operator: string) =>
        evaluateCondition(parseCondition(`a ${operator} b`), { a: left, b: right }).result;

      assert.deepEqual(
        ["===", "!==", ">=", "<=", ">", "<"].map(ask),
        [
          left === right,
          left !== right,
          left >= right,
          left <= right,
          left > right,
          left < right,
        ].map(String),
      );
    }),
  );
});
