import assert from "node:assert/strict";
import { test } from "node:test";
import * as z from "zod";
import { defineContract } from "./contract.ts";
import { formOf, readForm } from "./form.ts";

const contract = defineContract({
  name: "approval",
  schema: z.object({
    title: z.string().max(80),
    body: z.string().meta({ longtext: true, title: "Text", description: "What should be said." }),
    score: z.number().min(0).max(10),
    approved: z.boolean(),
    level: z.enum(["low", "high"]).nullable(),
    tags: z.array(z.enum(["a", "b", "c"])),
    steps: z.array(z.string()).optional(),
    extra: z.record(z.string(), z.unknown()).optional(),
    owner: z.object({ name: z.string(), age: z.int().optional() }),
    kind: z.enum(["x", "y"]).default("x"),
  }),
});

test("each field has the type, options, bounds and help that its schema gives", () => {
  const form = formOf(contract);

  assert.deepEqual(
    form.map(({ name, type, required }) => [name, type, required]),
    [
      ["title", "text", true],
      ["body", "longtext", true],
      ["score", "number", true],
      ["approved", "confirm", true],
      ["level", "choice", true],
      ["tags", "multiselect", true],
      ["steps", "list", false],
      ["extra", "json", false],
      ["owner.name", "text", true],
      ["owner.age", "number", false],
      ["kind", "choice", false],
    ],
  );
  assert.deepEqual(form[1], {
    name: "body",
    label: "Text",
    type: "longtext",
    required: true,
    help: "What should be said.",
  });
  assert.deepEqual([form[2]?.minimum, form[2]?.maximum], [0, 10]);
  assert.deepEqual(
    form[5]?.options?.map(({ value }) => value),
    ["a", "b", "c"],
  );
  assert.equal(form[8]?.label, "Owner: name");
  assert.equal(form[10]?.initial, "x");
  assert.equal(formOf(contract), form);
});

test("answers as people type them become a value that meets the contract", () => {
  const reading = readForm(contract, {
    title: "One",
    body: "Long",
    score: "7.5",
    approved: "yes",
    level: "LOW",
    tags: "a\nc",
    steps: "first\n\nsecond",
    extra: '{"k": 1}',
    "owner.name": "Ann",
    "owner.age": "",
  });

  assert.ok(reading.ok, JSON.stringify(reading));
  assert.deepEqual(reading.value, {
    title: "One",
    body: "Long",
    score: 7.5,
    approved: true,
    level: "low",
    tags: ["a", "c"],
    steps: ["first", "second"],
    extra: { k: 1 },
    owner: { name: "Ann" },
    kind: "x",
  });
});

test("what is wrong or missing is told by the field's name", () => {
  const reading = readForm(contract, {
    title: "One",
    score: "11",
    approved: true,
    level: "low",
    tags: ["z"],
    "owner.name": "Ann",
  });

  assert.ok(!reading.ok);
  assert.deepEqual(
    reading.problems.map(({ path, code }) => [path, code]),
    [
      ["body", "missing"],
      ["score", "out_of_range"],
      ["tags[0]", "not_allowed"],
    ],
  );
});

test("what is no JSON in a JSON field is told, not lost", () => {
  const json = defineContract({
    name: "json",
    schema: z.object({ data: z.record(z.string(), z.unknown()) }),
  });

  const reading = readForm(json, { data: "{not json" });

  assert.ok(!reading.ok);
  assert.deepEqual(
    reading.problems.map(({ path }) => path),
    ["data"],
  );
});

test("a contract that is one value is a form of one field", () => {
  const word = defineContract({ name: "word", schema: z.enum(["yes", "no"]) });

  assert.deepEqual(
    formOf(word).map(({ name, type, label }) => [name, type, label]),
    [["", "choice", "Answer"]],
  );
  assert.deepEqual(readForm(word, { "": "yes" }), {
    ok: true,
    value: "yes",
    repairs: [],
    loss: "none",
  });
});
