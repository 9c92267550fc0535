import assert from "node:assert/strict";
import { describe, test } from "node:test";
import * as fc from "fast-check";
import { layOutView } from "./lay-out-view.ts";
import { shortIds } from "./short-ids.ts";
import { clip, manyLines, money, oneLine, table, widthOf } from "./terminal-text.ts";
import { spanText, timeAgo } from "./terminal-time.ts";

describe("text for terminals", () => {
  test("counts what the eye sees: wide letters twice, marks not at all", () => {
    assert.equal(widthOf("abc"), 3);
    assert.equal(widthOf("日本"), 4);
    assert.equal(widthOf("e\u0301"), 1);
    assert.equal(widthOf("👩‍👩‍👧"), 2);
  });

  test("takes out what would move the cursor, recolour or reorder", () => {
    const hostile = "\u001b[31mred\u001b[0m\r\n\u202egnp\u202c\u0007 end\u2028x";

    assert.equal(oneLine(hostile), "red gnp end x");
    assert.equal(manyLines("a\u001b]0;title\u0007b\r\nc\td  \n"), "ab\nc  d\n");
  });

  test("never exceeds the width it is cut to, and says that it was cut", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "grapheme", maxLength: 80 }),
        fc.integer({ min: 1, max: 40 }),
        (text, width) => {
          const cut = clip(text, width);
          assert.ok(widthOf(cut) <= width);
          if (widthOf(oneLine(text)) > width) assert.ok(cut.endsWith("…"));
        },
      ),
    );
  });

  test("aligns columns whatever stands in them", () => {
    const cell = fc
      .string({ unit: "grapheme", minLength: 1, maxLength: 20 })
      .map((text) => `x${text}`);
    fc.assert(
      fc.property(fc.array(fc.tuple(cell, cell), { minLength: 1, maxLength: 8 }), (rows) => {
        const lines = layOutView(table([{ title: "A" }, { title: "B" }], rows)).split("\n");
        const width = Math.max(1, ...rows.map(([first]) => widthOf(clip(first, 60))));
        assert.equal(lines.length, rows.length + 1);
        for (const [i, line] of lines.slice(1).entries()) {
          const first = clip(rows[i]?.[0] ?? "", 60);
          const gap = " ".repeat(width - widthOf(first) + 2);
          assert.equal(line, `${first}${gap}${clip(rows[i]?.[1] ?? "", 60)}`.trimEnd());
        }
      }),
    );
  });

  test("leaves out a column that is empty in every row", () => {
    const shown = table([{ title: "A" }, { title: "B" }, { title: "C" }], [["1", "", "3"]]);

    assert.equal(layOutView(shown), "A  C\n1  3");
  });

  test("writes money to the cent, below a cent to four places", () => {
    assert.deepEqual([money(0), money(3_420_000), money(3_000)], ["$0.00", "$3.42", "$0.0030"]);
  });
});

describe("times for people", () => {
  const noon = Date.UTC(2026, 10, 18, 12);

  test("are relative under a day, then a date", () => {
    assert.equal(timeAgo(noon - 3_000, noon), "just now");
    assert.equal(timeAgo(noon - 3 * 60_000, noon), "3 min ago");
    assert.equal(timeAgo(noon + 5 * 3_600_000, noon), "in 5 h");
    assert.equal(timeAgo(noon - 2 * 86_400_000, noon), "2026-11-16");
  });

  test("say how long something took in at most two units", () => {
    assert.deepEqual([999, 14_200, 1_539_000, 12_000_000, 187_200_000].map(spanText), [
      "999 ms",
      "14.2 s",
      "25 min 39 s",
      "3 h 20 min",
      "2 d 4 h",
    ]);
  });
});

describe("short ids", () => {
  test("tell all given ids apart, and every short one is the beginning of its id", () => {
    fc.assert(
      fc.property(fc.array(fc.uuid({ version: 7 }), { minLength: 1, maxLength: 30 }), (ids) => {
        const short = shortIds(ids);
        assert.equal(new Set(ids.map(short)).size, new Set(ids).size);
        for (const id of ids) assert.ok(id.startsWith(short(id)));
      }),
    );
  });
});
