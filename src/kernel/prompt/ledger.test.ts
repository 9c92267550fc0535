import assert from "node:assert/strict";
import { test } from "node:test";
import { explainRow, type LedgerRow } from "./ledger.ts";

const row = (more: Partial<LedgerRow>): LedgerRow => ({
  part: "p",
  layer: "l",
  outcome: "in",
  reason: "included",
  ...more,
});

const SENTENCES: readonly (readonly [Partial<LedgerRow>, string])[] = [
  [{ reason: "required" }, "Required."],
  [{ reason: "pinned", note: "constraint 1 of 3" }, "Pinned; constraint 1 of 3."],
  [{ truncated: { from: 1388, to: 150 } }, "Included; cut to 150 of 1,388 characters."],
  [{ redactions: 1 }, "Included; 1 passage redacted."],
  [
    { cleaning: { removed: 2, neutralised: 1 } },
    "Included; 2 invisible characters removed; 1 role marker broken up.",
  ],
  [{ reason: "floor", kind: "decision" }, "Kept a place for decision."],
  [
    { outcome: "out", reason: "budget", shortage: { needs: 214, left: 88, unit: "characters" } },
    "Would need 214 characters, 88 were left.",
  ],
  [
    { outcome: "out", reason: "below_floor", score: { value: 0.04 } },
    "Scored 0.04, below the lowest score taken.",
  ],
  [{ outcome: "out", reason: "duplicate", because: "d7" }, "Says the same as d7."],
  [{ outcome: "out", reason: "leader_out", because: "d7" }, "Makes no sense without d7."],
  [{ outcome: "out", reason: "banned" }, "Banned from this prompt."],
  [{ outcome: "out", reason: "empty" }, "Has nothing to say."],
  [{ outcome: "out", reason: "redacted" }, "Redacted."],
  [{ outcome: "out", reason: "inactive", note: "superseded by d9" }, "Inactive; superseded by d9."],
];

for (const [more, sentence] of SENTENCES) {
  test(`a row can say: ${sentence}`, () => {
    assert.equal(explainRow(row(more)), sentence);
  });
}
