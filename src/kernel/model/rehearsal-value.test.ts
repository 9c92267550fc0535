import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import * as z from "zod";
import { hashText } from "../base/hash.ts";
import type { JsonSchema } from "./model-provider.ts";
import { createDice } from "./rehearsal-dice.ts";
import { planOf } from "./rehearsal-plan.ts";
import { subjectOf } from "./rehearsal-subject.ts";
import { makeValue } from "./rehearsal-value.ts";

const subject = subjectOf([
  {
    role: "user",
    text: "# Import of conversations\n\nProject: Throughline\n- p3: Streaming reader\n- p4: Progress bar\n",
  },
]);

function answer(schema: z.ZodType, seed: string, inventIds = false): unknown {
  const json = z.toJSONSchema(schema, { io: "input" }) as JsonSchema;
  return makeValue(planOf(json), { dice: createDice(hashText(seed)), subject, inventIds });
}

function mustBeValid(schema: z.ZodType, name: string, seeds = 40): void {
  for (let seed = 0; seed < seeds; seed += 1) {
    const value = answer(schema, `${name} ${seed}`);
    const parsed = schema.safeParse(value);
    assert.ok(
      parsed.success,
      `${name}: ${JSON.stringify(value)}\n${parsed.error && z.prettifyError(parsed.error)}`,
    );
  }
}

type Tree = { name: string; children: Tree[] };
const tree: z.ZodType<Tree> = z.object({
  name: z.string(),
  get children() {
    return z.array(tree);
  },
});
type Chain = { value: number; next: Chain | null };
const chain: z.ZodType<Chain> = z.object({
  value: z.int(),
  get next() {
    return chain.nullable();
  },
});

const contracts: Readonly<Record<string, z.ZodType>> = {
  enums: z.object({
    status: z.enum(["SUCCESS", "FAILED"]),
    kind: z.literal("note"),
    any: z.literal(["a", 2, null]),
  }),
  numbers: z.object({
    confidence: z.number().min(0).max(1),
    score: z.int().min(0).max(100),
    step: z.number().multipleOf(0.25).min(1).max(3),
    below: z.number().lt(0),
    above: z.int().gt(1_000_000),
    tiny: z.number().gt(0).lt(0.001),
    one: z.int().min(7).max(7),
    free: z.number(),
    whole: z.int(),
  }),
  lists: z.object({
    two: z.array(z.string()).length(2),
    atLeastFive: z.array(z.object({ id: z.string(), title: z.string().min(3).max(40) })).min(5),
    none: z.array(z.string()).max(0),
    pair: z.tuple([z.string(), z.number()]),
    open: z.tuple([z.boolean()], z.string()),
    choices: z.array(z.enum(["x", "y", "z"])).min(3),
  }),
  texts: z.object({
    short: z.string().max(5),
    exact: z.string().length(17),
    long: z.string().min(900),
    title: z.string().min(10).max(30),
    starts: z.string().startsWith("task:"),
    ends: z.string().endsWith(".md"),
    has: z.string().includes("-x-"),
    code: z.string().regex(/^[A-Z]{3}-\d{2,4}(?:\.[a-f]+)?$/),
    slug: z
      .string()
      .regex(/^[a-z0-9]+(?:-[a-z0-9]+)*$/)
      .max(20),
    notA: z.string().regex(/^(?!a)[a-c]{2}$/),
  }),
  formats: z.object({
    when: z.iso.datetime(),
    day: z.iso.date(),
    time: z.iso.time(),
    duration: z.iso.duration(),
    mail: z.email(),
    link: z.url(),
    uuid: z.uuid(),
    v7: z.uuidv7(),
    ip: z.ipv4(),
    ip6: z.ipv6(),
    b64: z.base64(),
    ulid: z.ulid(),
    nano: z.nanoid(),
    cuid: z.cuid2(),
    phone: z.e164(),
    emoji: z.emoji(),
  }),
  unions: z.object({
    either: z.union([z.string(), z.number(), z.array(z.boolean())]),
    maybe: z.string().nullable(),
    parent: z.string().nullable(),
    shape: z.discriminatedUnion("type", [
      z.object({ type: z.literal("circle"), radius: z.number().positive() }),
      z.object({
        type: z.literal("square"),
        side: z.number().positive(),
        label: z.string().optional(),
      }),
    ]),
  }),
  records: z.object({
    byName: z.record(z.string(), z.int().min(1).max(5)),
    byKey: z.record(z.enum(["low", "high"]), z.string()),
    byPattern: z.record(z.string().regex(/^[a-z]{2}$/), z.boolean()),
    loose: z.looseObject({ id: z.string() }),
    strict: z.strictObject({ id: z.string() }),
    anything: z.any(),
    json: z.json(),
    empty: z.object({}),
  }),
  tree,
  chain,
  both: z.intersection(
    z.object({ a: z.string(), n: z.int().min(1) }),
    z.object({ b: z.string().max(9), n: z.int().max(3) }),
  ),
  optional: z.object({
    never: z.never().optional(),
    maybe: z.string().optional(),
    fallback: z.string().default("x"),
  }),
  list: z.array(z.object({ name: z.string() })).min(1),
  text: z.string(),
};

for (const [name, schema] of Object.entries(contracts)) {
  test(`answers ${name} with a valid value, whatever the dice say`, () =>
    mustBeValid(schema, name));
}

test("plain JSON schemas are answered too: draft 7 tuples, type lists, pattern properties, unique items", () => {
  const schema = {
    type: "object",
    required: ["pair", "maybe", "labels", "set", "extra"],
    properties: {
      pair: {
        type: "array",
        items: [{ type: "string" }, { type: "integer", minimum: 3, maximum: 3 }],
        additionalItems: false,
      },
      maybe: { type: ["string", "null"], maxLength: 10 },
      labels: {
        type: "object",
        patternProperties: { "^x-[a-z]+$": { type: "integer" } },
        additionalProperties: false,
        minProperties: 1,
      },
      set: {
        type: "array",
        uniqueItems: true,
        minItems: 6,
        items: { type: "integer", minimum: 1, maximum: 6 },
      },
      has: { type: "array", contains: { const: "must" } },
    },
    $defs: { note: { type: "string" } },
  };

  for (let seed = 0; seed < 30; seed += 1) {
    const dice = createDice(hashText(String(seed)));
    const value = makeValue(planOf(schema), { dice, subject, inventIds: false }) as Record<
      string,
      never
    >;
    const { pair, maybe, labels, set, has, extra } = value as Record<string, unknown[]>;
    assert.equal(typeof pair?.[0], "string");
    assert.deepEqual(pair?.slice(1), [3]);
    assert.ok(maybe === null || typeof maybe === "string");
    assert.ok(
      Object.keys(labels ?? {}).length > 0 &&
        Object.keys(labels ?? {}).every((key) => /^x-[a-z]+$/.test(key)),
    );
    assert.deepEqual(set?.toSorted(), [1, 2, 3, 4, 5, 6]);
    assert.ok(has?.includes("must"));
    assert.ok(extra !== undefined);
  }
});

test("any schema made of the usual parts is answered validly", () => {
  const name = fc.constantFrom(
    "summary",
    "title",
    "risk",
    "owner",
    "id",
    "status",
    "confidence",
    "content",
    "tags",
    "x",
  );
  const { schema } = fc.letrec<{ schema: z.ZodType }>((tie) => ({
    schema: fc.oneof(
      { maxDepth: 4, depthIdentifier: "schema" },
      fc.record({ min: fc.nat(30), more: fc.nat(60) }).map(({ min, more }) =>
        z
          .string()
          .min(min)
          .max(min + more),
      ),
      fc.record({ low: fc.integer({ min: -50, max: 50 }), more: fc.nat(40) }).map(({ low, more }) =>
        z
          .int()
          .min(low)
          .max(low + more),
      ),
      fc.constantFrom(
        z.string(),
        z.number(),
        z.boolean(),
        z.null(),
        z.iso.date(),
        z.uuid(),
        z.email(),
      ),
      fc
        .uniqueArray(fc.stringMatching(/^[a-z]{1,6}$/), { minLength: 1, maxLength: 5 })
        .map((values) => z.enum(values as [string, ...string[]])),
      fc
        .record({ item: tie("schema"), min: fc.nat(3), more: fc.nat(3) })
        .map(({ item, min, more }) =>
          z
            .array(item)
            .min(min)
            .max(min + more),
        ),
      tie("schema").map((inner) => inner.nullable()),
      fc
        .array(tie("schema"), { minLength: 1, maxLength: 3 })
        .map((options) => z.union(options as [z.ZodType, ...z.ZodType[]])),
      fc
        .dictionary(name, fc.record({ inner: tie("schema"), optional: fc.boolean() }), {
          maxKeys: 5,
          noNullPrototype: true,
        })
        .map((fields) =>
          z.strictObject(
            Object.fromEntries(
              Object.entries(fields).map(([key, { inner, optional }]) => [
                key,
                optional ? inner.optional() : inner,
              ]),
            ),
          ),
        ),
      tie("schema").map((inner) => z.record(z.string(), inner)),
    ),
  }));
  fc.assert(
    fc.property(schema, fc.string(), (made, seed) => {
      const value = answer(made, seed);
      const parsed = made.safeParse(JSON.parse(JSON.stringify(value)));
      assert.ok(
        parsed.success,
        parsed.error && `${JSON.stringify(value)} ${z.prettifyError(parsed.error)}`,
      );
    }),
    { numRuns: 400 },
  );
});

test("a schema that only contains itself, or names a pattern that is none, is not followed for ever", () => {
  const make = (schema: JsonSchema) =>
    makeValue(planOf(schema), { dice: createDice(hashText("x")), subject, inventIds: false });
  const endless = [
    { $ref: "#" },
    { type: "array", minItems: 1, items: { $ref: "#" } },
    { type: "object", required: ["a"], properties: { a: { $ref: "#" } } },
    { anyOf: [{ $ref: "#" }, { type: "array", minItems: 1, items: { $ref: "#" } }] },
  ];

  for (const schema of endless)
    assert.throws(() => make(schema), { code: "model_invalid_request" });
  assert.equal(typeof make({ type: "string", pattern: "(" }), "string");
  assert.equal(typeof make({ $ref: "#/nowhere" }), "string");
});

test("a contract nobody can meet is refused with advice", () => {
  assert.throws(() => answer(z.object({ impossible: z.never() }), "x"), {
    code: "model_invalid_request",
    hint: /script/,
  });
});

test("a colleague of good will: work succeeds, nothing blocks, confidence is high but not total", () => {
  const schema = z.object({
    status: z.enum(["SUCCESS", "PARTIAL", "BLOCKED", "FAILED"]),
    next_action: z.enum(["COMPLETE", "CONTINUE", "ESCALATE", "HOLD"]),
    verdict: z.enum(["rejected", "needs_revision", "approved"]),
    blocking: z.boolean(),
    approved: z.boolean(),
    confidence: z.number().min(0).max(1),
    severity: z.int().min(1).max(10),
    questions: z.array(z.string()).optional(),
    error: z.string().nullable(),
  });

  for (let seed = 0; seed < 20; seed += 1) {
    const value = schema.parse(answer(schema, String(seed)));
    assert.deepEqual(
      [value.status, value.next_action, value.verdict],
      ["SUCCESS", "COMPLETE", "approved"],
    );
    assert.deepEqual(
      [value.blocking, value.approved, value.questions, value.error],
      [false, true, undefined, null],
    );
    assert.ok(value.confidence >= 0.7 && value.confidence < 0.96);
    assert.ok(value.severity < 5);
  }
});

test("texts speak of what the prompt names, fit their field, and do not repeat within a list", () => {
  const schema = z.object({
    summary: z.string(),
    risks: z.array(z.object({ title: z.string(), reason: z.string() })).length(5),
    questions: z.array(z.string()).length(4),
    content: z.string(),
  });

  for (let seed = 0; seed < 20; seed += 1) {
    const { summary, risks, questions, content } = schema.parse(answer(schema, String(seed)));
    assert.match(
      summary,
      /Throughline|Import of conversations|Streaming reader|Progress bar|p3|p4/,
    );
    assert.equal(new Set(risks.map(({ title }) => title)).size, 5);
    assert.equal(new Set(risks.map(({ reason }) => reason)).size, 5);
    assert.ok(questions.every((question) => question.endsWith("?")));
    assert.match(content, /\n\n### .+\n\n/);
    assert.doesNotMatch(
      JSON.stringify([summary, risks, questions, content]),
      /\{\w+\}|lorem|undefined|<[^>]*>/i,
    );
  }
});

test("ids come from the contract or the prompt; an inventing model makes up others that look alike", () => {
  const schema = z.object({
    productId: z.enum(["p3", "p4"]),
    refs: z.array(z.enum(["v1", "v2", "v3"])),
    taskId: z.string(),
  });

  const honest = schema.parse(answer(schema, "a"));
  const inventing = answer(schema, "a", true) as typeof honest;

  assert.ok(["p3", "p4"].includes(honest.taskId));
  assert.match(inventing.productId, /^p9\d\d$/);
  assert.ok(inventing.refs.every((ref) => /^v9\d\d$/.test(ref)));
  assert.match(inventing.taskId, /^p9\d\d$/);
});

test("ids that the schema describes as a series are numbered along their list", () => {
  const schema = z.object({
    risks: z.array(z.object({ id: z.string().describe("Id. R1, R2, …; kept for ever.") })).min(3),
    needs: z.array(z.object({ id: z.string().describe("DEP-1, DEP-2, …") })).min(2),
  });
  const { risks, needs } = schema.parse(answer(schema, "series"));

  assert.deepEqual(risks.slice(0, 3), [{ id: "R1" }, { id: "R2" }, { id: "R3" }]);
  assert.deepEqual(needs.slice(0, 2), [{ id: "DEP-1" }, { id: "DEP-2" }]);
});
