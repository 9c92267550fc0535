import assert from "node:assert/strict";
import { describe, test } from "node:test";
import * as fc from "fast-check";
import type { Json, JsonObject } from "../../../kernel/base/json.ts";
import { checkValue } from "../../../kernel/contract/check-value.ts";
import { defineContract } from "../../../kernel/contract/contract.ts";
import { shapeOfSchema } from "../../../kernel/contract/shape.ts";
import { formOfShape } from "../../../kernel/contract/skeleton.ts";
import { checkOutputSchema, outputType } from "./output-schema.ts";

const field = (schema: Json): JsonObject => ({
  type: "object",
  properties: { value: schema },
  required: ["value"],
});
const accepts = (schema: Json, value: Json) =>
  outputType(field(schema)).safeParse({ value }).success;

describe("an output schema holds values to", () => {
  const cases: readonly [name: string, schema: Json, good: Json[], bad: Json[]][] = [
    ["types", { type: "integer" }, [3, 3.0, -1], [3.5, "3", null, true, [3]]],
    ["several types", { type: ["string", "null"], minLength: 2 }, ["ab", null], ["a", 1, {}]],
    ["implied types", { properties: { a: { minimum: 2 } } }, [{ a: 2 }, {}], [{ a: 1 }, "x", []]],
    ["choices", { enum: ["low", 3, null] }, ["low", 3, null], ["LOW", 4, false]],
    ["constants", { const: null }, [null], [0, "", false]],
    ["bounds", { type: "number", minimum: 0, exclusiveMaximum: 1 }, [0, 0.99], [-0.1, 1]],
    ["multiples", { multipleOf: 0.01 }, [0.29, 3], [0.295]],
    ["lengths in characters", { minLength: 2, maxLength: 2 }, ["ab", "👍🏽"], ["👍", "abc"]],
    ["dates", { type: "string", format: "date" }, ["2024-02-29"], ["2023-02-29", "today"]],
    ["times", { format: "time" }, ["10:20:30", "10:20:30+02:00"], ["25:00:00", "10:20"]],
    ["ids", { format: "uuid" }, ["0198c0de-0000-7000-8000-000000000001"], ["0198c0de"]],
    ["addresses", { format: "uri" }, ["https://example.org/a?b#c"], ["example org"]],
    ["items", { items: { type: "string" }, minItems: 1, maxItems: 2 }, [["a"]], [[], [1], "a"]],
    ["distinct items", { uniqueItems: true }, [[1, "1", { a: 1, b: 2 }]], [[{ a: 1 }, { a: 1 }]]],
    [
      "required fields that are not described",
      { type: "object", required: ["a"] },
      [{ a: null }, { a: 1, b: 2 }],
      [{}, { b: 1 }],
    ],
    [
      "no other fields",
      { properties: { a: true }, additionalProperties: false },
      [{}, { a: [] }],
      [{ b: 1 }],
    ],
    [
      "other fields of one kind",
      { additionalProperties: { type: "number" } },
      [{ a: 1 }],
      [{ a: "x" }],
    ],
    [
      "numbers of fields",
      { minProperties: 1, maxProperties: 2 },
      [{ a: 1 }],
      [{}, { a: 1, b: 1, c: 1 }],
    ],
    ["any of several forms", { anyOf: [{ type: "string" }, { minimum: 5 }] }, ["x", 5], [4, null]],
    ["exactly one form", { oneOf: [{ minimum: 0 }, { maximum: 10 }] }, [-1, 11], [5, "x"]],
    [
      "all of several",
      { properties: { a: { type: "string" } }, allOf: [{ required: ["a"] }, { required: ["b"] }] },
      [{ a: "x", b: 1 }],
      [{ a: "x" }, { a: 1, b: 1 }],
    ],
    ["nothing in particular", {}, [1, null, { a: [] }], []],
    ["what may not be there", { properties: { a: false } }, [{}, { b: 1 }], [{ a: 1 }]],
  ];
  for (const [name, schema, good, bad] of cases) {
    test(name, () => {
      assert.deepEqual(checkOutputSchema(field(schema)), []);
      for (const value of good) assert.ok(accepts(schema, value), JSON.stringify(value));
      for (const value of bad) assert.ok(!accepts(schema, value), JSON.stringify(value));
    });
  }

  test("its own references, also where they lead back inside", () => {
    const tree: JsonObject = {
      type: "object",
      properties: { root: { $ref: "#/$defs/node" } },
      required: ["root"],
      $defs: {
        node: {
          type: "object",
          properties: { name: { type: "string" }, kids: { items: { $ref: "#/$defs/node" } } },
          required: ["name"],
        },
      },
    };
    const type = outputType(tree);

    assert.deepEqual(checkOutputSchema(tree), []);
    assert.ok(type.safeParse({ root: { name: "a", kids: [{ name: "b", kids: [] }] } }).success);
    assert.ok(!type.safeParse({ root: { name: "a", kids: [{ kids: [] }] } }).success);
    assert.match(formOfShape(shapeOfSchema(type)), /"name": "<name here>"/);
  });
});

test("a default is shown and never put in place of what is missing", () => {
  const type = outputType(field({ type: "string", default: "none" }));

  assert.ok(!type.safeParse({}).success);
  assert.deepEqual(shapeOfSchema(type).properties?.["value"], { type: "string", default: "none" });
});

describe("what a schema cannot mean is a problem when it is saved", () => {
  const problems = (schema: JsonObject) =>
    checkOutputSchema(schema).map(({ message, hint }) => [message, hint]);

  test("keywords that are not supported, each with what to write instead", () => {
    const schema = field({
      type: "string",
      pattern: "^a+$",
      maxlength: 4,
      nullable: true,
      "x-note": "for people",
    });

    assert.deepEqual(problems(schema), [
      [
        "`properties.value.pattern` is not supported here.",
        'Use "enum", "format" or lengths, or say it in "description": a regular expression can be made to run for ever.',
      ],
      ["`properties.value.maxlength` is not supported here.", 'Did you mean "maxLength"?'],
      [
        "`properties.value.nullable` is not supported here.",
        'Add "null" to the type: ["string", "null"].',
      ],
    ]);
    for (const keyword of [
      "not",
      "if",
      "patternProperties",
      "prefixItems",
      "contains",
      "$anchor",
    ]) {
      assert.equal(checkOutputSchema(field({ [keyword]: {} })).length, 1, keyword);
    }
  });

  const wrong: readonly [string, JsonObject, RegExp][] = [
    ["a root that is no object", { type: "array", items: {} }, /does not describe an object/],
    ["an empty root", {}, /does not describe an object/],
    ["a branch that is no object", { anyOf: [{ type: "object" }, { type: "null" }] }, /object/],
    ["an unknown type", field({ type: "text" }), /`properties\.value\.type` names no type/],
    ["keywords of another type", field({ type: "string", maxItems: 3 }), /nothing about string/],
    ["two types at once", field({ minLength: 1, minimum: 1 }), /speaks of string and number/],
    ["an unknown format", field({ format: "phone" }), /format` is not known: "phone"/],
    ["a bound that is true", field({ type: "number", exclusiveMinimum: true }), /must be a number/],
    ["a length below nothing", field({ type: "string", minLength: -1 }), /whole number from 0/],
    ["choices that are objects", field({ enum: [{ a: 1 }] }), /must list plain values/],
    ["choices of another type", field({ type: "string", enum: ["a", 1] }), /lists 1, which is not/],
    ["rules beside a reference", field({ $ref: "#", minLength: 1 }), /cannot stand beside "\$ref"/],
    [
      "rules beside branches",
      field({ anyOf: [{}], properties: {} }),
      /cannot stand beside "anyOf"/,
    ],
    ["a reference outside", field({ $ref: "https://example.org/s.json" }), /leads nowhere/],
    ["a reference to nothing", field({ $ref: "#/$defs/none" }), /leads nowhere/],
    ["a schema that is no schema", field("string"), /is no schema/],
    ["a list of names that is none", { type: "object", required: "a" }, /must list names/],
    ["a reserved name", { type: "object", required: ["constructor"] }, /no field may have/],
  ];
  for (const [name, schema, message] of wrong) {
    test(name, () => {
      const [problem] = checkOutputSchema(schema);

      assert.match(problem?.message ?? "", message);
      assert.throws(() => outputType(schema), { code: "output_schema_invalid" });
    });
  }

  test("references that only lead to each other", () => {
    const round = {
      ...field({ $ref: "#/$defs/a" }),
      $defs: { a: { $ref: "#/$defs/b" }, b: { anyOf: [{ $ref: "#/$defs/a" }] } },
    };

    assert.match(checkOutputSchema(round)[0]?.message ?? "", /leads back to itself/);
  });

  test("an unused definition, since it may be used tomorrow", () => {
    const schema = { type: "object", $defs: { later: { pattern: "x" } } };

    assert.deepEqual(
      checkOutputSchema(schema).map(({ path }) => path),
      ["$defs.later.pattern"],
    );
  });
});

test("what is wrong with an output is said so that a model can put it right", () => {
  const schema: JsonObject = {
    type: "object",
    properties: {
      score: { type: "number", maximum: 100 },
      issues: {
        items: { properties: { line: { type: "integer" } }, required: ["line"] },
        uniqueItems: true,
      },
    },
    required: ["score", "issues"],
    minProperties: 3,
  };
  const contract = defineContract({ name: "output", schema: outputType(schema) });
  const messages = (value: Json) => {
    const reading = checkValue(contract, value);
    return reading.ok ? [] : reading.problems.map(({ message }) => message);
  };

  assert.deepEqual(messages({ score: 101, issues: [{ line: "top" }], more: 1 }), [
    "`score` must be at most 100, but is the number 101.",
    '`issues[0].line` must be a number, but is the text "top".',
  ]);
  assert.deepEqual(messages({ score: "87", issues: [{ line: 1 }, { line: 1 }], more: 1 }), [
    "`issues` breaks a rule: its items must differ, and item 2 says the same as item 1.",
  ]);
  assert.deepEqual(messages({ score: 1, issues: [] }), [
    "The reply breaks a rule: it must have at least 3 fields, but has 2.",
  ]);
});

test("no text takes long to be found unfit for a format", () => {
  const hostile = [
    "a".repeat(200_000),
    "a.".repeat(100_000),
    `${"a".repeat(100_000)}@${"a-".repeat(50_000)}`,
    "1:".repeat(100_000),
    "P".repeat(200_000),
    "0".repeat(200_000),
  ];
  const started = performance.now();

  for (const format of [
    "date-time",
    "date",
    "time",
    "duration",
    "email",
    "uri",
    "uuid",
    "hostname",
    "ipv4",
    "ipv6",
  ]) {
    for (const text of hostile) accepts({ type: "string", format }, text);
  }

  assert.ok(performance.now() - started < 2_000);
});

describe("against a reading of the standard, keyword by keyword", () => {
  test("the verdict is the same for any schema and any value", () => {
    fc.assert(
      fc.property(schemas, fc.array(values, { minLength: 1, maxLength: 6 }), (schema, samples) => {
        fc.pre(checkOutputSchema(field(schema)).length === 0);

        for (const value of samples) {
          assert.equal(
            accepts(schema, value),
            holds(schema, value),
            JSON.stringify({ schema, value }),
          );
        }
      }),
      { numRuns: 2_000 },
    );
  });
});

const values: fc.Arbitrary<Json> = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    fc.constantFrom<Json>(null, true, false, 0, 1, 2, 2.5, -1, "", "a", "ab", "👍"),
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom("a", "b", "c"), tie("value"), { maxKeys: 3 }),
  ),
})).value;

const small = fc.integer({ min: 0, max: 3 });
const schemas: fc.Arbitrary<Json> = fc.letrec<{ schema: Json }>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    fc.boolean(),
    some(
      {
        type: fc.constantFrom<Json>("string", ["string", "null"]),
        minLength: small,
        maxLength: small,
      },
      ["type"],
    ),
    some(
      {
        type: fc.constantFrom<Json>("number", "integer"),
        minimum: small,
        maximum: small,
        exclusiveMinimum: small,
        exclusiveMaximum: small,
        multipleOf: fc.constantFrom(1, 2, 0.5),
      },
      ["type"],
    ),
    some({ enum: fc.uniqueArray(fc.constantFrom<Json>("a", 1, true, null), { minLength: 1 }) }, [
      "enum",
    ]),
    some({ const: fc.constantFrom<Json>("a", 1, null) }, ["const"]),
    some(
      {
        type: fc.constant("array"),
        items: tie("schema"),
        minItems: small,
        maxItems: small,
        uniqueItems: fc.boolean(),
      },
      ["type"],
    ),
    some(
      {
        type: fc.constantFrom<Json>("object", ["object", "boolean"]),
        properties: fc.dictionary(fc.constantFrom("a", "b"), tie("schema"), { maxKeys: 2 }),
        required: fc.uniqueArray(fc.constantFrom("a", "b", "c"), { maxLength: 2 }),
        additionalProperties: tie("schema"),
        minProperties: small,
        maxProperties: small,
      },
      ["type"],
    ),
    some({ anyOf: fc.array(tie("schema"), { minLength: 1, maxLength: 3 }) }, ["anyOf"]),
    some({ oneOf: fc.array(tie("schema"), { minLength: 1, maxLength: 3 }) }, ["oneOf"]),
    some(
      {
        allOf: fc.array(tie("schema"), { minLength: 1, maxLength: 2 }),
        type: fc.constant("object"),
      },
      ["allOf"],
    ),
  ),
})).schema;

function some(
  model: Record<string, fc.Arbitrary<Json>>,
  requiredKeys: string[],
): fc.Arbitrary<Json> {
  return fc.record(model, { requiredKeys }) as fc.Arbitrary<Json>;
}

/** JSON Schema as its standard reads, over the keywords that the schemas above use. */
function holds(schema: Json, value: Json): boolean {
  if (typeof schema === "boolean") return schema;
  const { type, ...rules } = schema as JsonObject;
  const is = (name: string) =>
    name === "integer"
      ? Number.isInteger(value)
      : name === (value === null ? "null" : Array.isArray(value) ? "array" : typeof value);
  if (type !== undefined && ![type].flat().some((name) => typeof name === "string" && is(name)))
    return false;
  return Object.entries(rules).every(([keyword, rule]) => holdsRule(keyword, rule, value, rules));
}

function holdsRule(keyword: string, rule: Json, value: Json, beside: JsonObject): boolean {
  const bound = typeof rule === "number" ? rule : Number.NaN;
  const list = (Array.isArray(rule) ? rule : []) as Json[];
  const number = typeof value === "number" ? value : undefined;
  const length = typeof value === "string" ? Array.from(value).length : undefined;
  const items = Array.isArray(value) ? (value as Json[]) : undefined;
  const members =
    typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as JsonObject)
      : undefined;
  switch (keyword) {
    case "enum":
      return list.includes(value);
    case "const":
      return value === rule;
    case "minimum":
      return number === undefined || number >= bound;
    case "maximum":
      return number === undefined || number <= bound;
    case "exclusiveMinimum":
      return number === undefined || number > bound;
    case "exclusiveMaximum":
      return number === undefined || number < bound;
    case "multipleOf":
      return number === undefined || Number.isInteger(number / bound);
    case "minLength":
      return length === undefined || length >= bound;
    case "maxLength":
      return length === undefined || length <= bound;
    case "items":
      return items === undefined || items.every((item) => holds(rule, item));
    case "minItems":
      return items === undefined || items.length >= bound;
    case "maxItems":
      return items === undefined || items.length <= bound;
    case "uniqueItems":
      return (
        items === undefined || rule !== true || new Set(items.map(sorted)).size === items.length
      );
    case "properties":
      return Object.entries(rule as JsonObject).every(
        ([name, field]) =>
          members === undefined || !(name in members) || holds(field, members[name] ?? null),
      );
    case "required":
      return members === undefined || list.every((name) => Object.hasOwn(members, name as string));
    case "additionalProperties":
      return Object.entries(members ?? {}).every(
        ([name, member]) =>
          name in ((beside["properties"] ?? {}) as JsonObject) || holds(rule, member),
      );
    case "minProperties":
      return members === undefined || Object.keys(members).length >= bound;
    case "maxProperties":
      return members === undefined || Object.keys(members).length <= bound;
    case "anyOf":
      return list.some((branch) => holds(branch, value));
    case "oneOf":
      return list.filter((branch) => holds(branch, value)).length === 1;
    case "allOf":
      return list.every((branch) => holds(branch, value));
    default:
      throw new Error(`The test does not know "${keyword}".`);
  }
}

function sorted(value: Json): string {
  return JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === "object" && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}
