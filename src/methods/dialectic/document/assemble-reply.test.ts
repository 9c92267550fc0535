/** Continuation: nothing received is lost, nothing foreign gets in. */

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import * as fc from "fast-check";
import { builtInLibrary } from "../../../../tests/scratch/scratch-kernel.ts";
import { exampleOf } from "../../../kernel/contract/example.ts";
import { readReply } from "../../../kernel/contract/read-reply.ts";
import { shapeOf } from "../../../kernel/contract/shape.ts";
import { compileDomain } from "../recipe/compile-domain.ts";
import { stepOf } from "../recipe/compiled-domain.ts";
import type { Field } from "../recipe/document-file.ts";
import type { DocumentShape } from "../recipe/resolve-document.ts";
import { assembleCalls, partialOf, printOpen, replyAssembly } from "./assemble-reply.ts";
import { documentContract } from "./document-contract.ts";
import { headerContract } from "./header-contract.ts";

const common = { title: "T", guidance: "G", required: true } as const;
const fields: readonly Field[] = [
  { ...common, key: "summary", kind: "text" },
  {
    ...common,
    key: "nodes",
    kind: "list",
    identity: "path",
    least: 0,
    as: "sections",
    fields: [
      { ...common, key: "path", kind: "line" },
      { ...common, key: "title", kind: "line" },
      { ...common, key: "steps", kind: "lines", least: 0 },
    ],
  },
];
const shape: DocumentShape = {
  key: "actionable_checklist",
  title: "Work Plan",
  description: "",
  guidance: "",
  fields,
  groups: fields.map((field) => ({ fields: [field] })),
  planned: fields,
  readBy: {},
  hash: "",
};
const contract = documentContract(shape);
const plan = { documentKey: shape.key, contract, ask: () => "go on" };
const nodes = ["auth", "stripe", "queue", "layout", "jobs", "uploads"].map((name) => ({
  path: `src/${name}.ts`,
  title: `The ${name}`,
  steps: [`${name}: plan`, `${name}: build`],
}));
const WHOLE = JSON.stringify({ summary: "Six steps.", nodes }, null, 2);
const CUT = WHOLE.slice(0, WHOLE.indexOf("uploads: build") + "uploads: bu".length);

describe("cut in the sixth item, then a partial one that claims another document, then that document", () => {
  const calls = [
    { asked: "first", text: CUT },
    {
      asked: "continue",
      text: JSON.stringify({
        content: { nodes: [{ path: "src/uploads.ts", title: "The uploads" }] },
        resume_cursor: { document_key: "updated_master_plan", line_hint: 4 },
      }),
    },
    {
      asked: "continue",
      text: JSON.stringify({
        document_key: "updated_master_plan",
        content: { phases: [{ name: "One" }], nodes: [{ path: "m1", title: "M", steps: [] }] },
      }),
    },
  ] as const;
  const { text, setAside } = assembleCalls(plan, calls);

  test("all six items are present", () => {
    const value = partialOf(contract, text) as { nodes: typeof nodes };

    assert.deepEqual(value.nodes.slice(0, 5), nodes.slice(0, 5));
    assert.equal(value.nodes.length, 6);
    assert.deepEqual(value.nodes[5]?.steps, ["uploads: plan", "uploads: bu"]);
  });

  test("what is foreign is refused, and reported with what it held", () => {
    assert.deepEqual(
      setAside.map(({ call, path }) => [call, path]),
      [
        [1, "resume_cursor"],
        [2, ""],
      ],
    );
    assert.match(JSON.stringify(setAside[1]?.received), /"phases"/);
    assert.ok(!text.includes("phases") && !text.includes("m1"));
  });

  test("the engine stops after two calls that brought nothing", () => {
    const { join } = replyAssembly(plan);

    assert.equal(join(CUT, calls[1].text, "continue").progressed, false);
    assert.equal(join(CUT, calls[2].text, "continue").progressed, false);
    assert.equal(join(CUT, WHOLE.slice(CUT.length), "continue").text, WHOLE);
  });
});

test("items that come as a document of their own are appended by the list's identity", () => {
  const more = {
    nodes: [nodes[5], { path: "src/mail.ts", title: "The mail", steps: ["mail: plan"] }],
  };

  const { text } = assembleCalls(plan, [
    { asked: "first", text: CUT },
    { asked: "continue", text: JSON.stringify(more) },
  ]);

  const reading = readReply(contract, text, { finish: "cut" });
  const value = (reading.ok ? reading.value : reading.partial) as { nodes: typeof nodes };
  assert.deepEqual(
    value.nodes.map(({ path }) => path),
    [...nodes.map(({ path }) => path), "src/mail.ts"],
  );
  assert.deepEqual(value.nodes[5], nodes[5]);
});

test("a document that comes once more from its beginning, whole, ends the asking", () => {
  const again = { summary: "Six steps, again.", nodes: nodes.map((node) => ({ ...node })) };

  for (let at = 1; at < WHOLE.length; at += 5) {
    const { join, read } = replyAssembly(plan);
    const joined = join(WHOLE.slice(0, at), JSON.stringify(again), "continue");
    const reading = read(joined.text, { finish: "stop" });

    assert.ok(joined.progressed && reading.ok, `cut at ${at}`);
    const value = reading.value as { nodes: typeof nodes };
    assert.deepEqual(value.nodes, nodes, `cut at ${at}`);
  }
});

test("a plan whose entries come as an object of their own is complete with the last of them", () => {
  const { domain } = compileDomain(builtInLibrary(), "software");
  assert.ok(domain);
  const step = stepOf(domain, "thesis", "thesis_build_stage_header");
  const header = headerContract(step);
  const whole = exampleOf(shapeOf(header)) as { context_for_documents: readonly object[] };
  const written = JSON.parse(JSON.stringify(whole).replaceAll(/<([^<>]+) here>/g, "$1"));
  const { context_for_documents: entries, ...rest } = written;
  const first = JSON.stringify({ ...rest, context_for_documents: entries.slice(0, 2) });
  const { join, read } = replyAssembly({ ...plan, documentKey: step.shape.key, contract: header });

  const more = JSON.stringify({ context_for_documents: entries.slice(1) });
  const { text, progressed } = join(first.slice(0, -2), more, "continue");

  const reading = read(text, { finish: "stop" });
  assert.ok(progressed && reading.ok, JSON.stringify(reading));
  assert.deepEqual(reading.value, written);
});

test("what stands reads as the same document, cut at the same place", () => {
  for (let at = 2; at < WHOLE.length; at += 7) {
    const before = readReply(contract, WHOLE.slice(0, at), { finish: "length" });
    if (before.ok || before.partial === undefined) continue;
    const merged = partialOf(contract, WHOLE.slice(0, at));

    const again = partialOf(contract, printOpen(merged, before.open));

    assert.deepEqual(again, merged, `cut at ${at}`);
  }
});

test("a correction counts, and what only the first reply had is kept beside it", () => {
  const first = JSON.stringify({ summary: 7, nodes: nodes.slice(0, 2) });
  const fixed = JSON.stringify({ summary: "Said.", nodes: [{ ...nodes[0], title: "Better" }] });

  const whole = assembleCalls(plan, [
    { asked: "first", text: "no json at all" },
    { asked: "correct", text: WHOLE },
  ]);
  const kept = assembleCalls(plan, [
    { asked: "first", text: WHOLE.replace('"Six steps."', "{}") },
    { asked: "correct", text: "I am sorry." },
  ]);

  assert.equal(whole.text, WHOLE);
  assert.equal((partialOf(contract, kept.text) as { nodes: unknown[] }).nodes.length, 6);
  assert.equal(kept.setAside.length, 1);
  const joined = assembleCalls(plan, [
    { asked: "first", text: first },
    { asked: "correct", text: fixed },
  ]);
  assert.equal(joined.text, fixed);
});

test("however a document is cut and gone on with, nothing of it is lost", () => {
  fc.assert(
    fc.property(fc.array(fc.nat({ max: WHOLE.length - 1 }), { maxLength: 4 }), (places) => {
      const cuts = [...new Set(places)]
        .toSorted((a, b) => a - b)
        .filter((at, i, all) => WHOLE.slice(all[i - 1] ?? 0, at).trim() !== "");
      const pieces = [...cuts, WHOLE.length].map((at, i) => WHOLE.slice(cuts[i - 1] ?? 0, at));

      const { text } = assembleCalls(
        plan,
        pieces.map((piece, i) => ({ asked: i === 0 ? "first" : "continue", text: piece }) as const),
      );

      const reading = readReply(contract, text, { finish: "stop" });
      assert.ok(reading.ok, text);
      assert.deepEqual(reading.value, { summary: "Six steps.", nodes });
    }),
    { numRuns: 300 },
  );
});
