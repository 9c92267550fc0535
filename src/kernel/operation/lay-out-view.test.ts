import assert from "node:assert/strict";
import { describe, test } from "node:test";
import * as fc from "fast-check";
import { layOutView, type ViewSurface } from "./lay-out-view.ts";
import { type Column, indent, section, table, widthOf } from "./terminal-text.ts";

const ID = "01a1f03c-bcac-7000";
const INBOX: readonly Column[] = [
  { title: "ID", width: 36 },
  { title: "ASKS", width: 20 },
  { title: "SINCE" },
];

function wide(columns: number): ViewSurface {
  return { columns, style: (_, text) => text };
}

describe("a view on a terminal", () => {
  const asked = "Whether the first chapter is to be printed as it stands";
  const inbox = table(INBOX, [[ID, asked, "2 min ago"]]);

  test("gives a cell all the room there is, and cuts words before ids where there is little", () => {
    assert.equal(
      layOutView(inbox, wide(120)),
      `ID                  ASKS                                                     SINCE
01a1f03c-bcac-7000  Whether the first chapter is to be printed as it stands  2 min ago`,
    );
    assert.equal(
      layOutView(inbox, wide(45)),
      `ID                  ASKS            SINCE
01a1f03c-bcac-7000  Whether the f…  2 min ago`,
    );
  });

  test("is as wide as it asks for where nobody knows the width", () => {
    assert.equal(
      layOutView(inbox),
      `ID                  ASKS                  SINCE
01a1f03c-bcac-7000  Whether the first c…  2 min ago`,
    );
  });

  test("leaves out what can be spared before it cuts a text to nothing", () => {
    const columns: readonly Column[] = [
      { title: "ID", width: 36 },
      { title: "ASKS" },
      { title: "KIND", isSpare: true },
      { title: "FOR", isSpare: true },
      { title: "SINCE" },
    ];
    const shown = table(columns, [[ID, asked, "pipeline.manual", "anybody", "2 min ago"]]);

    assert.equal(
      layOutView(shown, wide(75)),
      `ID                  ASKS                         KIND             SINCE
01a1f03c-bcac-7000  Whether the first chapter…   pipeline.manual  2 min ago`,
    );
    assert.equal(
      layOutView(shown, wide(60)),
      `ID                  ASKS                           SINCE
01a1f03c-bcac-7000  Whether the first chapter is…  2 min ago`,
    );
  });

  test("stands one below the other where it does not fit side by side even when cut", () => {
    assert.equal(
      layOutView(section("Inbox", inbox) ?? "", wide(24)),
      `Inbox
  ID     ${ID}
  ASKS   ${asked}
  SINCE  2 min ago`,
    );
  });

  test("is never wider than the terminal as a table, whatever stands in it and however deep", () => {
    const cell = fc.string({ unit: "grapheme", maxLength: 200 });
    fc.assert(
      fc.property(
        fc.array(fc.tuple(cell, cell, cell), { minLength: 1, maxLength: 5 }),
        fc.integer({ min: 30, max: 220 }),
        (rows, columns) => {
          const shown = layOutView(indent(table(INBOX, rows)), wide(columns));
          for (const line of shown.split("\n")) assert.ok(widthOf(line) <= columns, line);
        },
      ),
    );
  });

  test("shows headings bold and marks of state in their colours, and nothing else", () => {
    const named: ViewSurface = { columns: 80, style: (look, text) => `<${look}>${text}</>` };
    const runs = table([{ title: "STATE" }, { title: "TITLE" }], [["✓ completed", "a ✗ inside"]]);

    assert.equal(
      layOutView(`◆ waiting\n\n${runs}\nHe said ✓ twice.`, named),
      `<yellow>◆</> waiting

<bold>STATE</>        <bold>TITLE</>
<green>✓</> completed  a ✗ inside
He said ✓ twice.`,
    );
  });
});
