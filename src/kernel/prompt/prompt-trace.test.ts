import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { ProductError } from "../base/errors.ts";
import type { Json } from "../base/json.ts";
import { type CompileOptions, compilePrompt } from "./compile-prompt.ts";
import type { CompiledPrompt } from "./compiled-prompt.ts";
import type { Layout, Part } from "./part.ts";
import { anyLayout, anyOptions, anyParts, countFour } from "./prompt-arbitraries.suite.ts";
import { packTrace, unpackTrace } from "./prompt-trace.ts";
import { createRedactor } from "./redactor.ts";

function traceOf({ text: _text, messages, ...trace }: CompiledPrompt): Json {
  return stored({ ...trace, blocks: messages.map(({ blocks }) => blocks) });
}

function stored(value: unknown): Json {
  return JSON.parse(JSON.stringify(value)) as Json;
}

function compiled(layout: Layout, parts: readonly Part[], options: CompileOptions) {
  try {
    return compilePrompt(layout, parts, options);
  } catch (error) {
    if (error instanceof ProductError) return undefined;
    throw error;
  }
}

test("a trace comes back from its packed form as it was", () => {
  fc.assert(
    fc.property(anyLayout, anyParts, anyOptions, fc.boolean(), (layout, parts, given, redacts) => {
      const options = {
        ...given,
        choice: { ...given.choice, leftOut: [{ id: "gone", layer: "one", reason: "inactive" }] },
        countTokens: countFour,
        ...(redacts ? { redactor: createRedactor({ texts: ["the lease decision"] }) } : {}),
      };
      const prompt = compiled(layout, parts, options);
      fc.pre(prompt !== undefined);
      assert.deepEqual(unpackTrace(stored(packTrace(prompt))), traceOf(prompt));
    }),
  );
});

test("a packed trace of many short parts is a third of what it says", () => {
  const layout: Layout = { layers: [{ id: "notes", role: "user", stability: "run" }] };
  const parts = Array.from({ length: 40 }, (_, order): Part => {
    const ref = { type: "note", id: `note-${order}` };
    return {
      id: `n${order}`,
      layer: "notes",
      order,
      importance: 1,
      text: [{ text: "A note.", ref }],
    };
  });
  const prompt = compilePrompt(layout, parts);

  const packed = JSON.stringify(packTrace(prompt)).length;

  assert.ok(packed * 3 < JSON.stringify(traceOf(prompt)).length, `${packed} characters`);
});

test("a trace that a method made itself is given back untouched", () => {
  for (const own of [null, "why", [1], { ledger: [{ part: "item" }] }]) {
    assert.deepEqual(unpackTrace(own), own);
  }
});
