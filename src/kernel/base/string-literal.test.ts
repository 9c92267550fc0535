import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { scanStringLiteral, writeStringLiteral } from "./string-literal.ts";

test("a text is read from its quote to the next of the same kind, with the escapes of JSON", () => {
  const literal = String.raw`'a"\'\"\\\/\b\f\n\r\t\u00e9\uD83D\uDE00' rest`;

  assert.deepEqual(scanStringLiteral(`x${literal}`, 1), {
    value: 'a"\'"\\/\b\f\n\r\t\u00e9\u{1F600}',
    end: literal.indexOf(" rest") + 1,
  });
  assert.deepEqual(scanStringLiteral('""', 0), { value: "", end: 2 });
});

test("a text without its closing quote on the same line points at its beginning", () => {
  for (const text of ["x'", "x'abc", "x'a\n'", "x'a\"", "x'a\\'"]) {
    assert.deepEqual(scanStringLiteral(text, 1), {
      code: "string_unclosed",
      message: "The text that begins here has no closing '",
      offset: 1,
    });
  }
});

test("a backslash before anything else points at itself", () => {
  const hint = 'Write \\\\ for a backslash; \\n, \\t, \\" and \\u0041 work as in JSON.';
  for (const [text, named] of [
    ["'a\\x'", '"x"'],
    ["'a\\u12g4'", '"u"'],
    ["'a\\u123'", '"u"'],
    ["'a\\au0041'", '"a"'],
    ["'a\\", "the end"],
  ] as const) {
    assert.deepEqual(scanStringLiteral(text, 0), {
      code: "string_escape_invalid",
      message: `A backslash cannot be followed by ${named}`,
      offset: 2,
      hint,
    });
  }
});

test("what is written can be read back, and only its own quote is escaped", () => {
  assert.equal(writeStringLiteral(`a"b'c`, "'"), String.raw`'a"b\'c'`);
  assert.equal(writeStringLiteral(`a"b'c`, '"'), String.raw`"a\"b'c"`);
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), fc.constantFrom("'", '"'), (value, quote) => {
      const written = writeStringLiteral(value, quote);

      assert.deepEqual(scanStringLiteral(written, 0), { value, end: written.length });
    }),
  );
});
