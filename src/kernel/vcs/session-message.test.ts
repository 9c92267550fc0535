import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { chronosLine } from "./chronos.ts";
import {
  holdsHeading,
  parseSessionMessage,
  renderSessionMessage,
  type SessionMessage,
} from "./session-message.ts";

const at = Date.UTC(2026, 1, 22, 12);
const usual: SessionMessage = {
  summary: "Settings are read once",
  chronos: chronosLine(at),
  prompt: "Make it faster.",
  context: "Reading settings is slow.",
  changes: ["Read the settings once", "Measure it"],
  squashed: ["kkmm", "nnoo"],
  before: undefined,
};

describe("the message of a session", () => {
  test("has the canonical shape", () => {
    assert.equal(
      renderSessionMessage(usual),
      `session: Settings are read once
${chronosLine(at)}

## Original Prompt
Make it faster.

## Agent Context
Reading settings is slow.

## Logical Changes
- Read the settings once
- Measure it

## Squashed Change IDs
- kkmm
- nnoo
`,
    );
  });

  test("says that nothing changed, and keeps what the only commit said before", () => {
    const none = renderSessionMessage({ ...usual, changes: [], squashed: undefined });
    const single = renderSessionMessage({
      ...usual,
      changes: ["One"],
      squashed: undefined,
      before: "intent: One\n",
    });

    assert.ok(none.endsWith("## Logical Changes\n- none\n"));
    assert.ok(single.endsWith("## Logical Changes\n- One\n\nintent: One\n"));
    assert.ok(!single.includes("## Squashed Change IDs"));
  });

  test("is read back exactly, whatever the prompt holds", () => {
    const line = fc
      .string({ unit: "grapheme", minLength: 1 })
      .filter((text) => !/[\n\r\0]/.test(text) && text.trim() !== "")
      .map((text) => text.trim());
    const heading = fc.constantFrom(
      "\n\n## Agent Context\nx\n\n## Logical Changes\n- y",
      "\n\n## Squashed Change IDs\n- z\n",
      "\n\n## Original Prompt\n",
      "session: no\n",
    );
    const prompt = fc
      .array(fc.oneof(fc.string({ unit: "grapheme" }), heading, fc.constant("\r\n\u001b[0m")))
      .map((parts) => parts.join(""));
    const context = fc.string({ unit: "grapheme" }).filter((text) => !holdsHeading(text));
    fc.assert(
      fc.property(
        line,
        prompt,
        context,
        fc.array(line),
        fc.option(fc.array(fc.stringMatching(/^[k-z]{8}$/), { minLength: 2 }), { nil: undefined }),
        fc.boolean(),
        (summary, words, why, changes, squashed, isSingle) => {
          const named = changes.filter((each) => each !== "none");
          const before = isSingle && squashed === undefined ? "intent: x\n" : undefined;
          const message = {
            ...usual,
            summary,
            prompt: words,
            context: why,
            changes: named,
            squashed,
            before,
          };

          assert.deepEqual(parseSessionMessage(renderSessionMessage(message)), message);
        },
      ),
    );
  });

  test("is told from what only resembles it", () => {
    const whole = renderSessionMessage(usual);

    for (const broken of [
      whole.replace("session:", "intent:"),
      whole.replace("session: Settings are read once", "session: "),
      whole.replace(chronosLine(at), "2026-02-22"),
      whole.replace(`${chronosLine(at)}\n`, ""),
      whole.replace("## Original Prompt", "## Prompt"),
      whole.replace("## Agent Context", "Agent Context"),
      whole.replace("## Logical Changes\n-", "## Logical Changes\n*"),
      whole.replace("- kkmm", "kkmm"),
      "session: x\n",
      "",
    ]) {
      assert.equal(parseSessionMessage(broken), undefined, broken.slice(0, 60));
    }
  });
});
