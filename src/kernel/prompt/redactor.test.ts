import assert from "node:assert/strict";
import { describe, test } from "node:test";
import * as fc from "fast-check";
import { createRedactor, redactData, redactText, secretsOnly } from "./redactor.ts";

const SECRET = "the vault opens with the blue key behind the clock";
const redactor = createRedactor({ texts: [SECRET] });
const hide = (text: string): string => redactText(redactor, text);

describe("redacted texts", () => {
  test("are removed wherever they stand", () => {
    assert.equal(hide(`He said: ${SECRET}. So?`), "He said: [REDACTED]. So?");
  });

  test("are found across other white space and invisible characters", () => {
    assert.equal(hide(`x ${SECRET.replaceAll(" ", "\n\t ")} y`), "x [REDACTED] y");
    assert.equal(hide(`x ${SECRET.replaceAll("e", "e\u200b\u2060")} y`), "x [REDACTED] y");
  });

  test("are found across invisible characters of every plane, which go with them", () => {
    for (const invisible of ["\u00ad", "\u{1bca0}", "\u{1d173}", "\u{e0041}", "\u{e01ef}"]) {
      assert.equal(hide(`x ${SECRET.replaceAll("e", `e${invisible}`)} y`), "x [REDACTED] y");
      const held = createRedactor({ credentials: ["correct-horse"], finders: [] });
      assert.equal(
        redactText(held, `x correct${invisible}-hor${invisible}${invisible}se`),
        "x [REDACTED:CREDENTIAL]",
      );
    }
    const shown = SECRET.replaceAll("e", "e\u{1f3f4}");
    assert.equal(hide(shown), shown);
  });

  test("are not found where their words run together: then they are other words", () => {
    const together = SECRET.replaceAll(" ", "");

    assert.equal(hide(together), together);
  });

  test("are found in copies that were cut inside them", () => {
    assert.equal(hide(`Note: ${SECRET.slice(0, 14)}…`), "Note: [REDACTED]…");
    assert.equal(hide(`“…${SECRET.slice(-16)}”, said Bea`), "“…[REDACTED]”, said Bea");
    assert.equal(hide(`“${SECRET.slice(4, 20)}”`), "“[REDACTED]”");
  });

  test("are found in part when the part is long", () => {
    assert.equal(hide(`They asked: ${SECRET.slice(4, 33)}?`), "They asked: [REDACTED]?");
  });

  test("do not take short phrases with them that anybody uses", () => {
    const innocent = "In the hall, behind the clock, stands a chair with the blue cover.";

    assert.equal(hide(innocent), innocent);
  });

  test("shorter than 12 characters are only removed at their place", () => {
    const ref = { type: "message", id: "m1", field: "content" };
    const short = createRedactor({ texts: ["hunter2"], places: [{ ref, start: 4, end: 11 }] });

    assert.deepEqual(short.find("was hunter2"), []);
    assert.deepEqual(short.findIn(ref, "was hunter2!"), [{ start: 4, end: 11, label: "" }]);
    assert.deepEqual(short.findIn({ type: "message", id: "m2" }, "was hunter2!"), []);
    assert.deepEqual(short.findIn({ type: "message", id: "m1" }, "was hunter2!"), []);
    assert.deepEqual(short.findIn(ref, "was hunt"), [{ start: 4, end: 8, label: "" }]);
    assert.deepEqual(short.findIn(ref, "was "), []);
  });
});

describe("credentials in use", () => {
  const credential = 'Zx9/tr"0ub4dor&3+correct';
  const held = createRedactor({ credentials: [credential] });
  const forms = {
    raw: credential,
    base64: Buffer.from(credential).toString("base64").replaceAll("=", ""),
    base64url: Buffer.from(credential).toString("base64url"),
    hex: Buffer.from(credential).toString("hex"),
    "upper-case hex": Buffer.from(credential).toString("hex").toUpperCase(),
    "url-encoded": encodeURIComponent(credential),
    "json-escaped": JSON.stringify(credential).slice(1, -1),
    reversed: Array.from(credential).toReversed().join(""),
    "broken over lines": `${credential.slice(0, 9)}\n  ${credential.slice(9)}`,
  };

  for (const [name, form] of Object.entries(forms)) {
    test(`are removed when ${name}`, () => {
      assert.equal(redactText(held, `env: ${form} ;`), "env: [REDACTED:CREDENTIAL] ;");
    });
  }
});

test("credentials of any length are removed in every encoding, from the first letter to the last", () => {
  for (let length = 8; length < 24; length += 1) {
    const credential = 'k"é\\/+:7🔑x-Q&=m"'
      .repeat(2)
      .slice(0, length - 1)
      .toWellFormed()
      .concat('"');
    const held = createRedactor({ credentials: [credential], finders: [] });
    const bytes = Buffer.from(credential);
    for (const form of [
      credential,
      bytes.toString("base64").replace(/=+$/, ""),
      bytes.toString("base64url"),
      bytes.toString("hex"),
      bytes.toString("hex").toUpperCase(),
      encodeURIComponent(credential),
      JSON.stringify(credential).slice(1, -1),
      Array.from(credential).toReversed().join(""),
    ])
      assert.equal(redactText(held, `<${form}>`), "<[REDACTED:CREDENTIAL]>", form);
  }
});

test("a credential that is no whole text is removed all the same", () => {
  const broken = createRedactor({ credentials: ["correct-horse-\ud800"], finders: [] });

  assert.equal(redactText(broken, "so correct-horse-\ufffd"), "so [REDACTED:CREDENTIAL]");
});

test("texts are hunted where there are any", () => {
  assert.deepEqual(
    [{}, { texts: ["x"] }, { credentials: ["x"] }].map((each) => createRedactor(each).huntsTexts),
    [false, true, true],
  );
});

test("without redactions, credentials are still recognised by their shape", () => {
  assert.equal(redactText(secretsOnly, "AKIAIOSFODNN7EXAMPLE"), "[REDACTED:AWS_KEY_ID]");
});

test("data is redacted in every string and key", () => {
  const data = { a: [{ note: `so ${SECRET}` }], [SECRET]: 1, left: null };

  const clean = redactData(redactor, data);

  assert.deepEqual(clean, { a: [{ note: "so [REDACTED]" }], "[REDACTED]": 1, left: null });
});

test("a redaction never leaves half a character behind", () => {
  const ref = { type: "message", id: "m1" };
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom("🧪", "🧫", "🔭", "a"), { minLength: 30, maxLength: 80 }),
      fc.nat(60),
      fc.nat(60),
      (characters, from, length) => {
        const text = characters.join("");
        const hunted = text.slice(from, from + length);
        const both = createRedactor({
          texts: [hunted],
          places: [{ ref, start: from, end: from + length }],
        });

        const shown = redactText(both, text.replaceAll("🧪", "🧫") + text);

        assert.ok(shown.isWellFormed());
        for (const { start, end } of both.findIn(ref, text)) {
          assert.ok((text.slice(0, start) + text.slice(end)).isWellFormed());
        }
      },
    ),
  );
});

test("for any text: no redacted text of 12 or more characters is left", () => {
  const word = fc.constantFrom("a", "ab", " ", "  ", "\n", "key ", "moon", "aaaaaaaaaaaa");
  const words = fc.array(word, { minLength: 8, maxLength: 30 }).map((list) => list.join(""));
  const squeeze = (text: string): string => text.replaceAll(/\s+/g, " ").trim();
  fc.assert(
    fc.property(words, words, words, (secret, before, after) => {
      const hunter = createRedactor({ texts: [secret], finders: [] });

      const shown = redactText(hunter, before + secret + after);

      fc.pre(squeeze(secret).length >= 12);
      assert.ok(!squeeze(shown).includes(squeeze(secret)), shown);
    }),
    { numRuns: 1000 },
  );
});
