import assert from "node:assert/strict";
import { describe, test } from "node:test";
import * as z from "zod";
import { checkValue } from "./check-value.ts";
import { defineContract } from "./contract.ts";

function check(schema: z.ZodType, value: unknown) {
  return checkValue(defineContract({ name: "x", schema: z.object({ v: schema }) }), { v: value });
}

describe("what is beyond doubt is fitted", () => {
  const fitted: [string, z.ZodType, unknown, unknown][] = [
    ["a number in a text", z.number(), " -1.5e3 ", -1500],
    ["a whole number in a text", z.int(), "12", 12],
    ["a truth value in a text", z.boolean(), "False", false],
    ["a number where text belongs", z.string(), 12, "12"],
    ["one item where a list belongs", z.array(z.string()), "a", ["a"]],
    [
      "a list of one where an object belongs",
      z.object({ a: z.string() }),
      [{ a: "x" }],
      { a: "x" },
    ],
    ["JSON inside a text", z.object({ a: z.number() }), '{"a":"1"}', { a: 1 }],
    ["a choice in another case", z.enum(["in_progress", "done"]), "In progress", "in_progress"],
    ["a choice named alone in prose", z.enum(["low", "high"]), "I would call it low.", "low"],
    [
      "the longer of two choices that overlap",
      z.enum(["success", "partial success"]),
      "a partial success",
      "partial success",
    ],
    ["a number where it may be null", z.number().nullable(), "3", 3],
    [
      "keys in another style, deep down",
      z.object({ nextAction: z.object({ dueDate: z.string() }) }),
      { next_action: { "Due Date": "x" } },
      { nextAction: { dueDate: "x" } },
    ],
    [
      "the branch that the tag names",
      z.discriminatedUnion("k", [
        z.object({ k: z.literal("a"), n: z.number() }),
        z.object({ k: z.literal("b"), n: z.string() }),
      ]),
      { k: "b", n: 5 },
      { k: "b", n: "5" },
    ],
    ["values of a record", z.record(z.string(), z.number()), { a: "1" }, { a: 1 }],
    [
      "null for a field that may be absent",
      z.object({ a: z.string().optional() }),
      { a: null },
      {},
    ],
    ["items of a tuple", z.tuple([z.number(), z.string()]), ["1", 2], [1, "2"]],
  ];
  for (const [name, schema, value, expected] of fitted) {
    test(name, () => {
      const reading = check(schema, value);

      assert.ok(reading.ok, JSON.stringify(reading));
      assert.deepEqual(reading.value, { v: expected });
      assert.equal(reading.loss, "coerced");
    });
  }
});

describe("what is in doubt is refused", () => {
  const doubtful: [string, z.ZodType, unknown][] = [
    ["a fraction", z.number(), "87/100"],
    ["a number with a unit", z.number(), "5 kg"],
    ["a number with separators", z.number(), "1,000"],
    ["a number too long to keep", z.number(), "12345678901234567890"],
    ["half a whole number", z.int(), "1.5"],
    ["yes for true", z.boolean(), "yes"],
    [
      "a list of two where an object belongs",
      z.object({ a: z.string() }),
      [{ a: "x" }, { a: "y" }],
    ],
    ["an empty list where an object belongs", z.object({ a: z.string() }), []],
    ["null for a list", z.array(z.string()), null],
    [
      "an incomplete object for a list",
      z.array(z.object({ a: z.string(), b: z.string() })),
      { a: "x" },
    ],
    ["two choices", z.enum(["low", "high"]), "low or high"],
    ["a denied choice", z.enum(["low", "high"]), "it isn’t low"],
    ["part of a word", z.enum(["low", "high"]), "highly likely"],
    ["a text that may be several items", z.array(z.string()), "a, b"],
    ["a fraction where text belongs", z.string(), 1.5],
    ["something that only begins like JSON", z.object({ a: z.string() }), "{not json"],
    ["an object for a text", z.string(), { text: "x" }],
    [
      "two keys that mean the same field",
      z.object({ dueDate: z.string() }),
      { due_date: "x", "due-date": "y" },
    ],
    [
      "a key that is not known, in a strict object",
      z.strictObject({ a: z.string() }),
      { a: "x", b: 1 },
    ],
  ];
  for (const [name, schema, value] of doubtful) {
    test(name, () => {
      const reading = check(schema, value);

      assert.ok(!reading.ok, JSON.stringify(reading));
      assert.ok(
        reading.problems.every(
          ({ path, message }) => path.startsWith("v") && message.endsWith("."),
        ),
      );
    });
  }
});

test("reserved keys inside lists are left out too", () => {
  const value: unknown = JSON.parse('[{"__proto__":{"x":1},"a":[{"constructor":1}]}]');

  const reading = check(z.array(z.unknown()), value);

  assert.ok(reading.ok);
  assert.deepEqual(reading.value, { v: [{ a: [{}] }] });
});

test("a value nested without bound is refused", () => {
  let deep: unknown = "x";
  for (let i = 0; i < 100; i += 1) deep = [deep];

  const reading = check(z.unknown(), deep);

  assert.ok(!reading.ok);
  assert.equal(reading.problems[0]?.code, "too_deep");
});

test("defaults and transforms of the schema itself are in the ledger", () => {
  const schema = z.object({ list: z.array(z.string()).default([]), name: z.string().trim() });

  const reading = checkValue(defineContract({ name: "x", schema }), { name: " a " });

  assert.ok(reading.ok);
  assert.deepEqual(reading.value, { list: [], name: "a" });
  assert.deepEqual(
    reading.repairs.map(({ path, after }) => [path, after]),
    [
      ["name", "a"],
      ["list", "[]"],
    ],
  );
});

test("problems say what was expected, what came, and name only what fails", () => {
  const schema = z.object({
    a: z.string().min(3),
    b: z.array(z.int()).max(1),
    c: z.enum(["red", "green"]),
    d: z.object({ e: z.boolean() }),
    f: z.iso.date(),
    g: z.union([z.object({ x: z.number() }), z.object({ y: z.number(), z: z.number() })]),
    h: z.record(z.enum(["k"]), z.number()),
    i: z.number().multipleOf(5),
    j: z.string().length(2),
    l: z.number().gt(3),
    m: z.union([z.string(), z.number()]),
    n: z.strictObject({}),
    ok: z.string(),
  });

  const reading = checkValue(defineContract({ name: "x", schema }), {
    a: "x",
    b: [1, 2],
    c: "gren",
    d: {},
    f: "soon",
    g: { y: 1 },
    h: { k: 1, z: 1 },
    i: 7,
    j: "abc",
    l: 3,
    m: [],
    n: { p: 1 },
    ok: "fine",
  });

  assert.ok(!reading.ok);
  assert.deepEqual(
    reading.problems.map(({ message }) => message),
    [
      '`a` must have at least 3 characters, but is the text "x".',
      "`b` must have at most 1 items, but is a list of 2.",
      '`c` must be one of red, green, but is the text "gren". Did you mean green?',
      "`d.e` is missing; it must be true or false.",
      '`f` must be a valid date, but is the text "soon".',
      "`g.x` is missing; it must be a number.",
      "`h.z` is not part of this reply.",
      "`i` breaks a rule: Invalid number: must be a multiple of 5.",
      '`j` must have exactly 2 characters, but is the text "abc".',
      "`l` must be more than 3, but is the number 3.",
      "`m` fits none of the allowed forms; it is a list of 0.",
      "`n.p` is not part of this reply.",
    ],
  );
});
