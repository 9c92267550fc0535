import assert from "node:assert/strict";
import { describe, test } from "node:test";
import * as fc from "fast-check";
import {
  findOverlaps,
  findPassages,
  maskSpans,
  REDACTION_MARK,
  SHORTEST_PASSAGE,
} from "./redacted-text.ts";
import { maskDrawn, maskGrowing } from "./redaction-scope.ts";

const words = fc
  .array(fc.constantFrom("alpha", "Beta", "ΓΆΜΜΑ", "delta-4", "İx", "𝒳", "the"), { maxLength: 20 })
  .map((list) => list.join(" "));
const spaced = (text: string) => text.replaceAll(" ", " \n\t");
const plain = (text: string) => text.toLowerCase().replaceAll(/\s+/g, " ");

describe("redacted text", () => {
  test("overlapping and touching spans become one mark each", () => {
    const text = "0123456789";

    assert.equal(
      maskSpans(text, [
        { start: 2, end: 4 },
        { start: 3, end: 6 },
      ]),
      `01${REDACTION_MARK}6789`,
    );
    assert.equal(
      maskSpans(text, [
        { start: 8, end: 99 },
        { start: 0, end: 1 },
      ]),
      `${REDACTION_MARK}1234567${REDACTION_MARK}`,
    );
    assert.equal(maskSpans(text, []), text);
  });

  test("for any text, a passage of it is gone after masking, however it is spaced and cased", () => {
    fc.assert(
      fc.property(words, words, words, (before, passage, after) => {
        fc.pre(passage.trim().length >= SHORTEST_PASSAGE);
        const text = `${before} ${spaced(passage).toUpperCase().toLowerCase()} ${after}`;

        const masked = maskSpans(text, findPassages(text, [passage]));

        assert.ok(!plain(masked).includes(plain(passage)));
      }),
    );
  });

  test("for any text, no piece of a passage long enough to give it away is left", () => {
    fc.assert(
      fc.property(words, words, fc.nat(60), fc.nat(60), (passage, other, from, length) => {
        const piece = passage.slice(from, from + length);
        const text = `${other}${piece} ${other}`;

        const masked = plain(maskSpans(text, findOverlaps(text, [passage])));

        const folded = plain(passage).trim();
        for (let at = 0; at + SHORTEST_PASSAGE <= folded.length; at += 1) {
          assert.ok(!masked.includes(folded.slice(at, at + SHORTEST_PASSAGE)));
        }
      }),
    );
  });
});

describe("a text that still grows", () => {
  const letter = fc.constantFrom("a", "b", "A", " ", "\n");
  const passage = fc.string({ unit: letter, minLength: 14, maxLength: 30 });
  const story = fc.tuple(
    passage,
    passage,
    fc.array(fc.oneof(fc.string({ unit: letter, maxLength: 12 }), fc.constantFrom(1, 2)), {
      maxLength: 12,
    }),
    fc.array(fc.nat({ max: 200 }), { maxLength: 12 }),
  );

  test("put together from pieces shows exactly what the whole would, wherever it was cut", () => {
    fc.assert(
      fc.property(story, ([first, second, parts, cuts]) => {
        const text = parts
          .map((part) => (part === 1 ? first : part === 2 ? second : part))
          .join("");
        const scope = {
          conversationIds: new Set<string>(),
          messageIds: new Set<string>(),
          passages: [first, second].map((each) => ({
            messageId: "m",
            span: { start: 0, end: each.length },
            text: each,
          })),
        };
        let shown = "";
        let from = 0;
        for (const length of cuts.toSorted((a, b) => a - b)) {
          const piece = maskGrowing(scope, text.slice(0, length), { from, isWhole: false });
          shown += piece.text;
          from = piece.next;
        }
        shown += maskGrowing(scope, text, { from, isWhole: true }).text;

        const whole = maskDrawn(scope, { conversationId: null, messageId: null }, text);
        assert.equal(onceEach(shown), onceEach(whole));
      }),
      { numRuns: 2000 },
    );
  });

  /** Marks that touch tell the same as one. */
  function onceEach(masked: string): string {
    return masked.replaceAll(/(?:\[redacted\])+/g, REDACTION_MARK);
  }
});
