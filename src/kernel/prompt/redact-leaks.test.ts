import assert from "node:assert/strict";
import { describe, test } from "node:test";
import * as fc from "fast-check";
import { ProductError } from "../base/errors.ts";
import { compilePrompt } from "./compile-prompt.ts";
import { diffPrompts } from "./diff-prompts.ts";
import { firstDifference } from "./first-difference.ts";
import type { Layout, Part } from "./part.ts";
import { anyLayout, anyOptions, anyParts } from "./prompt-arbitraries.suite.ts";
import { createRedactor } from "./redactor.ts";

const SECRET = "the vault opens with the blue key";
/** Neither half is long enough to be found by itself. */
const HALVES = ["blue key", "in clock"] as const;
const layout: Layout = {
  layers: [
    { id: "notes", role: "user", stability: "turn", heading: "NOTES" },
    { id: "late", role: "user", stability: "turn" },
    { id: "rules", role: "system", stability: "fixed" },
  ],
};
const redactor = createRedactor({ texts: [SECRET, HALVES.join(" ")] });

function note(id: string, text: string, more: Partial<Part> = {}): Part {
  const ref = { type: "highlight", id };
  return { id, layer: "notes", order: 0, importance: "required", text: [{ text, ref }], ...more };
}

describe("redacted text", () => {
  test("is replaced, and offsets stay exact", () => {
    const part = note("a", `Bea says ${SECRET}, so there.`);

    const prompt = compilePrompt(layout, [part], { redactor });

    assert.equal(prompt.text, "NOTES\nBea says [REDACTED], so there.");
    assert.deepEqual(
      prompt.sourceMap.map(({ start, end, kind }) => [prompt.text.slice(start, end), kind]),
      [
        ["NOTES\n", "heading"],
        ["Bea says ", "text"],
        ["[REDACTED]", "marker"],
        [", so there.", "text"],
      ],
    );
    assert.deepEqual(prompt.refs, [
      { ref: { type: "highlight", id: "a" }, part: "a", start: 6, end: prompt.text.length },
    ]);
    assert.equal(prompt.ledger[0]?.redactions, 1);
  });

  test("is replaced at its place, whatever was done to the text afterwards", () => {
    const ref = { type: "message", id: "m", field: "content" };
    const places = createRedactor({ places: [{ ref, start: 6, end: 12 }] });
    const text = [{ text: "a\r\nis hunter2\u202e ok", ref, untrusted: "import" }];

    const prompt = compilePrompt(layout, [note("m", "", { text })], { redactor: places });

    assert.match(prompt.text, />\na\nis \[REDACTED\]2 ok\n</);
  });

  test("is found when pieces of one part make it up", () => {
    const text = [
      { text: `Hear: ${HALVES[0]} `, ref: { type: "task", id: "a" } },
      { text: `${HALVES[1]} now`, ref: { type: "task", id: "b" } },
    ];

    const prompt = compilePrompt(layout, [note("x", "", { text })], { redactor });

    assert.equal(prompt.text, "NOTES\nHear: [REDACTED][REDACTED] now");
  });

  test("is found when neighbouring parts make it up", () => {
    const parts = [note("a", `Hear: ${HALVES[0]}`), note("b", `${HALVES[1]} now`, { order: 1 })];

    const prompt = compilePrompt(layout, parts, { redactor });

    assert.equal(prompt.text, "NOTES\nHear: [REDACTED]\n[REDACTED] now");
  });

  test("is found when only the order of the messages brings it together", () => {
    const parts = [
      note("a", `${HALVES[1]} now`, { layer: "notes" }),
      note("b", "between", { layer: "late" }),
      note("c", `Hear: ${HALVES[0]}`, { layer: "rules" }),
    ];
    const bare = { layers: layout.layers.map((layer) => ({ ...layer, heading: "" })) };

    const prompt = compilePrompt(bare, parts, { redactor });

    assert.deepEqual(
      prompt.messages.map(({ text }) => text),
      ["Hear: [REDACTED]", "[REDACTED] now\n\nbetween"],
    );
  });

  test("is found at the end of a message of several parts, and nothing beside it goes", () => {
    const [, late, rules] = layout.layers;
    const bare = { layers: [{ ...layout.layers[0]!, heading: "" }, rules!, late!] };
    const parts = [
      note("a", `${HALVES[1]} now`),
      note("b", "The first of all rules.", { layer: "rules" }),
      note("c", `Hear: ${HALVES[0]}`, { layer: "rules", order: 1 }),
      note("d", "What was between stays as long as it is.", { layer: "late" }),
    ];

    const prompt = compilePrompt(bare, parts, { redactor });

    assert.deepEqual(
      prompt.messages.map(({ text }) => text),
      [
        "The first of all rules.\nHear: [REDACTED]",
        "[REDACTED] now\n\nWhat was between stays as long as it is.",
      ],
    );
  });

  test("leaves nothing of a part that holds nothing else", () => {
    const parts = [note("a", SECRET, { importance: 1 }), note("b", "kept")];

    const prompt = compilePrompt(layout, parts, { redactor });

    assert.equal(prompt.text, "NOTES\nkept");
    assert.equal(prompt.ledger.find(({ part }) => part === "a")?.reason, "redacted");
    assert.throws(() => compilePrompt(layout, [note("a", SECRET)], { redactor }), {
      code: "prompt_context_missing",
    });
  });

  test("in a heading is replaced; put together by headings and separators it is refused", () => {
    const headed: Layout = { layers: [{ ...layout.layers[0]!, heading: SECRET }] };
    const split: Layout = {
      layers: [{ ...layout.layers[0]!, heading: SECRET.slice(0, 12), separator: SECRET.slice(12) }],
    };
    const separated = createRedactor({ texts: ["-- separator --"] });

    assert.match(compilePrompt(headed, [note("a", "x")], { redactor }).text, /^\[REDACTED\]\nx$/);
    assert.ok(compilePrompt(split, [note("a", "x")], { redactor }).text.length > 0);
    assert.throws(
      () =>
        compilePrompt(
          { ...layout, separator: "\n-- separator --\n" },
          [note("a", "x"), note("b", "y", { layer: "late" })],
          {
            redactor: separated,
          },
        ),
      { code: "prompt_redaction_failed" },
    );
  });

  test("does not come out with a refusal either", () => {
    const part = note(SECRET, "x".repeat(100));

    assert.throws(
      () => compilePrompt(layout, [part], { redactor, budget: { characters: 10 } }),
      (error: unknown) => {
        assert.ok(error instanceof ProductError);
        assert.ok(!JSON.stringify([error.message, error.hint, error.details]).includes(SECRET));
        return true;
      },
    );
  });

  test("of an older prompt does not come back in a comparison", () => {
    const before = compilePrompt(layout, [note("a", `First\n${SECRET}\nlast`, { note: SECRET })]);
    const after = compilePrompt(layout, [note("a", "First\nlast")]);

    const diff = diffPrompts(before, after, redactor);

    assert.ok(!JSON.stringify(diff).includes(SECRET));
    assert.equal(diff.parts[0]?.change, "changed");
  });
});

test("credentials never stay, not even when the budget would cut them in two", () => {
  const token = `ghp_${"abcdefghij".repeat(4)}`;
  for (let characters = 20; characters < 90; characters += 1) {
    const part = note("a", `Use ${token} for that and more`, {
      importance: 1,
      cut: { by: "words", minimum: 5 },
    });

    const { text } = compilePrompt(layout, [part], { budget: { characters } });

    assert.ok(!text.includes("ghp_"), text);
  }
});

test("for any parts: nothing redacted is anywhere in what comes out", () => {
  const secrets = fc.constantFrom(
    SECRET,
    "aaaaaaaaaaaaaa",
    "x 1. y 2. z 3. and so on",
    "漢字漢字漢字漢字漢字漢字漢字",
  );
  let made = 0;
  fc.assert(
    fc.property(
      anyLayout,
      anyParts,
      anyOptions,
      secrets,
      fc.array(fc.nat(400)),
      (wild, parts, options, secret, cuts) => {
        const planted = parts.map((part, index) => plant(part, secret, cuts[index] ?? 1000));
        const hunter = createRedactor({ texts: [secret] });

        const attempts = [planted, parts].map((list) => {
          try {
            return compilePrompt(wild, list, { ...options, redactor: hunter });
          } catch (error) {
            if (error instanceof ProductError) {
              assertAbsent(secret, [error.message, error.hint, error.details]);
              return undefined;
            }
            throw error;
          }
        });

        const [first, second] = attempts;
        if (first === undefined) return;
        made += 1;
        assertAbsent(secret, first);
        assert.ok(first.text.isWellFormed());
        const unhidden = compileOrNothing(wild, planted);
        if (unhidden !== undefined) assertAbsent(secret, diffPrompts(unhidden, first, hunter));
        if (second !== undefined)
          assertAbsent(secret, [
            diffPrompts(second, first, hunter),
            firstDifference(second, first),
          ]);
      },
    ),
    { numRuns: 500 },
  );
  assert.ok(made > 100, String(made));
});

/** Puts the secret into the part's text, its ids and its note, or half of it at an edge. */
function plant(part: Part, secret: string, at: number): Part {
  if (at > 300) return part;
  const half = at % 3 === 0 ? secret.slice(0, 14) : secret;
  const into = (text: string): string => text.slice(0, at) + half + text.slice(at);
  if (typeof part.text === "string") return { ...part, text: into(part.text), note: secret };
  const [head, ...rest] = part.text;
  return {
    ...part,
    note: `because ${secret}`,
    text: [{ ...head, text: into(head?.text ?? ""), ref: { type: "task", id: secret } }, ...rest],
  };
}

function compileOrNothing(wild: Layout, parts: readonly Part[]) {
  try {
    return compilePrompt(wild, parts);
  } catch (error) {
    if (error instanceof ProductError) return undefined;
    throw error;
  }
}

function assertAbsent(secret: string, data: unknown): void {
  for (const text of strings(data)) assert.ok(!squeeze(text).includes(squeeze(secret)), text);
}

function* strings(data: unknown): Generator<string> {
  if (typeof data === "string") yield data;
  else if (Array.isArray(data)) for (const item of data) yield* strings(item);
  else if (data !== null && typeof data === "object") {
    for (const [key, value] of Object.entries(data)) {
      yield key;
      yield* strings(value);
    }
  }
}

function squeeze(text: string): string {
  return text.replaceAll(/\s+/g, " ");
}
