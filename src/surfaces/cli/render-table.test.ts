import assert from "node:assert/strict";
import { describe, test } from "node:test";
import * as fc from "fast-check";
import { humanValue } from "./human-value.ts";
import { renderTable } from "./render-table.ts";
import { safeJson, safeLine, safeText } from "./safe-text.ts";
import { cutToWidth, textWidth } from "./text-width.ts";

const plain = (_: string, text: string) => text;

describe("tables", () => {
  test("are never wider than the terminal, unless shown row by row", () => {
    const row = fc.record({
      id: fc.uuid(),
      title: fc.string({ unit: "grapheme", maxLength: 200 }),
      n: fc.nat(),
    });
    fc.assert(
      fc.property(
        fc.array(row, { minLength: 1, maxLength: 5 }),
        fc.integer({ min: 24, max: 200 }),
        (rows, columns) => {
          const lines = renderTable(rows, columns, plain).split("\n");
          const isTable = lines.length === rows.length + 1;
          if (isTable) for (const line of lines) assert.ok(textWidth(line) <= columns, line);
          else assert.ok(columns < 40);
        },
      ),
    );
  });

  test("cut titles before ids, align numbers right, and cut nothing in a pipe", () => {
    const rows = [
      {
        id: "0198c2d4-0000-7000-8000-000000000001",
        title: "A title that is rather long",
        turns: 5,
      },
      { id: "0198c2d4-0000-7000-8000-000000000002", title: "短い", turns: 12 },
    ];

    assert.equal(
      renderTable(rows, 60, plain),
      `id                                    title            turns
0198c2d4-0000-7000-8000-000000000001  A title that i…      5
0198c2d4-0000-7000-8000-000000000002  短い                12`,
    );
    assert.match(renderTable(rows, Infinity, plain), /rather long/);
  });
});

describe("text on a terminal", () => {
  test("what is cut fits, and what fits is not cut", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "grapheme" }),
        fc.integer({ min: 1, max: 40 }),
        (text, width) => {
          const cut = cutToWidth(text, width);
          assert.ok(textWidth(cut) <= width);
          if (textWidth(text) <= width) assert.equal(cut, text);
        },
      ),
    );
    assert.deepEqual(["abc", "日本", "👍🏽", "e\u0301", "🇫🇷"].map(textWidth), [3, 4, 2, 1, 2]);
  });

  test("never carries what a terminal would act on", () => {
    const hostile = fc.string({
      unit: fc.constantFrom(
        "\u001b",
        "[",
        "]",
        "0",
        "31m",
        ";",
        "\u0007",
        "\u009b",
        "\u0090",
        "\u202e",
        "\r",
        "\b",
        "a",
        "\n",
        "\u0000",
      ),
    });
    fc.assert(
      fc.property(hostile, (text) => {
        assert.match(safeText(text), /^[^\p{Cc}\u202e]*(?:\n[^\p{Cc}\u202e]*)*$/u);
        assert.match(safeLine(text), /^[^\p{Cc}\u202e]*$/u);
        assert.match(safeJson({ text }), /^[^\p{Cc}\u202e]*$/u);
        assert.deepEqual(JSON.parse(safeJson({ text })), { text });
      }),
    );
    assert.equal(safeText("\u001b]0;title\u0007shown \u001b[1mbold\u001b[0m"), "shown bold");
  });

  test("shows values by the unit in their name", () => {
    assert.equal(humanValue("elapsedMs", 83_000), "1 min 23 s");
    assert.equal(humanValue("sizeBytes", 1_234_567), "1.2 MB");
    assert.equal(humanValue("costMicroUsd", 12_345), "$0.01");
    assert.equal(humanValue("costMicroUsd", 345), "$0.0003");
    assert.equal(humanValue("isReady", true), "yes");
    assert.equal(humanValue("tags", ["a", "b"]), "a, b");
    assert.equal(humanValue("note", null), "–");
    assert.match(humanValue("createdAt", Date.UTC(2026, 10, 18, 12)), /^2026-11-18 \d\d:00:00$/);
  });
});
