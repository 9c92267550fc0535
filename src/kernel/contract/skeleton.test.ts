import assert from "node:assert/strict";
import { test } from "node:test";
import * as z from "zod";
import { defineContract } from "./contract.ts";
import { exampleOf } from "./example.ts";
import { shapeOfSchema } from "./shape.ts";
import { skeletonOf } from "./skeleton.ts";

const Tree = z.object({
  name: z.string(),
  get children() {
    return z.array(Tree);
  },
  get parent() {
    return Tree.nullable();
  },
});

const schemas: Record<string, z.ZodType> = {
  fields: z.object({
    title: z.string().min(1),
    done: z.boolean(),
    when: z.iso.datetime(),
    mail: z.email().optional(),
  }),
  numbers: z.object({
    a: z.number().min(0).max(1),
    b: z.int().min(3),
    c: z.number().max(-2),
    d: z.int().min(0).max(100),
    e: z.number().gt(5),
  }),
  choices: z.object({
    status: z.enum(["OK", "BAD"]),
    kind: z.literal("x"),
    level: z.union([z.literal(1), z.literal(2)]),
  }),
  lists: z.object({
    tags: z.array(z.string()).min(2),
    pair: z.tuple([z.string(), z.number()]),
    none: z.array(z.never()),
  }),
  unions: z.object({
    x: z.discriminatedUnion("kind", [
      z.object({ kind: z.literal("a"), n: z.number() }),
      z.object({ kind: z.literal("b") }),
    ]),
    y: z.string().nullable(),
  }),
  records: z.object({ map: z.record(z.string(), z.number()), any: z.unknown() }),
  open: z.object({ a: z.string() }).and(z.record(z.string(), z.unknown())),
  twice: z.object({ a: z.string() }).and(z.object({ a: z.string().min(2), d: z.number() })),
  both: z.object({ a: z.string() }).and(z.object({ b: z.number() })),
  tree: Tree,
  list: z.array(z.object({ id: z.string() })),
};

for (const [name, schema] of Object.entries(schemas)) {
  test(`the example for ${name} is valid JSON and meets its own schema`, () => {
    const example = exampleOf(shapeOfSchema(schema));

    const result = schema.safeParse(JSON.parse(JSON.stringify(example)));
    assert.ok(result.success, JSON.stringify([example, result.error?.issues]));
  });
}

test("the JSON skeleton shows valid JSON and keeps ranges and choices in prose", () => {
  const contract = defineContract({
    name: "review",
    schema: z.object({
      confidence: z.number().min(0).max(1).describe("how sure you are"),
      verdict: z.enum(["approve", "reject"]),
      files: z
        .array(z.object({ path: z.string(), lines: z.int().min(1) }))
        .max(5)
        .optional(),
    }),
  });

  const text = skeletonOf(contract);

  const json = text.slice(text.indexOf("{"), text.indexOf("\n}") + 2);
  assert.deepEqual(JSON.parse(json), {
    confidence: 0.5,
    verdict: "approve",
    files: [{ path: "<path here>", lines: 2 }],
  });
  assert.match(text, /- `confidence`: a number from 0 to 1\. How sure you are\./);
  assert.match(text, /- `verdict`: one of approve, reject\./);
  assert.match(text, /- `files`: a list of at most 5 items, each an object, optional\./);
  assert.match(text, /- `files\[\]\.lines`: a whole number of at least 1\./);
  assert.doesNotMatch(text, /\d\.\d-\d\.\d/);
  assert.equal(skeletonOf(contract), text);
});

test("every kind of field is described in words", () => {
  const contract = defineContract({
    name: "all",
    schema: z.object({
      a: z.string().min(2).max(5),
      b: z.string().length(3),
      c: z.array(z.string()).min(1),
      d: z.number().gt(0).lt(1),
      e: z.number().max(9),
      f: z.union([z.object({ x: z.boolean() }), z.null()]),
      g: z.enum(["u", "v"]).nullable(),
      h: z.unknown(),
      i: z.iso.date().describe("Which day?"),
      j: z.literal("always"),
      k: z.string().min(1).describe("R1, R2, …"),
      l: z.array(z.string().min(1)).min(0),
      m: z.tuple([z.string(), z.number()]),
    }),
  });

  const notes = skeletonOf(contract)
    .split("\n")
    .filter((line) => line.startsWith("- `"));

  assert.deepEqual(notes, [
    "- `a`: text, 2 to 5 characters.",
    "- `b`: text, exactly 3 characters.",
    "- `c`: a list of at least 1 items, each text.",
    "- `d`: a number above 0 below 1.",
    "- `e`: a number of at most 9.",
    "- `f`: an object or null.",
    "- `f.x`: true or false.",
    "- `g`: one of u, v or null.",
    "- `h`: any JSON value.",
    "- `i`: text (date). Which day?",
    "- `j`: always always.",
    "- `k`: text. R1, R2, …",
    "- `l`: a list, each text.",
    "- `m`: a list of exactly 2 items.",
  ]);
});

test("what stands in a list is named by its singular", () => {
  const texts = z.array(z.string());
  const schema = z.object({ notes: texts, categories: texts, consensus: texts, analysis: texts });

  assert.deepEqual(exampleOf(shapeOfSchema(schema)), {
    notes: ["<note here>"],
    categories: ["<category here>"],
    consensus: ["<consensus here>"],
    analysis: ["<analysis here>"],
  });
});

test("the sections skeleton shows each heading with what belongs under it", () => {
  const contract = defineContract({
    name: "reply",
    schema: z.object({
      status: z.enum(["SUCCESS", "FAILED"]),
      summary: z.string().describe("one or two sentences"),
      metadata: z
        .object({ confidence: z.number().min(0).max(1), stage: z.string().nullable() })
        .optional(),
      risks: z.array(z.string()),
    }),
    sections: [
      { heading: "Status", field: "status", read: "word" },
      { heading: "Summary", field: "summary", read: "text" },
      { heading: "Metadata", field: "metadata", read: "pairs" },
      {
        heading: "Risks",
        field: "risks",
        read: "list",
        instruction: "What could go wrong, as bullets.",
      },
    ],
  });

  const text = skeletonOf(contract);

  assert.deepEqual(
    [...text.matchAll(/^## (.+)$/gm)].map(([, title]) => title),
    ["Status", "Summary", "Metadata", "Risks"],
  );
  assert.match(text, /## Status\nOne word: one of SUCCESS, FAILED\./);
  assert.match(text, /## Summary\nOne or two sentences\./);
  assert.match(text, /- `confidence`: a number from 0 to 1\./);
  assert.match(text, /## Risks\nWhat could go wrong, as bullets\.$/);
  const fenced = /```json\n([\s\S]*?)\n```/.exec(text)?.[1] ?? "";
  assert.deepEqual(JSON.parse(fenced), { confidence: 0.5, stage: "<stage here>" });
  assert.match(skeletonOf(contract, "json"), /^Answer with one JSON object/);
});

test("a section with words of its own says itself when it may be left out", () => {
  const contract = defineContract({
    name: "reply",
    schema: z.object({ note: z.string().optional(), more: z.string().optional() }),
    sections: [
      { heading: "Note", field: "note", read: "text", instruction: "Only if there is one." },
      { heading: "More", field: "more", read: "text" },
    ],
  });

  assert.match(
    skeletonOf(contract),
    /## Note\nOnly if there is one\.\n\n## More\nText\. \(may be left out\)$/,
  );
});
