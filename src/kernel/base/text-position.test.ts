import assert from "node:assert/strict";
import { test } from "node:test";
import { errorAt, nameCharacter, pointAt, positionAt } from "./text-position.ts";

test("lines and columns are counted from one", () => {
  const text = "ab\ncd\r\n\nef";

  assert.deepEqual(positionAt(text, 0), { offset: 0, line: 1, column: 1 });
  assert.deepEqual(positionAt(text, 2), { offset: 2, line: 1, column: 3 });
  assert.deepEqual(positionAt(text, 3), { offset: 3, line: 2, column: 1 });
  assert.deepEqual(positionAt(text, 7), { offset: 7, line: 3, column: 1 });
  assert.deepEqual(positionAt(text, 10), { offset: 10, line: 4, column: 3 });
});

test("the arrow stands under its place, also in long lines and at the end", () => {
  assert.equal(pointAt("one\ntwo three\nfour", 8), "two three\n    ^");
  assert.equal(pointAt("ab", 2), "ab\n  ^");
  assert.equal(pointAt("", 0), "\n^");
  assert.equal(pointAt("\na", 0), "\n^");
  assert.equal(pointAt("a\n\nb", 2), "\n^");
  assert.equal(pointAt("a\nb", 1), "a\n ^");
  assert.equal(pointAt("a\nb\nc", 2), "b\n^");
  assert.equal(pointAt("\ta\u00a0b\r", 1), " a b \n ^");
  const [line = "", arrow = ""] = pointAt(`${"x".repeat(500)}!${"y".repeat(500)}`, 500).split("\n");
  assert.equal(line.charAt(arrow.indexOf("^")), "!");
  assert.equal(line, `…${"x".repeat(60)}!${"y".repeat(39)}…`);
  assert.equal(pointAt(`${"x".repeat(60)}!${"y".repeat(39)}`, 60).split("\n")[0]?.length, 100);
});

test("an error at a place carries the place", () => {
  const error = errorAt("a\nbc", {
    code: "some_code",
    message: "No",
    offset: 3,
    details: { key: 1 },
  });

  assert.equal(error.message, "No (line 2, column 2).");
  assert.deepEqual(error.details, { offset: 3, line: 2, column: 2, excerpt: "bc\n ^", key: 1 });
  assert.equal(error.hint, undefined);
  const hinted = errorAt("a", { code: "some_code", message: "No", offset: 1, hint: "Do." });
  assert.deepEqual([hinted.message, hinted.hint], ["No (column 2).", "Do."]);
});

test("invisible characters are named by number", () => {
  assert.equal(nameCharacter("a\u00a0😀", 0), '"a"');
  assert.equal(nameCharacter("a\u00a0😀", 1), "U+00A0");
  assert.equal(nameCharacter("a\u00a0😀", 2), '"😀"');
  assert.equal(nameCharacter("a", 1), "the end");
});
