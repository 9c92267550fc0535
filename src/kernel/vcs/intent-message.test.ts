import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { findIntentFault, parseIntent, refuseIntent, renderIntent } from "./intent-message.ts";

describe("an intent", () => {
  const prompt =
    "Please make the settings page load in less than a second, and say what you changed.";
  const words = {
    prompt,
    context: "The settings are read from disk on every request, as far as I can see.",
  };

  test("is one line that is read back", () => {
    assert.equal(renderIntent("-x 'y'"), "intent: -x 'y'\n");
    assert.equal(parseIntent("intent: -x 'y'\n"), "-x 'y'");
    assert.equal(parseIntent("intent: a\n\nPrompt: b\n"), undefined);
    assert.equal(parseIntent("intent:\n"), undefined);
    assert.equal(parseIntent("session: a\n"), undefined);
  });

  test("carries neither the prompt nor the context", () => {
    assert.equal(findIntentFault("Read the settings once", words), undefined);
    assert.equal(findIntentFault("Make the settings page load faster", words), undefined);
    assert.equal(findIntentFault("fix tests", { prompt: "fix tests", context: "" }), undefined);

    assert.equal(findIntentFault(" ", words), "empty");
    assert.equal(findIntentFault("a\nb", words), "lines");
    assert.equal(findIntentFault("x".repeat(301), words), "long");
    assert.equal(findIntentFault(`done: ${prompt.toUpperCase()}`, words), "prompt");
    assert.equal(findIntentFault(`${words.context} Fixed.`, words), "context");
    assert.equal(findIntentFault("## Agent Context", words), "context");
    assert.equal(findIntentFault("Prompt: make it so", words), "context");
    assert.throws(() => refuseIntent("", words), { code: "intent_unfit" });
  });
});
