import assert from "node:assert/strict";
import { describe, test } from "node:test";
import * as fc from "fast-check";
import * as z from "zod";
import { continuationPoint } from "./continuation-point.ts";
import { continuationPrompt } from "./continuation-prompt.ts";
import { defineContract } from "./contract.ts";
import { joinContinuation } from "./join-continuation.ts";
import { longestOverlap } from "./overlap.ts";

const DOCUMENT = {
  status: "SUCCESS",
  summary: 'Zwei Fälle — 日本語, "quoted" and \\ back; emoji 🧪🧬.',
  items: [
    { id: "a1", title: "First step of the plan", notes: ["alpha", "beta"], score: 12.5 },
    { id: "a2", title: "Second step of the plan", notes: [], score: -3e-4 },
    { id: "a3", title: "```js\nlet x = {};\n```", notes: ["same words", "same words"], score: 0 },
  ],
  done: true,
};
const JSON_ANSWER = JSON.stringify(DOCUMENT, null, 2);
const FENCED_ANSWER = `Here is the plan:\n\n\`\`\`json\n${JSON_ANSWER}\n\`\`\`\n`;
const SECTIONS_ANSWER = `## Status
SUCCESS

## Summary
Two cases were read; “smart” marks stay, 🧪 too.

## Output
| Case | Result |
|------|--------|
| one  | pass   |
| two  | pass   |

------------------------------------------------------------------------

\`\`\`json
{"verdict": "pass", "cases": [1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1]}
\`\`\`

## Next Action
COMPLETE

## Metadata
\`\`\`json
{ "confidence": 0.9, "suggested_tags": ["a", "b"], "suggested_next_stage": null }
\`\`\`
`;
const ANSWERS = { json: JSON_ANSWER, fenced: FENCED_ANSWER, sections: SECTIONS_ANSWER };

/** What a model does that follows the prompt to the letter. */
function obedient(soFar: string, rest: string): string {
  const { mark, anchor } = continuationPoint(soFar);
  return `${mark}\n${anchor}${rest}`;
}

describe("a reply cut at every UTF-16 unit", () => {
  for (const [name, answer] of Object.entries(ANSWERS)) {
    test(`joins to the original when the ${name} answer goes on exactly`, () => {
      for (let cut = 0; cut <= answer.length; cut += 1) {
        const joined = joinContinuation(answer.slice(0, cut), answer.slice(cut));

        assert.equal(joined.text, answer, `cut at ${cut}`);
        assert.deepEqual(joined.dropped, []);
      }
    });

    test(`joins to the original when the ${name} answer follows the prompt`, () => {
      for (let cut = 1; cut <= answer.length; cut += 1) {
        const soFar = answer.slice(0, cut);
        const { text } = continuationPoint(soFar);

        const joined = joinContinuation(soFar, obedient(soFar, answer.slice(text.length)));

        assert.equal(joined.text, answer, `cut at ${cut}`);
      }
    });

    test(`joins to the original when the ${name} answer follows it behind a fence or a lead-in`, () => {
      for (let cut = 1; cut < answer.length; cut += 1) {
        const soFar = answer.slice(0, cut);
        const rest = obedient(soFar, answer.slice(continuationPoint(soFar).text.length));
        for (const next of [
          `\`\`\`json\n${rest}`,
          `Continuing:\n${rest}`,
          `Sure, here is the rest:\n\n\`\`\`\n${rest}`,
          rest.replace("]]\n", "]]\n```json\n"),
        ]) {
          assert.equal(
            joinContinuation(soFar, next).text,
            answer,
            `cut at ${cut}: ${next.slice(0, 60)}`,
          );
        }
      }
    });

    test(`joins to the original when the ${name} answer first repeats 40 to 400 characters`, () => {
      for (let cut = 40; cut < answer.length; cut += 1) {
        const soFar = continuationPoint(answer.slice(0, cut)).text;
        for (const length of [40, 57, 120, 400]) {
          const from = Math.max(0, soFar.length - length);
          if (isUndecidable(soFar, answer.slice(from))) continue;
          const joined = joinContinuation(soFar, answer.slice(from));
          assert.equal(joined.text, answer, `cut at ${cut}, repeating ${length}`);
        }
      }
    });
  }
});

test("a reply cut inside a UTF-8 sequence joins when the model writes the character whole", () => {
  const bytes = Buffer.from(JSON_ANSWER);
  for (let cut = 1; cut < bytes.length; cut += 1) {
    const soFar = bytes.subarray(0, cut).toString("utf8");
    const whole = continuationPoint(soFar).text;

    const bare = joinContinuation(soFar, JSON_ANSWER.slice(whole.length));
    const marked = joinContinuation(soFar, obedient(soFar, JSON_ANSWER.slice(whole.length)));

    assert.equal(bare.text, JSON_ANSWER, `cut at byte ${cut}`);
    assert.equal(marked.text, JSON_ANSWER, `cut at byte ${cut}`);
  }
});

test("inside JSON a lead-in line, a fence and a short repetition are told by the grammar", () => {
  const compact = JSON.stringify(DOCUMENT);
  for (let cut = 2; cut < compact.length; cut += 1) {
    const soFar = continuationPoint(compact.slice(0, cut)).text;
    const rest = compact.slice(soFar.length);
    for (const next of [
      `Continuing:\n${rest}`,
      `\`\`\`json\n${rest}\n\`\`\``,
      `Continuing the JSON:\n\n\`\`\`json\n${rest}\n\`\`\``,
    ]) {
      assert.equal(
        joinContinuation(soFar, next).text,
        compact,
        `cut at ${cut}: ${next.slice(0, 40)}`,
      );
    }
  }
});

test("for any text and any cut, a continuation that follows the prompt joins exactly", () => {
  const text = fc.oneof(
    fc.string({ unit: "binary", maxLength: 200 }),
    fc.string({ unit: fc.constantFrom("a", "b", "\n", " ", "`", "{", "}", '"'), maxLength: 200 }),
    fc
      .array(
        fc.constantFrom("```\n", "```json\n", '{"a":"', '"}', "Continuing:\n", "ab", "\n", "0, "),
        { maxLength: 40 },
      )
      .map((parts) => parts.join("")),
  );
  fc.assert(
    fc.property(text, fc.nat(), (whole, at) => {
      fc.pre(!whole.includes("\ufffd"));
      const soFar = whole.slice(0, whole.length === 0 ? 0 : at % (whole.length + 1));
      const point = continuationPoint(soFar);
      fc.pre(point.text.trim() !== "");
      const joined = joinContinuation(soFar, obedient(soFar, whole.slice(point.text.length)));
      assert.equal(joined.text, whole);
    }),
    { numRuns: 3_000 },
  );
});

test("for any prose and any cut, a bare continuation joins exactly, runs of one pattern included", () => {
  const prose = fc
    .oneof(
      fc.string({ unit: "binary", maxLength: 120 }),
      fc.string({ unit: fc.constantFrom("a", "b", "\n", " ", '"', ":", "`"), maxLength: 60 }),
      fc
        .tuple(fc.string({ minLength: 1, maxLength: 6 }), fc.nat(60))
        .map(([unit, count]) => unit.repeat(count)),
    )
    .map((text) => text.replace(/[{[\ufffd]/g, "."));
  fc.assert(
    fc.property(prose, fc.nat(), (whole, at) => {
      const cut = whole.length === 0 ? 0 : at % (whole.length + 1);
      const [soFar, rest] = [whole.slice(0, cut), whole.slice(cut)];
      fc.pre(!isHighHalfAlone(soFar, rest) && !/^\s*```/.test(rest));
      assert.equal(joinContinuation(soFar, rest).text, whole);
    }),
    { numRuns: 3_000 },
  );
});

test("for any JSON document and any cut, a bare continuation joins exactly", () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.constantFrom(0, 2), fc.nat(), (value, indent, at) => {
      const whole = JSON.stringify(value, null, indent);
      const cut = at % (whole.length + 1);
      const [soFar, rest] = [whole.slice(0, cut), whole.slice(cut)];
      fc.pre(!isHighHalfAlone(soFar, rest) && longestOverlap(soFar, rest).length < 32);
      assert.equal(joinContinuation(soFar, rest).text, whole);
    }),
    { numRuns: 3_000 },
  );
});

test("aa|aa stays four letters, and forty of them stay eighty", () => {
  assert.equal(joinContinuation("aa", "aa").text, "aaaa");
  assert.equal(joinContinuation("a".repeat(40), "a".repeat(40)).text, "a".repeat(80));
  assert.equal(
    joinContinuation("-".repeat(100), `${"-".repeat(60)}\n`).text,
    `${"-".repeat(160)}\n`,
  );
});

test("half of a UTF-16 pair meets its other half, or gives way to the whole character", () => {
  const [soFar, rest] = ["lab \ud83e", "\uddea!"];

  assert.equal(joinContinuation(soFar, rest).text, "lab 🧪!");
  assert.deepEqual(joinContinuation(soFar, "🧪!"), {
    text: "lab 🧪!",
    seam: "exact",
    dropped: [{ what: "torn_character", text: "\ud83e" }],
    added: 3,
    repeated: false,
    shrunk: false,
  });
});

test("a new beginning replaces what it contains, and a shorter one is not taken", () => {
  const soFar = JSON_ANSWER.slice(0, 300);

  const longer = joinContinuation(soFar, JSON_ANSWER);
  const spaced = joinContinuation(soFar, JSON.stringify(DOCUMENT));
  const shorter = joinContinuation(soFar, JSON_ANSWER.slice(0, 120));

  assert.equal(longer.text, JSON_ANSWER);
  assert.equal(spaced.seam, "restart");
  assert.equal(spaced.text, JSON.stringify(DOCUMENT));
  assert.deepEqual(spaced.dropped, [{ what: "earlier_version", text: soFar }]);
  assert.equal(shorter.text, soFar);
  assert.equal(shorter.shrunk, true);
});

test("the mark without the anchor still drops the mark, and the anchor without its last spaces counts", () => {
  const soFar = "A list:\n- one\n- two, and then ";
  const { mark, anchor } = continuationPoint(soFar);

  const bare = joinContinuation(soFar, `${mark}\nthree`);
  const trimmed = joinContinuation(soFar, `Sure!\n${mark} ${anchor.trimEnd()}three`);

  assert.equal(bare.text, `${soFar}three`);
  assert.equal(trimmed.text, `${soFar}three`);
  assert.deepEqual(
    bare.dropped.map(({ what }) => what),
    ["mark"],
  );
  assert.deepEqual(
    trimmed.dropped.map(({ what }) => what),
    ["lead_in", "mark", "anchor"],
  );
});

test("inside JSON a repetition too short to be sure of is dropped when only that is grammatical", () => {
  const soFar = '{"items":[{"id":"a","title":"One"},{"id":"b"';

  const joined = joinContinuation(soFar, '{"id":"b","title":"Two"}]}');

  assert.equal(joined.text, '{"items":[{"id":"a","title":"One"},{"id":"b","title":"Two"}]}');
  assert.deepEqual(joined.dropped, [{ what: "overlap", text: '{"id":"b"' }]);
});

test("a long repetition that only the plain joining makes grammatical is kept", () => {
  const item = '{"id":"same","title":"the same title again"}';
  const soFar = `[${item}`;

  const joined = joinContinuation(`${soFar},`, `${item}]`);

  assert.equal(joined.text, `${soFar},${item}]`);
});

test("a new beginning in prose is known by its first words", () => {
  const soFar =
    "The report begins with a sentence that is long enough to be known again. It then goes on";
  const again = `${soFar.slice(0, 72)} It went another way and became much longer than before.`;

  const joined = joinContinuation(soFar, again);

  assert.equal(joined.seam, "restart");
  assert.equal(joined.text, again);
  assert.deepEqual(joined.dropped, [{ what: "earlier_version", text: soFar }]);
});

test("in prose a lead-in line, a fence in the middle of a line and a second opening are dropped", () => {
  const cases: [string, string, string][] = [
    ["The work is half", "Continuing:\n done.", "The work is half done."],
    ["The work is half", "```markdown\n done.\n```", "The work is half done."],
    ["Code:\n```js\n", "```js\nlet a;\n```", "Code:\n```js\nlet a;\n```"],
    ["Text.\n", "```json\n{}\n```", "Text.\n```json\n{}\n```"],
    ["## Metadata", "\n```json\n{}\n```", "## Metadata\n```json\n{}\n```"],
  ];
  for (const [soFar, next, whole] of cases) {
    assert.equal(joinContinuation(soFar, next).text, whole, next);
  }
});

test("a continuation that says the same again is told as repetition and adds nothing", () => {
  const soFar = SECTIONS_ANSWER.slice(0, 200);

  const again = joinContinuation(soFar, soFar.slice(-90));

  assert.equal(again.text, soFar);
  assert.equal(again.repeated, true);
  assert.equal(again.added, 0);
});

test("an empty continuation is nothing, and what was there stays", () => {
  assert.deepEqual(joinContinuation("abc", ""), {
    text: "abc",
    seam: "nothing",
    dropped: [],
    added: 0,
    repeated: true,
    shrunk: false,
  });
});

test("joining is linear: a megabyte with a megabyte in well under two seconds", () => {
  const soFar = `{"text":"${"abab ".repeat(200_000)}`;
  const started = performance.now();

  const joined = joinContinuation(soFar, `${"abab ".repeat(200_000)}"}`);

  assert.equal(joined.text.length, 2_000_011);
  assert.ok(performance.now() - started < 2_000);
});

test("the prompt quotes the tail, names the open place and asks for mark and anchor, without prefill", () => {
  const contract = defineContract({
    name: "plan",
    schema: z.object({ items: z.array(z.string()) }),
  });
  const soFar = '{"items":["one","tw';

  const prompt = continuationPrompt({ contract, soFar, missing: ["items"] });

  const { mark, anchor } = continuationPoint(soFar);
  assert.match(prompt, /inside the text of `items\[1\]`/);
  assert.ok(prompt.includes(mark) && prompt.includes(`⟦${anchor}⟧`));
  assert.ok(prompt.includes(`\n${soFar}\n`));
  assert.match(prompt, /Still missing: items\./);
});

function isHighHalfAlone(soFar: string, rest: string): boolean {
  const last = soFar.charCodeAt(soFar.length - 1);
  const first = rest.charCodeAt(0);
  return last >= 0xd800 && last <= 0xdbff && !(first >= 0xdc00 && first <= 0xdfff);
}

/** Runs of one pattern and stretches of mostly white space: the rule leaves them alone. */
function isUndecidable(soFar: string, next: string): boolean {
  const { length, isPeriodic } = longestOverlap(soFar, next);
  return isPeriodic || next.slice(0, length).replace(/\s/g, "").length < 24;
}
