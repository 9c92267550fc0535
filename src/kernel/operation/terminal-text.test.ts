import assert from "node:assert/strict";
import { describe, test } from "node:test";
import * as fc from "fast-check";
import { layOutView } from "./lay-out-view.ts";
import { shortIds } from "./short-ids.ts";
import {
  blocks,
  bytesText,
  clip,
  count,
  fieldLines,
  indent,
  manyLines,
  money,
  oneLine,
  pad,
  section,
  TABLE_MARKS,
  table,
  widthOf,
} from "./terminal-text.ts";
import { spanText, timeAgo } from "./terminal-time.ts";

describe("text for terminals", () => {
  test("counts what the eye sees: wide letters twice, marks not at all", () => {
    assert.equal(widthOf("abc"), 3);
    assert.equal(widthOf("日本"), 4);
    assert.equal(widthOf("e\u0301"), 1);
    assert.equal(widthOf("👩‍👩‍👧"), 2);
    assert.equal(widthOf("\u0301"), 0);
    assert.equal(widthOf("é — ü"), 5);
    assert.equal(widthOf("☺\ufe0f"), 2);
  });

  test("takes out what would move the cursor, recolour or reorder", () => {
    const hostile = "\u001b[31mred\u001b[0m\r\n\u202egnp\u202c\u0007 end\u2028x";

    assert.equal(oneLine(hostile), "red gnp end x");
    assert.equal(manyLines("a\u001b]0;title\u0007b\r\nc\td  \n"), "ab\nc  d\n");
    assert.equal(oneLine("\u200b\ue000 a\ud800b \u0085\t\u2029 c\u00ad "), "ab c");
    assert.equal(manyLines("  a\u202eb\u2028c\u2029d\re\u0007\uf8f0f\udc00"), "  ab\nc\nd\nef");
    for (const written of ["می\u200cخواهم", "👩\u200d👧"]) {
      assert.equal(oneLine(written), written);
      assert.equal(manyLines(written), written);
    }
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

  test("keeps in a table what a column asks for, and cuts what no terminal shows", () => {
    const columns = [
      { title: "A", align: "right" },
      { title: "B", width: 0, isSpare: true },
      { title: "C", width: 9 },
    ] as const;
    const { head, row, cell } = TABLE_MARKS;

    assert.equal(
      table(columns, [
        ["1", "x\ny", undefined],
        ["2", "z".repeat(500), "c"],
      ]),
      [
        `${head}60>!A${cell}1<?B${cell}9<!C`,
        `${row}1${cell}x y${cell}`,
        `${row}2${cell}${"z".repeat(399)}…${cell}c`,
      ].join("\n"),
    );
    assert.equal(table(columns, [[undefined, "b"]]), `${head}1<?B\n${row}b`);
    assert.equal(table(columns, [[`${row}x${cell}y${head}`]]), `${head}60>!A\n${row}xy`);
  });

  test("cuts after a whole letter, and only where it must", () => {
    assert.equal(clip("abcdef", 6), "abcdef");
    assert.equal(clip("abcdefg", 6), "abcde…");
    assert.equal(clip("abcd fg", 6), "abcd…");
    assert.equal(clip("日本語日", 6), "日本…");
    assert.equal(clip("e\u0301e\u0301e\u0301", 2), "e\u0301…");
  });

  test("stands in fields, sections and blocks, and what is empty is left out", () => {
    assert.equal(
      fieldLines([
        ["Name", "Bea"],
        ["日本", "x"],
        ["Note", ""],
        ["A long title", undefined],
        ["Id", "7"],
      ]),
      "Name  Bea\n日本  x\nId    7",
    );
    assert.equal(fieldLines([["Note", ""]]), "");
    assert.equal(indent("a\n\nb"), "  a\n\n  b");
    assert.equal(indent("a", "> "), "> a");
    assert.equal(blocks("a", undefined, "", "b"), "a\n\nb");
    assert.equal(section("Inbox", "a\nb"), "Inbox\n  a\n  b");
    assert.deepEqual([section("Inbox", ""), section("Inbox", undefined)], [undefined, undefined]);
    assert.deepEqual([pad("a", 3), pad("a", 3, "right"), pad("abcd", 3)], ["a  ", "  a", "abcd"]);
  });

  test("counts things in groups of digits, and bytes in the unit that keeps them short", () => {
    assert.deepEqual(
      [count(0, "run"), count(1, "run"), count(1234, "run"), count(2, "reply", "replies")],
      ["0 runs", "1 run", "1,234 runs", "2 replies"],
    );
    assert.deepEqual([0, 999, 1000, 1_540_000, 2e9, 3e12, 4e15].map(bytesText), [
      "0 B",
      "999 B",
      "1.0 kB",
      "1.5 MB",
      "2.0 GB",
      "3.0 TB",
      "4000.0 TB",
    ]);
  });

  test("writes money to the cent, below a cent to four places", () => {
    assert.deepEqual([money(0), money(3_420_000), money(3_000)], ["$0.00", "$3.42", "$0.0030"]);
    assert.deepEqual(
      [money(10_000), money(-20_000), money(-3_000)],
      ["$0.01", "$-0.02", "$-0.0030"],
    );
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
