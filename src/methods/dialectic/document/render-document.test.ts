/** Every document of every built-in domain: what a model writes is accepted, shown whole, and its gaps are marked. */

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { builtInLibrary } from "../../../../tests/scratch/scratch-kernel.ts";
import { checkValue } from "../../../kernel/contract/check-value.ts";
import { compileDomain } from "../recipe/compile-domain.ts";
import type { CompiledDomain } from "../recipe/compiled-domain.ts";
import type { Field } from "../recipe/document-file.ts";
import { documentContract } from "./document-contract.ts";
import { headerContract, sliceOfHeader } from "./header-contract.ts";
import { gapsIn, renderDocument, renderSections } from "./render-document.ts";

const domains = ["software", "research"].map(
  (key) => compileDomain(builtInLibrary(), key).domain as CompiledDomain,
);

/** A value in which every text is another one. */
function filled(fields: readonly Field[], words: string[]): Record<string, unknown> {
  const word = () => {
    words.push(`word${words.length}x`);
    return words.at(-1) ?? "";
  };
  return Object.fromEntries(fields.map((field) => [field.key, valueOf(field)]));

  function valueOf(field: Field): unknown {
    switch (field.kind) {
      case "text":
        return `${word()} said.\n\nAnd ${word()}.`;
      case "line":
      case "block":
        return word();
      case "number":
        return field.minimum ?? field.maximum ?? 3;
      case "flag":
        return true;
      case "choice":
        return field.options[0];
      case "lines":
        return Array.from({ length: Math.max(2, field.least) }, word);
      case "object":
        return filled(field.fields, words);
      case "list":
        return Array.from({ length: Math.max(2, field.least) }, () => filled(field.fields, words));
    }
  }
}

describe("every built-in document", () => {
  const steps = domains.flatMap(({ key, stages }) =>
    stages.flatMap((stage) =>
      stage.steps.map((step) => ({ name: `${key}/${stage.key}/${step.key}`, step })),
    ),
  );
  const documents = steps.filter(({ step }) => step.outputType !== "HeaderContext");

  test("is accepted as it is asked for, and shows every word of it", () => {
    assert.ok(documents.length >= 40);
    for (const { name, step } of documents) {
      const words: string[] = [];
      const value = filled(step.shape.fields, words);

      const reading = checkValue(documentContract(step.shape), value);
      assert.ok(reading.ok, `${name}: ${reading.ok ? "" : JSON.stringify(reading.problems)}`);
      assert.deepEqual(reading.value, value, name);
      const markdown = renderDocument(step.shape, value);
      const hidden = words.filter((word) => !markdown.includes(word));
      assert.deepEqual(hidden, [], name);
      assert.deepEqual(gapsIn(step.shape, value), [], name);
      const sections = renderSections(step.shape, value)
        .map(({ markdown: text }) => text)
        .join("\n");
      assert.deepEqual(
        words.filter((word) => !sections.includes(word)),
        [],
        name,
      );
    }
  });

  test("marks what is missing, and names it", () => {
    for (const { name, step } of documents) {
      const required = step.shape.fields.filter((field) => field.required);

      assert.ok(gapsIn(step.shape, {}).length >= required.length, name);
      const missing = renderDocument(step.shape, {}).match(/\*\*Missing\.\*\*/g) ?? [];
      assert.equal(missing.length, required.length, name);
    }
  });

  test("headers need an entry for each document, in any order and under either name", () => {
    for (const { name, step } of steps.filter(({ step: each }) => each.plans.length > 0)) {
      const words: string[] = [];
      const entries = step.plans.map((shape) => ({
        document_key: shape.key,
        context_to_include: Object.fromEntries(shape.fields.map(({ key }) => [key, ["Say", key]])),
      }));
      const own = filled(step.shape.fields, words);
      const contract = headerContract(step);

      const whole = checkValue(contract, { ...own, context_for_documents: entries.toReversed() });
      const less = checkValue(contract, { ...own, context_for_documents: entries.slice(1) });

      assert.ok(whole.ok, `${name}: ${whole.ok ? "" : JSON.stringify(whole.problems)}`);
      assert.equal(less.ok, false, name);
      const last = step.plans.at(-1);
      const { own: notes } = sliceOfHeader(step.shape, whole.value as never, last?.key ?? "");
      assert.deepEqual(
        Object.keys(notes),
        last?.planned.map(({ key }) => key),
        name,
      );
      for (const { key, kind } of last?.planned ?? []) {
        assert.deepEqual(notes[key], kind === "list" ? ["Say", key] : `- Say\n- ${key}`, name);
      }
    }
  });
});
