import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { ProductError } from "./errors.ts";
import {
  isReservedName,
  type JsonPath,
  jsonTypeOf,
  lookUp,
  parsePath,
  printPath,
} from "./json-path.ts";

const scope = {
  output: { score: 0, name: "héllo", items: [{ id: "a" }, null], nothing: null, length: 7 },
  "odd key": { 'with "quotes"': true },
};

function find(path: string) {
  return lookUp(scope, parsePath(path));
}

test("a path reaches fields, entries, quoted names and lengths", () => {
  assert.deepEqual(find("output.score"), { found: true, value: 0 });
  assert.deepEqual(find("output.items[0].id"), { found: true, value: "a" });
  assert.deepEqual(find('output["items"][0]["id"]'), { found: true, value: "a" });
  assert.deepEqual(find("output.items.length"), { found: true, value: 2 });
  assert.deepEqual(find("output.name.length"), { found: true, value: 5 });
  assert.deepEqual(find("output.length"), { found: true, value: 7 });
  assert.deepEqual(find("output.nothing"), { found: true, value: null });
});

test("what is not there is told apart from null, with the first missing piece named", () => {
  const cases: [string, string, string][] = [
    ["nowhere.deep.er", "nowhere", 'there is no "nowhere"'],
    ["output.score2.x", "output.score2", 'there is no "score2" in output'],
    ["output.items[5].id", "output.items[5]", "there is no [5] in output.items, an array of 2"],
    [
      "output.items.first",
      "output.items.first",
      'there is no "first" in output.items, an array of 2',
    ],
    ["output.nothing.x", "output.nothing.x", 'output.nothing is null and has no "x"'],
    ["output.score.x", "output.score.x", 'output.score is a number and has no "x"'],
    ["output.name[0]", "output.name[0]", "output.name is a string and has no [0]"],
    ["output.nothing[0]", "output.nothing[0]", "output.nothing is null and has no [0]"],
    ["output.items[1].x", "output.items[1].x", 'output.items[1] is null and has no "x"'],
    ['output["a b"].c', 'output["a b"]', 'there is no "a b" in output'],
  ];

  for (const [path, missing, reason] of cases) {
    assert.deepEqual(find(path), { found: false, missing, reason });
  }
});

test("a broken path is refused with its column", () => {
  const cases: [string, string, number][] = [
    ["", "path_invalid", 1],
    ["1a", "path_invalid", 1],
    [".a", "path_invalid", 1],
    ["a.", "path_invalid", 3],
    ["a..b", "path_invalid", 3],
    ["a b", "path_invalid", 2],
    ["a[", "path_invalid", 3],
    ["a[-1]", "path_invalid", 3],
    ["a[01]", "path_invalid", 3],
    ["a[1e3]", "path_invalid", 3],
    ["a[9999999999999999]", "path_invalid", 3],
    ['a["b"', "path_invalid", 6],
    ['a["b', "string_unclosed", 3],
    ['a["\\q"]', "string_escape_invalid", 4],
    ["a-b", "path_invalid", 2],
    ["__proto__", "path_reserved", 1],
    ["a.constructor.constructor", "path_reserved", 3],
    ['a["prototype"]', "path_reserved", 3],
    ['a["\\u005f_proto__"]', "path_reserved", 3],
    [Array.from({ length: 17 }, () => "a").join("."), "path_too_long", 33],
  ];

  for (const [path, code, column] of cases) {
    assert.throws(
      () => parsePath(path),
      (error) =>
        error instanceof ProductError && error.code === code && error.details["column"] === column,
      path,
    );
  }
});

test("every refusal of a path says what is wrong and what to do", () => {
  const look = 'Paths look like output.files[0].path; other names go into ["…"].';
  const told: [string, string, string | undefined][] = [
    ["", "A path cannot have the end here (column 1).", look],
    ["a b", "A path cannot have U+0020 here (column 2).", look],
    ['a["b"x', 'A path cannot have "x" here (column 6).', look],
    [
      "a[-1]",
      "Brackets hold a whole number from 0, or a quoted name (column 3).",
      'For example [0] or ["file name"].',
    ],
    ['a["b', 'The text that begins here has no closing " (column 3).', undefined],
    [
      "a.__proto__",
      '"__proto__" is no name a path may use (column 3).',
      "Rename the field in the data.",
    ],
    [
      Array.from({ length: 17 }, () => "a").join("."),
      "A path has at most 16 parts (column 33).",
      "Put the value closer to the top of the output.",
    ],
  ];

  for (const [path, message, hint] of told) {
    assert.throws(() => parsePath(path), { message, hint }, path);
  }
  assert.throws(
    () => parsePath("a.prototype"),
    (error) => error instanceof ProductError && error.details["name"] === "prototype",
  );
});

test("an index has at most fifteen digits", () => {
  assert.deepEqual(parsePath("a[999999999999999]"), ["a", 999_999_999_999_999]);
  assert.throws(() => parsePath("a[1000000000000000]"), { code: "path_invalid" });
});

test("the empty path is the scope itself, and its kinds are told apart", () => {
  assert.deepEqual(lookUp(scope, []), { found: true, value: scope });
  assert.deepEqual(
    [null, true, 1, "", [], {}, undefined, () => 1, 1n, Symbol("s")].map(jsonTypeOf),
    [
      "null",
      "boolean",
      "number",
      "string",
      "array",
      "object",
      undefined,
      undefined,
      undefined,
      undefined,
    ],
  );
});

test("sixteen parts are enough, and exactly that many are allowed", () => {
  const text = Array.from({ length: 16 }, () => "a").join(".");

  assert.equal(parsePath(text).length, 16);
});

test("prototypes, getters and what JSON cannot hold are out of reach", () => {
  let ran = 0;
  const own = {
    get trap() {
      ran += 1;
      return 1;
    },
    method: () => 1,
    symbol: Symbol("s"),
    big: 1n,
    nothing: undefined,
    plain: 1,
  };
  const inherited: object = Object.create(own);
  const bare: object = Object.assign(Object.create(null), { seen: 1 });
  const data = { own, inherited, bare, list: [1], text: "abc" };

  for (const path of [
    "own.trap",
    "own.method",
    "own.symbol",
    "own.big",
    "own.nothing",
    "own.toString",
    "own.hasOwnProperty",
    "inherited.plain",
    "inherited.trap",
    "list.map",
    "text.at",
    "text.at.name",
    "own.method.name",
  ]) {
    assert.equal(lookUp(data, parsePath(path)).found, false, path);
  }
  assert.equal(ran, 0);
  assert.deepEqual(lookUp(data, parsePath("bare.seen")), { found: true, value: 1 });
});

test("a reserved name is out of reach even when the path was not parsed", () => {
  const data: unknown = JSON.parse('{"a":{"__proto__":{"b":1},"constructor":1}}');

  assert.equal(lookUp(data, ["a", "__proto__"]).found, false);
  assert.equal(lookUp(data, ["a", "constructor"]).found, false);
});

const name = fc.string({ unit: "binary", maxLength: 12 }).filter((text) => !isReservedName(text));
const identifier = fc
  .stringMatching(/^[A-Za-z_$][\w$]{0,8}$/)
  .filter((text) => !isReservedName(text));

test("reading a printed path gives the path again", () => {
  const path: fc.Arbitrary<JsonPath> = fc
    .tuple(identifier, fc.array(fc.oneof(name, identifier, fc.nat()), { maxLength: 15 }))
    .map(([first, rest]) => [first, ...rest]);

  fc.assert(
    fc.property(path, (parts) => {
      assert.deepEqual(parsePath(printPath(parts)), parts);
    }),
  );
});

test("every own value of a JSON document is found under its path", () => {
  fc.assert(
    fc.property(fc.dictionary(name, fc.jsonValue({ maxDepth: 3 })), (document) => {
      const visit = (value: unknown, path: JsonPath): void => {
        assert.deepEqual(lookUp({ document }, path), { found: true, value });
        if (Array.isArray(value)) value.forEach((item, index) => visit(item, [...path, index]));
        else if (typeof value === "object" && value !== null) {
          for (const [key, member] of Object.entries(value)) {
            if (!isReservedName(key)) visit(member, [...path, key]);
          }
        }
      };
      visit(document, ["document"]);
    }),
  );
});
