import assert from "node:assert/strict";
import { describe, test } from "node:test";
import * as z from "zod";
import { defineContract } from "./contract.ts";
import { readReply } from "./read-reply.ts";

/** The reply format of seed 004. */
const taskReply = defineContract({
  name: "task reply",
  schema: z.object({
    status: z.enum(["SUCCESS", "PARTIAL", "BLOCKED", "FAILED"]),
    summary: z.string(),
    output: z.record(z.string(), z.unknown()),
    next_action: z.enum(["COMPLETE", "CONTINUE", "ESCALATE", "HOLD"]),
    next_detail: z.string().optional(),
    metadata: z
      .object({
        confidence: z.number().min(0).max(1),
        suggested_tags: z.array(z.string()).optional(),
        suggested_next_stage: z.string().nullable().optional(),
      })
      .optional(),
    risks: z.array(z.string()).optional(),
  }),
  sections: [
    { heading: "Status", field: "status", read: "word" },
    { heading: "Summary", field: "summary", read: "text" },
    { heading: "Output", field: "output", read: "json", textAs: "text" },
    { heading: "Next Action", field: "next_action", read: "word", rest: "next_detail" },
    { heading: "Metadata", field: "metadata", read: "pairs" },
    { heading: "Risks", aliases: ["Open risks"], field: "risks", read: "list" },
  ],
});

const REPLY = `## Status
SUCCESS

## Summary
All three files were read.

## Output
\`\`\`json
{"verdict": "approve", "files": 3}
\`\`\`

## Next Action
CONTINUE
- Merge the branch.

## Metadata
\`\`\`json
{"confidence": 0.8, "suggested_tags": ["review"], "suggested_next_stage": null}
\`\`\`
`;
const VALUE = {
  status: "SUCCESS",
  summary: "All three files were read.",
  output: { verdict: "approve", files: 3 },
  next_action: "CONTINUE",
  next_detail: "- Merge the branch.",
  metadata: { confidence: 0.8, suggested_tags: ["review"], suggested_next_stage: null },
};

function read(text: string, finish: string = "stop") {
  return readReply(taskReply, text, { finish });
}

function valueOf(text: string): typeof VALUE {
  const reading = read(text);
  assert.ok(reading.ok, reading.ok ? "" : JSON.stringify(reading.problems));
  return reading.value as typeof VALUE;
}

test("sections and JSON give the same value", () => {
  const sections = read(REPLY);
  const json = read(JSON.stringify(VALUE));

  assert.ok(sections.ok && json.ok);
  assert.deepEqual(sections.value, VALUE);
  assert.deepEqual(json.value, VALUE);
  assert.deepEqual([sections.loss, json.loss], ["none", "none"]);
});

describe("headings as models write them", () => {
  const variants: Record<string, string> = {
    bold: REPLY.replace(/^## (.+)$/gm, "**$1**"),
    "bold with a colon": REPLY.replace(/^## (.+)$/gm, "**$1:**"),
    numbered: REPLY.replace(
      /^## (.+)$/gm,
      (_, title) => `## ${"SSONM".indexOf(title[0]) + 1}. ${title}`,
    ),
    "in another level and case": REPLY.replace(
      /^## (.+)$/gm,
      (_, title: string) => `### ${title.toUpperCase()} ###`,
    ),
    "with an emoji": REPLY.replaceAll("## ", "## ✅ "),
    "with a value on the line": REPLY.replace("## Status\nSUCCESS", "## Status: SUCCESS"),
    "with the word in brackets": REPLY.replace("\nSUCCESS", "\n[SUCCESS]").replace(
      "\nCONTINUE",
      "\n**[CONTINUE]**",
    ),
    "with the word in code": REPLY.replace("\nSUCCESS", "\n`SUCCESS`."),
    "with Windows line ends": REPLY.replaceAll("\n", "\r\n"),
    "as labels": REPLY.replace(/^## (.+)\n/gm, "$1: "),
    "with the whole answer in a fence": `\`\`\`markdown\n${REPLY}\`\`\``,
    "with the whole answer in a fence that stays open": `\`\`\`markdown\n${REPLY}`,
    "with prose before": `Certainly! Here is my report.\n\n${REPLY}`,
    "mixed, in the contract's order": REPLY.replace("## Next Action", "**Next Action**"),
    "with the detail on the same line": REPLY.replace("CONTINUE\n- Merge", "CONTINUE: - Merge"),
  };
  for (const [name, text] of Object.entries(variants)) {
    test(`${name}: read to the same value`, () => {
      assert.deepEqual(valueOf(text), VALUE);
    });
  }
});

describe("texts that look like headings", () => {
  test("a heading inside a fence is text", () => {
    const output =
      "Use this template:\n\n```markdown\n## Status\nFAILED\n\n## Next Action\nHOLD\n```";

    const value = valueOf(REPLY.replace(/```json\n\{"verdict.*\n```/, output));

    assert.equal(value.status, "SUCCESS");
    assert.deepEqual(value.output, { text: output });
  });

  test("a second heading of a section that has been written belongs to the text around it", () => {
    const output =
      "The report:\n\n## Summary\nIts own summary.\n\n### Status\nfine\n\n**Status** is fine";

    const reading = read(REPLY.replace(/```json\n\{"verdict.*\n```/, output));

    assert.ok(reading.ok);
    assert.equal(reading.value.summary, VALUE.summary);
    assert.deepEqual(reading.value.output, { text: output });
    assert.ok(
      reading.repairs.some(({ sentence }) => sentence.includes('second heading "Summary"')),
    );
  });

  test("a heading that only begins with a known word is text", () => {
    const value = valueOf(REPLY.replace("All three", "## Summary of the work\nAll three"));

    assert.equal(value.summary, "## Summary of the work\nAll three files were read.");
  });

  test("a whole set written again replaces the first, and the ledger keeps it", () => {
    const draft = REPLY.replace("SUCCESS", "FAILED").replace("CONTINUE", "HOLD");

    const reading = read(`${draft}\nOn reflection:\n\n${REPLY}`);

    assert.ok(reading.ok);
    assert.deepEqual(reading.value, VALUE);
    assert.match(reading.repairs[0]!.sentence, /last set/);
  });
});

describe("what a section may hold", () => {
  const withOutput = (output: string) => REPLY.replace(/```json\n\{"verdict.*\n```/, output);

  test("bare JSON, repaired JSON and JSON with a sentence around it are objects", () => {
    assert.deepEqual(
      valueOf(withOutput('{"verdict": "approve", "files": 3}')).output,
      VALUE.output,
    );
    assert.deepEqual(
      valueOf(withOutput("{'verdict': 'approve', 'files': 3,}")).output,
      VALUE.output,
    );
    const around = 'The verdict:\n```json\n{"verdict": "approve", "files": 3}\n```\nThat is all.';
    assert.deepEqual(valueOf(withOutput(around)).output, VALUE.output);
  });

  test("any other text becomes the text of an object, also in a JSON reply", () => {
    assert.deepEqual(valueOf(withOutput("Looks good to me.")).output, {
      text: "Looks good to me.",
    });
    assert.deepEqual(valueOf(JSON.stringify({ ...VALUE, output: "Looks good." })).output, {
      text: "Looks good.",
    });
  });

  test("JSON that cannot be read is refused rather than taken for text", () => {
    const reading = read(withOutput('{"verdict": "approve", "files": [1, 2}'));

    assert.ok(!reading.ok);
    assert.equal(reading.failure, "invalid");
    assert.ok(reading.problems.length > 0);
  });

  test("metadata may come as key: value lines", () => {
    const pairs = "- **Confidence**: 0.8\n- suggested tags: review\n- suggested_next_stage: null";

    const value = valueOf(REPLY.replace(/```json\n\{"confidence.*\n```/, pairs));

    assert.deepEqual(value.metadata, VALUE.metadata);
  });

  test("a reserved key in metadata is left out", () => {
    const reading = read(
      REPLY.replace(
        /```json\n\{"confidence.*\n```/,
        "confidence: 0.8\n__proto__: x\nconstructor: y",
      ),
    );

    assert.ok(reading.ok);
    assert.deepEqual(reading.value.metadata, { confidence: 0.8 });
  });

  test("a list is bullets with what stands under them, by any of its headings", () => {
    const risks = "\n## Open risks\nThese remain:\n- one\n  more of one\n* two\n3. three\n";

    const reading = read(REPLY + risks);

    assert.ok(reading.ok);
    assert.deepEqual(reading.value.risks, ["one\nmore of one", "two", "three"]);
  });

  test("an explicit none is the empty list, an empty section is nothing", () => {
    const none = read(`${REPLY}\n## Risks\n- none\n`);
    const empty = read(`${REPLY}\n## Risks\n\n`);

    assert.ok(none.ok && empty.ok);
    assert.deepEqual(none.value.risks, []);
    assert.equal(none.loss, "coerced");
    assert.equal(empty.value.risks, undefined);
  });

  test("lines without bullets are items, and a JSON list is a list", () => {
    const lines = read(`${REPLY}\n## Risks\none thing\nanother thing\n`);
    const json = read(`${REPLY}\n## Risks\n["one", "two"]\n`);

    assert.ok(lines.ok && json.ok);
    assert.deepEqual(lines.value.risks, ["one thing", "another thing"]);
    assert.equal(lines.loss, "coerced");
    assert.deepEqual(json.value.risks, ["one", "two"]);
  });

  test("a lead before key: value lines is left aside, a value may run over lines, a list may have commas", () => {
    const pairs =
      "My estimate\nconfidence: 0.5\nsuggested_tags: a, b; c\nsuggested_next_stage: human\nreview";

    const reading = read(REPLY.replace(/```json\n\{"confidence.*\n```/, pairs));

    assert.ok(reading.ok);
    assert.deepEqual(reading.value.metadata, {
      confidence: 0.5,
      suggested_tags: ["a", "b", "c"],
      suggested_next_stage: "human\nreview",
    });
  });

  test("text after a word that has no place for it is left aside and noted", () => {
    const reading = read(REPLY.replace("\nSUCCESS", "\nSUCCESS\nEverything went well."));

    assert.ok(reading.ok);
    assert.ok(reading.repairs.some(({ before }) => before === "Everything went well."));
  });

  test("the menu of the template itself is no choice", () => {
    const reading = read(REPLY.replace("\nSUCCESS", "\n[SUCCESS | PARTIAL | BLOCKED | FAILED]"));

    assert.ok(!reading.ok);
    assert.equal(reading.problems[0]?.path, "status");
  });
});

describe("sections that are not there", () => {
  test("a missing and an empty section are named", () => {
    const missing = read(REPLY.replace(/## Next Action[\s\S]*?(?=## Metadata)/, ""));
    const empty = read(REPLY.replace("All three files were read.", ""));

    assert.ok(!missing.ok && !empty.ok);
    assert.deepEqual(
      missing.problems.map(({ message }) => message),
      ['Section "Next Action" is missing.'],
    );
    assert.deepEqual(
      empty.problems.map(({ message }) => message),
      ['Section "Summary" is empty.'],
    );
  });

  test("an unclosed fence is named with the sections it swallows", () => {
    const reading = read(REPLY.replace("3}\n```", "3}"));

    assert.ok(!reading.ok);
    assert.equal(reading.failure, "invalid");
    assert.equal(reading.problems[0]?.code, "unclosed_fence");
    assert.match(reading.problems[0].message, /section "Output" .* "Next Action"/);
    assert.ok(reading.problems.some(({ path }) => path === "next_action"));
  });

  test("a reported cut is a cut, with the sections before it and the open text", () => {
    const reading = read(REPLY.slice(0, REPLY.indexOf("files were")), "max_tokens");

    assert.ok(!reading.ok);
    assert.equal(reading.failure, "truncated");
    assert.deepEqual(reading.partial, { status: "SUCCESS" });
    assert.deepEqual(reading.open, { path: ["summary"], text: "All three " });
  });

  test("no prefix with a reported cut is ever accepted, and none is wrong without it", () => {
    for (let cut = 1; cut < REPLY.length; cut += 1) {
      const reported = read(REPLY.slice(0, cut), "length");
      assert.ok(!reported.ok && reported.failure === "truncated", `cut at ${cut}`);

      const unreported = read(REPLY.slice(0, cut));
      if (!unreported.ok) continue;
      const { next_detail, metadata, ...rest } = unreported.value;
      const { next_detail: _detail, metadata: _metadata, ...whole } = VALUE;
      assert.deepEqual(rest, whole, `cut at ${cut}`);
      assert.ok((next_detail ?? "") === "" || VALUE.next_detail.startsWith(next_detail ?? ""));
      assert.ok(metadata === undefined || metadata.confidence === 0.8);
    }
  });

  test("prose without sections is no payload", () => {
    const reading = read("I looked at it and it is fine.");

    assert.ok(!reading.ok);
    assert.equal(reading.failure, "no_payload");
  });

  test("a contract that takes only sections does not take JSON", () => {
    const only = defineContract({
      name: "only",
      schema: z.object({ a: z.string() }),
      syntaxes: ["sections"],
      sections: [{ heading: "A", field: "a", read: "text" }],
    });

    const reading = readReply(only, '{"a":"x"}', { finish: "stop" });

    assert.ok(!reading.ok);
    assert.equal(reading.failure, "no_payload");
  });
});
