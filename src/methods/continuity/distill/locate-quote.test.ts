import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { locateQuote } from "./locate-quote.ts";

const located = (text: string, quote: string): string | undefined => {
  const span = locateQuote(text, quote);
  return span && text.slice(span.start, span.end);
};

describe("finding a quote", () => {
  test("as it stands, and as models copy it", () => {
    const text = "So:\nuse **leases**,\n  not “locks” — they outlive their owner.";

    assert.equal(located(text, "they outlive their owner"), "they outlive their owner");
    assert.equal(located(text, 'Use leases, not "locks"'), "use **leases**,\n  not “locks");
    assert.equal(located(text, "“not 'locks' - they…”"), undefined);
    assert.equal(
      located(text, '"...not “locks” - they outlive their owner."'),
      "not “locks” — they outlive their owner.",
    );
    assert.equal(located("端末の時計は比較できない。", "時計は比較できない"), "時計は比較できない");
  });

  test("what does not stand there is not found, and neither is what stands everywhere", () => {
    assert.equal(located("Use leases, not locks.", "Use locks, not leases."), undefined);
    assert.equal(located("Yes. No. Yes.", "Yes."), undefined);
  });

  test("any passage of any text is found again, and what is found is the passage", () => {
    const piece = fc.oneof(
      fc.string({ maxLength: 12 }),
      fc.constantFrom(
        "Größe",
        "時計は比較",
        "“so”",
        "**bold**",
        "\n\n",
        "—",
        "İstanbul",
        "🦀 crab",
      ),
    );
    const texts = fc.array(piece, { minLength: 4, maxLength: 20 }).map((list) => list.join(" "));
    const plain = (part: string) => part.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, "");
    fc.assert(
      fc.property(texts, fc.nat(), fc.nat(), (text, at, length) => {
        const signs = Array.from(text);
        const start = at % signs.length;
        const quote = signs.slice(start, start + 14 + (length % 30)).join("");
        const found = locateQuote(text, quote);

        if (found === undefined) {
          assert.ok(plain(quote).length < 14 || /^["'…]|["'…]$|\.\.\./.test(quote.trim()), quote);
        } else {
          assert.equal(plain(text.slice(found.start, found.end)), plain(quote));
        }
      }),
      { numRuns: 500 },
    );
  });
});
