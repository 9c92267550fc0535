import assert from "node:assert/strict";
import { test } from "node:test";
import { compilePrompt } from "./compile-prompt.ts";
import { diffPrompts } from "./diff-prompts.ts";
import type { Layout, Part } from "./part.ts";
import { packTrace, unpackTrace } from "./prompt-trace.ts";
import { sentPrompt } from "./sent-prompt.ts";

const layout: Layout = {
  layers: [
    { id: "request", role: "user", stability: "turn", heading: "REQUEST" },
    { id: "facts", role: "user", stability: "project", heading: "FACTS" },
    { id: "rules", role: "system", stability: "fixed" },
  ],
};

function compile(texts: Readonly<Record<string, string>>) {
  const parts = Object.entries(texts).map(([name, text], order): Part => {
    const [layer = "", id = ""] = name.split(":");
    return { id, layer, order, text, importance: 1 };
  });
  const compiled = compilePrompt(layout, parts);
  return { compiled, sent: sentPrompt(compiled.messages, unpackTrace(packTrace(compiled))) };
}

test("each range of a sent prompt holds what it held in the compiled one", () => {
  const { compiled, sent } = compile({
    "request:ask": "What is first?",
    "facts:a": "The relay dies.",
    "rules:r": "Answer in one sentence.",
  });
  const wordsOf = ({ text, sourceMap }: typeof sent) =>
    Object.fromEntries(
      sourceMap
        .filter(({ kind }) => kind === "text")
        .map(({ part, start, end }) => [part, text.slice(start, end)]),
    );

  assert.equal(sent.text, compiled.messages.map(({ text }) => text).join("\n\n"));
  assert.equal(Object.keys(wordsOf(sent)).length, 3);
  assert.deepEqual(wordsOf(sent), wordsOf(compiled));
});

test("two sent prompts are compared part by part", () => {
  const before = compile({ "facts:a": "The relay dies.", "facts:gone": "x", "rules:r": "Short." });
  const after = compile({ "facts:a": "The relay lives.", "facts:b": "y", "rules:r": "Short." });
  const changesOf = ({ parts }: ReturnType<typeof diffPrompts>) =>
    Object.fromEntries(parts.map(({ part, change }) => [part, change]));

  assert.deepEqual(changesOf(diffPrompts(before.sent, after.sent)), {
    r: "same",
    a: "changed",
    gone: "removed",
    b: "added",
  });
});

test("a trace that is none leaves only the text", () => {
  for (const trace of [undefined, { ledger: [] }, "x"])
    assert.deepEqual(sentPrompt([{ text: "One" }, { text: "two" }], trace), {
      text: "One\n\ntwo",
      characters: 8,
      sourceMap: [],
      ledger: [],
    });
});
