import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { ProductError } from "./errors.ts";
import { findJsonFault } from "./json-fault.ts";
import { isReservedName } from "./json-path.ts";
import { JSON_LIMITS, parseJson } from "./safe-json.ts";

const unbounded = { maxDepth: Infinity, maxNodes: Infinity };

function refusal(text: string, limits?: Parameters<typeof parseJson>[1]): ProductError {
  try {
    parseJson(text, limits);
  } catch (error) {
    assert.ok(error instanceof ProductError, String(error));
    return error;
  }
  return assert.fail(`accepted ${text.slice(0, 60)}`);
}

test("ordinary JSON comes back as JSON.parse gives it", () => {
  const text = '{"a":[1,-2.5e3,true,null,"x:\\"y\\""],"b":{},"c":[],"d":{"e":{"a":0}}}';

  assert.deepEqual(parseJson(text), JSON.parse(text));
});

test("each refusal has its code and points at the place", () => {
  const cases: [string, string, number, number][] = [
    ['{\n  "a": 1,\n  "a": 2\n}', "json_duplicate_key", 3, 3],
    ['{"a":{"b":1,"b":{"c":1}}}', "json_duplicate_key", 1, 13],
    ['{"a":1,"\\u0061":2}', "json_duplicate_key", 1, 8],
    ['[{"x":{"__proto__":{}}}]', "json_reserved_key", 1, 8],
    ['{"\\u005f\\u005fproto__":1}', "json_reserved_key", 1, 2],
    ['{"constructor":1}', "json_reserved_key", 1, 2],
    ['{"prototype":1}', "json_reserved_key", 1, 2],
    ["", "json_invalid", 1, 1],
    ["[1,\n2,]", "json_invalid", 2, 3],
    ['{"a" 1}', "json_invalid", 1, 6],
    ["{'a': 1}", "json_invalid", 1, 2],
    ['{"a": tru}', "json_invalid", 1, 7],
    ['{"a": 01}', "json_invalid", 1, 8],
    ["// no\n{}", "json_invalid", 1, 1],
    ['["a\tb"]', "json_invalid", 1, 4],
    ['["\\x"]', "json_invalid", 1, 3],
    ['["abc', "json_invalid", 1, 2],
    ["{} {}", "json_invalid", 1, 4],
    ["\ufeff{}", "json_invalid", 1, 1],
    ["[1e400]", "json_number_out_of_range", 1, 2],
    ["NaN", "json_invalid", 1, 1],
    ["[".repeat(65) + "]".repeat(65), "json_too_deep", 1, 65],
    ["[".repeat(100_000), "json_too_deep", 1, 65],
  ];

  for (const [text, code, line, column] of cases) {
    const error = refusal(text);
    assert.deepEqual(
      [error.code, error.details["line"], error.details["column"]],
      [code, line, column],
      text.slice(0, 60),
    );
  }
});

test("every refusal says what is wrong and, where there is some, what to do", () => {
  const cut = "The text stops too early; was it cut?";
  const noComma = "A comma may not stand before a closing bracket.";
  const split = "Split it, or send only what is needed.";
  const told: [string, string, string?][] = [
    ["", "JSON needs a value here, and there is the end (column 1).", cut],
    ["[1", 'JSON needs "," or "]" here, and there is the end (column 3).', cut],
    [
      "{'a':1}",
      `JSON needs a key in double quotes here, and there is "'" (column 2).`,
      "JSON strings stand in double quotes.",
    ],
    ["// x", 'JSON needs a value here, and there is "/" (column 1).', "JSON has no comments."],
    ["# x", 'JSON needs a value here, and there is "#" (column 1).', "JSON has no comments."],
    ["[1,]", 'JSON needs a value here, and there is "]" (column 4).', noComma],
    ['{"a":1,}', 'JSON needs a key in double quotes here, and there is "}" (column 8).', noComma],
    ['{"a":[1}', 'JSON needs "," or "]" here, and there is "}" (column 8).'],
    ["[1]]", 'The JSON ends before "]" (column 4).'],
    [
      "\ufeff{}",
      "JSON needs a value here, and there is U+FEFF (column 1).",
      "Save the file without a byte order mark.",
    ],
    ["{} {}", 'The JSON ends before "{" (column 4).'],
    ['{"a" 1}', 'JSON needs ":" here, and there is "1" (column 6).'],
    [
      '["a\tb"]',
      "A string cannot hold U+0009 as it is (column 4).",
      "Write line breaks as \\n and tabs as \\t.",
    ],
    ['["\\x"]', "JSON does not know this escape (column 3).", "Write \\\\ for a backslash."],
    ['["abc', "The string that begins here is never closed (column 2)."],
    ["[1e400]", "This number is too large (column 2).", "Write it as a string."],
    ["[[[[1]]]]", "The JSON is nested deeper than 3 levels (column 4).", "Flatten the data."],
    ["[1,2,3,4,5]", "The JSON holds more than 5 values (column 10).", split],
    ['{"__proto__":1}', 'The key "__proto__" is not accepted (column 2).', "Rename the field."],
    ['{"a":1,"a":2}', 'The key "a" stands twice in one object (column 8).', "Keep one of them."],
    [`"${"x".repeat(60)}"`, "The JSON has 62 bytes; at most 50 are read.", split],
  ];

  for (const [text, message, hint] of told) {
    const error = refusal(text, { maxDepth: 3, maxNodes: 5, maxBytes: 50 });
    assert.deepEqual([error.message, error.hint], [message, hint], text);
  }
  assert.equal(refusal('{"prototype":1}').details["key"], "prototype");
  assert.equal(refusal('{"a":1,"a":2}').details["key"], "a");
  const large = refusal("12345", { maxBytes: 4 });
  assert.deepEqual([large.kind, large.details], ["limit", { bytes: 5, maxBytes: 4 }]);
});

test("unless told otherwise two megabytes, a hundred thousand values and 64 levels are read", () => {
  assert.deepEqual(JSON_LIMITS, { maxDepth: 64, maxNodes: 100_000, maxBytes: 2_097_152 });
});

test("the bounds are exact", () => {
  assert.doesNotThrow(() => parseJson("[".repeat(64) + "]".repeat(64)));
  assert.doesNotThrow(() => parseJson("[1,2,3]", { maxNodes: 4 }));
  assert.equal(refusal("[1,2,3]", { maxNodes: 3 }).code, "json_too_many_values");
  assert.doesNotThrow(() => parseJson('"é"', { maxBytes: 4 }));
  assert.equal(refusal('"é"', { maxBytes: 3 }).code, "json_too_large");
  assert.equal(refusal(" ".repeat(JSON_LIMITS.maxBytes + 1)).code, "json_too_large");
});

test("reserved words are fine as values and inside strings", () => {
  const text = '{"a":"__proto__","b":["constructor: {"],"c":"\\"prototype\\":"}';

  assert.deepEqual(parseJson(text), JSON.parse(text));
});

const text = fc.oneof(
  fc.json({ maxDepth: 4 }),
  fc.string({
    unit: fc.constantFrom(...'{}[]",:\\ \n0-1.eEtrufalsn"'.split(""), "__proto__", "\u0000"),
  }),
  fc
    .tuple(fc.json({ maxDepth: 3 }), fc.nat(), fc.constantFrom("", ",", '"', "}", "0", "\\", "\n"))
    .map(([json, at, piece]) => {
      const place = at % (json.length + 1);
      return json.slice(0, place) + piece + json.slice(place + (at % 2));
    }),
);

test("the fault finder and JSON.parse agree on what is JSON", () => {
  fc.assert(
    fc.property(text, (candidate) => {
      const fault = findJsonFault(candidate, unbounded);

      if (fault === undefined) assert.doesNotThrow(() => JSON.parse(candidate));
      if (fault?.code === "json_invalid") assert.throws(() => JSON.parse(candidate), SyntaxError);
    }),
    { numRuns: 5_000 },
  );
});

test("what is accepted equals JSON.parse, and nothing is refused without a reason", () => {
  fc.assert(
    fc.property(text, (candidate) => {
      const fault = findJsonFault(candidate, JSON_LIMITS);
      if (fault === undefined) assert.deepEqual(parseJson(candidate), JSON.parse(candidate));
      else assert.equal(refusal(candidate).code, fault.code);
    }),
    { numRuns: 5_000 },
  );
});

test("any document with unreserved keys passes, and one more copy of any key is refused", () => {
  const key = fc.string({ unit: "binary" }).filter((name) => !isReservedName(name));
  const document = fc.dictionary(key, fc.oneof(fc.string(), fc.nat(), fc.array(fc.boolean())), {
    minKeys: 1,
    noNullPrototype: true,
  });

  fc.assert(
    fc.property(document, (value) => {
      const json = JSON.stringify(value);
      const again = `${json.slice(0, -1)},${JSON.stringify(Object.keys(value)[0])}:0}`;

      assert.deepEqual(parseJson(json), JSON.parse(json));
      assert.equal(refusal(again).code, "json_duplicate_key");
    }),
  );
});

test("a megabyte takes milliseconds, whether valid or broken at its end", () => {
  const text = 'some ordinary text: of {no} particular "interest"\n';
  const rows = Array.from({ length: 9_000 }, (_, id) => ({
    id,
    name: `row ${id}`,
    text,
    ok: true,
  }));
  const json = JSON.stringify(rows);
  assert.ok(json.length > 900_000 && json.length < 1_200_000);

  const valid = timeOf(() => parseJson(json));
  const broken = timeOf(() => refusal(`${json.slice(0, -1)},]`));

  // About 12 and 60 ms on an idle machine; the ceilings only catch a change of order.
  assert.ok(valid < 300, `valid: ${valid} ms`);
  assert.ok(broken < 1_500, `broken: ${broken} ms`);
});

function timeOf(act: () => void): number {
  const started = performance.now();
  act();
  return performance.now() - started;
}
