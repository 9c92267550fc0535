import assert from "node:assert/strict";
import { describe, test } from "node:test";
import * as fc from "fast-check";
import * as z from "zod";
import { canonicalJson } from "../base/json.ts";
import { defineContract } from "./contract.ts";
import { mergeContinued } from "./merge-continued.ts";
import { readReply } from "./read-reply.ts";

const checklist = defineContract({
  name: "actionable_checklist",
  schema: z.object({
    content: z.object({
      nodes: z.array(z.object({ id: z.string(), title: z.string(), steps: z.array(z.string()) })),
      index: z.array(z.string()).optional(),
    }),
  }),
});
const nodes = [
  "Database & auth",
  "Stripe webhook",
  "Async queue",
  "Layout",
  "Jobs pipelines",
  "Resume uploads",
].map((title, i) => ({ id: `n${i + 1}`, title, steps: [`${title}: plan`, `${title}: build`] }));
const FIRST = JSON.stringify({ content: { nodes } }, null, 2);

/** The case that the specification names, as the published run had it. */
describe("a reply cut in its sixth item, then a partial one that points elsewhere, then another document", () => {
  const cutAt = FIRST.indexOf("Resume uploads: build") + "Resume uploads: bu".length;
  const first = readReply(checklist, FIRST.slice(0, cutAt), { finish: "length" });
  assert.ok(!first.ok && first.open !== undefined);
  const second = {
    content: { nodes: [{ id: "n6", title: "Resume uploads", steps: ["Resume uploads: plan"] }] },
    resume_cursor: { document_key: "updated_master_plan", position: 4 },
  };
  const third = {
    document_key: "updated_master_plan",
    content: { nodes: [{ id: "m1", title: "Milestone", steps: [] }] },
  };
  const fourth = {
    advisor_recommendations: { choice: "A" },
    updated_master_plan: { phases: [1, 2] },
  };
  const options = { contract: checklist, documentKey: "actionable_checklist", open: first.open };

  const afterSecond = mergeContinued(first.partial, second, options);
  const afterThird = mergeContinued(afterSecond.value, third, {
    ...options,
    open: afterSecond.open!,
  });
  const afterFourth = mergeContinued(afterThird.value, fourth, {
    ...options,
    open: afterSecond.open!,
  });

  test("all six items are present, the sixth with everything that had arrived of it", () => {
    const { content } = afterFourth.value as { content: { nodes: typeof nodes } };

    assert.deepEqual(content.nodes.slice(0, 5), nodes.slice(0, 5));
    assert.equal(content.nodes.length, 6);
    assert.deepEqual(content.nodes[5], {
      id: "n6",
      title: "Resume uploads",
      steps: ["Resume uploads: plan", "Resume uploads: bu"],
    });
  });

  test("the cursor, the other document and its parts are refused and reported with their content", () => {
    const refusedAt = [afterSecond, afterThird, afterFourth].map(({ notes }) =>
      notes.filter(({ kind }) => kind === "refused").map(({ path }) => path),
    );

    assert.deepEqual(refusedAt, [
      ["resume_cursor"],
      [""],
      ["advisor_recommendations", "updated_master_plan"],
    ]);
    assert.deepEqual(afterThird.notes[0]?.received, third);
    assert.deepEqual(afterFourth.value, afterSecond.value);
    assert.equal(afterThird.progressed || afterFourth.progressed, false);
  });

  test("the place of the cut stays known until something completes it", () => {
    assert.deepEqual(afterSecond.open, {
      path: ["content", "nodes", 5, "steps", 1],
      text: "Resume uploads: bu",
    });

    const rest = {
      content: {
        nodes: [
          { id: "n6", steps: ["Resume uploads: plan", "Resume uploads: build"] },
          { id: "n7", title: "More", steps: [] },
        ],
      },
    };
    const done = mergeContinued(afterFourth.value, rest, { ...options, open: afterSecond.open });

    const { content } = done.value as { content: { nodes: unknown[] } };
    assert.deepEqual(content.nodes, [...nodes, { id: "n7", title: "More", steps: [] }]);
    assert.equal(done.open, undefined);
    assert.equal(done.progressed, true);
  });

  test("an item that itself names another document is refused alone", () => {
    const mixed = {
      content: {
        nodes: [
          { id: "x1", document_key: "updated_master_plan", title: "Theirs", steps: [] },
          { id: "n8", title: "Ours", steps: [] },
        ],
      },
    };

    const merged = mergeContinued({ content: { nodes } }, mixed, {
      contract: checklist,
      documentKey: "actionable_checklist",
    });

    const { content } = merged.value as { content: { nodes: { id: string }[] } };
    assert.deepEqual(
      content.nodes.map(({ id }) => id),
      ["n1", "n2", "n3", "n4", "n5", "n6", "n8"],
    );
    assert.equal(merged.notes.find(({ kind }) => kind === "refused")?.path, "content.nodes[6]");
  });
});

test("a cut text is joined with its rest, a repeated stretch taken once, a whole one replacing it", () => {
  const base = { summary: {} };
  const open = { path: ["text"], text: "The first half of a long sentence ends " };
  const options = { open };

  const rest = mergeContinued(base, { text: "here." }, options);
  const overlapping = mergeContinued(base, { text: "of a long sentence ends here." }, options);
  const whole = mergeContinued(base, { text: `${open.text}here.` }, options);

  for (const { value, open: still } of [rest, overlapping, whole]) {
    assert.deepEqual(value, { summary: {}, text: `${open.text}here.` });
    assert.equal(still, undefined);
  }
});

test("what differs from a complete value is a conflict: the first stands, the other is kept in the notes", () => {
  const merged = mergeContinued({ title: "One", n: 1 }, { title: "Uno", n: 1 });

  assert.deepEqual(merged.value, { title: "One", n: 1 });
  assert.deepEqual(
    merged.notes.map(({ kind, path, received }) => [kind, path, received]),
    [
      ["conflict", "title", "Uno"],
      ["repeated", "n", 1],
    ],
  );
  assert.equal(merged.progressed, false);
});

test("items without an identity are told apart by their whole value", () => {
  const merged = mergeContinued({ tags: ["a", "b"] }, { tags: ["b", "c", "c"] });

  assert.deepEqual(merged.value, { tags: ["a", "b", "c"] });
});

describe("an item that was cut before its identity was known", () => {
  const base = { items: [{ id: "a", text: "one" }, { title: "Second" }] };
  const open = { path: ["items", 1, "text"], text: "tw" };

  test("is completed by the first entry that agrees with what it has", () => {
    const merged = mergeContinued(
      base,
      { items: [{ id: "b", title: "Second", text: "two" }] },
      { open },
    );

    assert.deepEqual(merged.value, {
      items: [base.items[0], { title: "Second", text: "two", id: "b" }],
    });
  });

  test("is left alone by one that contradicts it", () => {
    const merged = mergeContinued(base, { items: [{ id: "c", title: "Third" }] }, { open });

    assert.deepEqual(merged.value, {
      items: [base.items[0], { title: "Second", text: "tw" }, { id: "c", title: "Third" }],
    });
    assert.deepEqual(merged.open, open);
  });

  test("may have been cut inside the identity itself", () => {
    const cutId = { path: ["items", 1, "id"], text: "se" };

    const merged = mergeContinued(
      base,
      { items: [{ id: "second", title: "Second" }] },
      { open: cutId },
    );

    assert.deepEqual(merged.value, { items: [base.items[0], { title: "Second", id: "second" }] });
  });
});

test("a text cut in a list of texts is joined, and something that is no text is a conflict", () => {
  const open = { path: ["lines", 1], text: "half of" };

  const joined = mergeContinued({ lines: ["first"] }, { lines: [" it"] }, { open });
  const conflict = mergeContinued(
    { title: "x" },
    { note: 5 },
    { open: { path: ["note"], text: "begun" } },
  );
  const same = mergeContinued(
    { title: "x" },
    { note: "begun" },
    { open: { path: ["note"], text: "begun" } },
  );

  assert.deepEqual(joined.value, { lines: ["first", "half of it"] });
  assert.deepEqual(conflict.value, { title: "x", note: "begun" });
  assert.deepEqual(
    conflict.notes.map(({ kind }) => kind),
    ["conflict"],
  );
  assert.equal(same.progressed, false);
  assert.deepEqual(same.open, { path: ["note"], text: "begun" });
});

test("a document that was cut before its first value begins with the addition", () => {
  assert.deepEqual(mergeContinued(undefined, { a: [] }).value, { a: [] });
  assert.deepEqual(
    mergeContinued(undefined, { a: 1 }, { open: { path: ["b", 0, "c"], text: "x" } }).value,
    { b: [{ c: "x" }], a: 1 },
  );
});

test("members of any branch of a union belong to the document, others do not", () => {
  const contract = defineContract({
    name: "union",
    schema: z.object({
      part: z.union([z.object({ a: z.string() }), z.object({ b: z.string() })]),
      free: z.record(z.string(), z.number()).optional(),
    }),
  });

  const merged = mergeContinued(
    { part: { a: "x" } },
    { part: { b: "y", c: "z" }, free: { k: 1 } },
    { contract },
  );

  assert.deepEqual(merged.value, { part: { a: "x", b: "y" }, free: { k: 1 } });
  assert.deepEqual(
    merged.notes.filter(({ kind }) => kind === "refused").map(({ path }) => path),
    ["part.c"],
  );
});

test("an identity of one's own choosing is used", () => {
  const merged = mergeContinued([{ slug: "a", x: 1 }], [{ slug: "a", y: 2 }, { slug: "b" }], {
    identity: ["slug"],
  });

  assert.deepEqual(merged.value, [{ slug: "a", x: 1, y: 2 }, { slug: "b" }]);
});

test("where the document names its parts itself, they are told apart by that and not refused", () => {
  const part = (key: string) =>
    z.object({ document_key: z.literal(key), notes: z.object({ [key]: z.string() }) });
  const contract = defineContract({
    name: "Plan",
    schema: z.object({
      parts: z.tuple([part("a"), part("b")]).meta({ identity: "document_key" }),
    }),
  });
  const merged = mergeContinued(
    { parts: [{ document_key: "a", notes: { a: "first" } }] },
    {
      parts: [
        { document_key: "b", notes: { b: "second", a: "not its own" } },
        { document_key: "c", notes: { c: "nowhere" } },
        { document_key: "a", notes: { a: "other words" } },
      ],
    },
    { contract, documentKey: "plan" },
  );

  assert.deepEqual(merged.value, {
    parts: [
      { document_key: "a", notes: { a: "first" } },
      { document_key: "b", notes: { b: "second" } },
    ],
  });
  assert.deepEqual(
    merged.notes
      .filter(({ kind }) => kind === "refused" || kind === "conflict")
      .map(({ kind, path }) => [kind, path]),
    [
      ["refused", "parts[1].notes.a"],
      ["refused", "parts[2]"],
      ["conflict", "parts[0].notes.a"],
    ],
  );
});

test("a wrapper with the document's own name is taken off", () => {
  const merged = mergeContinued(
    { content: { nodes: [] } },
    { actionable_checklist: { content: { nodes } } },
    { contract: checklist, documentKey: "actionable_checklist" },
  );

  assert.deepEqual(merged.value, { content: { nodes } });
});

test("reserved keys and bottomless additions are refused", () => {
  const hostile: unknown = JSON.parse('{"__proto__":{"x":1},"a":{"constructor":{"y":1},"b":1}}');
  let deep: unknown = 1;
  for (let i = 0; i < 100; i += 1) deep = { a: deep };

  const merged = mergeContinued({}, hostile);
  const bottomless = mergeContinued({ a: 1 }, deep);

  assert.deepEqual(merged.value, { a: { b: 1 } });
  assert.equal(({} as { x?: number }).x, undefined);
  assert.deepEqual(bottomless.value, { a: 1 });
  assert.equal(bottomless.notes[0]?.kind, "refused");
});

test("for any two documents nothing is lost: each leaf is in the value or in a note", () => {
  const item = fc.record(
    { id: fc.constantFrom("p", "q", "r"), v: fc.constant(""), w: fc.constant("") },
    { requiredKeys: ["id"], noNullPrototype: true },
  );
  const inner = fc.record(
    { c: fc.constant(""), d: fc.constant("") },
    { requiredKeys: [], noNullPrototype: true },
  );
  const document = fc.record(
    {
      a: fc.constant(""),
      b: inner,
      list: fc.array(fc.oneof(fc.constant(""), item), { maxLength: 5 }),
    },
    { requiredKeys: [], noNullPrototype: true },
  );
  fc.assert(
    fc.property(document, document, (first, second) => {
      const [base, addition] = [labelled(first, "base"), labelled(second, "addition")];
      const merged = mergeContinued(base, addition);

      const value = canonicalJson(merged.value);
      const reported = canonicalJson(merged.notes.map(({ received }) => received));
      for (const leaf of leavesOf(base)) assert.ok(value.includes(`"${leaf}"`));
      for (const leaf of leavesOf(addition)) assert.ok(`${value}${reported}`.includes(`"${leaf}"`));
      assert.deepEqual(
        mergeContinued(merged.value, addition).value,
        merged.value,
        "twice adds nothing",
      );
    }),
    { numRuns: 2_000 },
  );
});

/** A copy whose empty leaves each bear a name of their own. */
function labelled(value: unknown, prefix: string): unknown {
  let count = 0;
  return JSON.parse(JSON.stringify(value), (_key, inner: unknown) =>
    inner === "" ? `${prefix}-${(count += 1)}-` : inner,
  );
}

function leavesOf(value: unknown): string[] {
  return [...JSON.stringify(value).matchAll(/"((?:base|addition)-\d+-)"/g)].map(
    ([, leaf]) => leaf!,
  );
}
