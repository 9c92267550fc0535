import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { replaceSpans, wholeCharacters, withoutOverlap } from "./redaction-span.ts";

const span = (start: number, end: number, label = "") => ({ start, end, label });

describe("stretches of a text", () => {
  test("are replaced by markers that say what stood there", () => {
    assert.equal(replaceSpans("abcdef", []), "abcdef");
    assert.equal(
      replaceSpans("abcdef", [span(0, 2), span(3, 4, "JWT"), span(5, 6)]),
      "[REDACTED]c[REDACTED:JWT]e[REDACTED]",
    );
  });

  test("become one where they overlap, under the label of the first and of the longer", () => {
    const merged = (...spans: ReturnType<typeof span>[]) =>
      withoutOverlap(spans).map(({ start, end, label }) => `${start}-${end}${label}`);

    assert.deepEqual(merged(), []);
    assert.deepEqual(merged(span(4, 6, "b"), span(0, 2, "a")), ["0-2a", "4-6b"]);
    assert.deepEqual(merged(span(0, 3, "a"), span(2, 5, "b")), ["0-5a"]);
    assert.deepEqual(merged(span(0, 9, "a"), span(2, 5, "b")), ["0-9a"]);
    assert.deepEqual(merged(span(1, 3, "short"), span(1, 5, "long")), ["1-5long"]);
    assert.deepEqual(merged(span(0, 2, "a"), span(2, 4, "b")), ["0-2a", "2-4b"]);
    assert.deepEqual(merged(span(6, 8, "c"), span(1, 7, "b"), span(0, 2, "a")), ["0-8a"]);
  });

  test("are widened to whole characters, and to no more", () => {
    const widened = (text: string, start: number, end: number) =>
      wholeCharacters(text, [span(start, end, "x")]);

    for (const pair of ["\u{10000}", "\u{1f9ea}", "\u{10ffff}"]) {
      assert.deepEqual(widened(`a${pair}b`, 2, 4), [span(1, 4, "x")]);
      assert.deepEqual(widened(`a${pair}b`, 0, 2), [span(0, 3, "x")]);
      assert.deepEqual(widened(`a${pair}b`, 1, 3), [span(1, 3, "x")]);
    }
    for (const [before, after] of [
      ["\ud7ff", "\udc00"],
      ["\udc00", "\udc00"],
      ["\ud800", "\udbff"],
      ["\ud800", "\ue000"],
    ])
      assert.deepEqual(widened(`${before}${after}`, 1, 2), [span(1, 2, "x")]);
  });
});
