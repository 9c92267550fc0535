import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { maskText } from "./mask-text.ts";

const MARK = "[REDACTED]";

test("stretches are replaced, and what stood around them is found where it stands now", () => {
  const text = "Ann met Bob and Carl.";

  const { text: masked, move } = maskText(text, [
    { start: 8, end: 11 },
    { start: 10, end: 15 },
  ]);

  assert.equal(masked, `Ann met ${MARK} Carl.`);
  const shown = (start: number, end: number) => {
    const range = move({ start, end });
    return masked.slice(range.start, range.end);
  };
  assert.equal(shown(0, 3), "Ann");
  assert.equal(shown(16, 20), "Carl");
  assert.equal(shown(4, 10), `met ${MARK}`);
  assert.equal(shown(8, 15), MARK);
});

test("for any text and stretches: all else stays, and ranges outside of them keep their words", () => {
  const anyRange = fc
    .tuple(fc.nat(40), fc.nat(12))
    .map(([start, length]) => ({ start, end: start + length + 1 }));
  fc.assert(
    fc.property(
      fc.string({ minLength: 60, maxLength: 60, unit: fc.constantFrom("a", "b", "c", " ") }),
      fc.array(anyRange, { maxLength: 4 }),
      anyRange,
      (text, holes, range) => {
        const { text: masked, move } = maskText(text, holes);
        const isHidden = (at: number) => holes.some(({ start, end }) => at >= start && at < end);
        const kept = text
          .split("")
          .filter((_, at) => !isHidden(at))
          .join("");

        assert.equal(masked.replaceAll(MARK, ""), kept);
        const units = Array.from({ length: range.end - range.start }, (_, i) => range.start + i);
        const moved = move(range);
        const said = masked.slice(moved.start, moved.end).replaceAll(MARK, "");
        assert.equal(
          said,
          units
            .filter((at) => !isHidden(at))
            .map((at) => text[at])
            .join(""),
        );
      },
    ),
  );
});
