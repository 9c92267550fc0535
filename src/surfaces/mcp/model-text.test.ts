import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { MOST_CHARACTERS, modelText } from "./model-text.ts";

describe("what a model reads", () => {
  test("absent things are left out, moments are dates, numbers that only look like moments are not", () => {
    const text = modelText({
      id: "a",
      note: null,
      gone: undefined,
      createdAt: 1_763_460_000_000,
      bytes: 1_763_460_000_000,
      items: [],
    });

    assert.deepEqual(JSON.parse(text), {
      id: "a",
      createdAt: "2025-11-18T10:00:00.000Z",
      bytes: 1_763_460_000_000,
      items: [],
    });
  });

  test("an answer within the limit is whole", () => {
    const output = { promptText: "x".repeat(MOST_CHARACTERS - 100) };

    assert.deepEqual(JSON.parse(modelText(output)), output);
  });

  test("a longer one fits, and says where and how much was cut", () => {
    const long = modelText({ id: "kept", text: "word ".repeat(100_000) });
    const many = modelText({
      items: Array.from({ length: 5000 }, (_, n) => ({ id: `item-${n}`, text: "y".repeat(400) })),
    });

    for (const text of [long, many]) {
      assert.ok(text.length <= MOST_CHARACTERS, `${text.length}`);
      assert.match(text, /Cut to fit: \d+ places, marked with \[…\]/);
    }
    assert.match(long, /"id":"kept"/);
    assert.match(long, /\[…\] \(\d+ more characters\)/);
    assert.match(many, /\[…\] \(\d+ more\)/);
    assert.match(many, /"id":"item-0"/);
  });

  test("even thousands of short things fit", () => {
    const wide = Object.fromEntries(Array.from({ length: 20_000 }, (_, n) => [`field${n}`, n]));

    assert.ok(modelText(wide).length <= MOST_CHARACTERS);
  });
});
