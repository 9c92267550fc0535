/** Names of files: what is written can be read back, and nothing collides. */

import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import {
  type FileKind,
  type FilePlace,
  folderName,
  pathFor,
  placeOf,
  slugOf,
} from "./path-codec.ts";

const number = fc.integer({ min: 1, max: 99 });
const anyModel = fc.oneof(
  fc.string({ unit: "grapheme", maxLength: 60 }),
  fc.constantFrom(
    "gpt_4_0",
    "Org/Model 7B (Instruct)",
    "..",
    "con",
    "模型",
    "a.b.c_1",
    "x".repeat(300),
    "",
  ),
);
const slot = fc.record({ slug: anyModel.map(slugOf), n: number }, { noNullPrototype: true });
const RESERVED = /(?:^|_)(?:continuation|version)_\d+(?:_|$)|(?:^|_)manifest$/;
const name = fc.stringMatching(/^[a-z][a-z0-9_]{0,30}$/).filter((text) => !RESERVED.test(text));
const maybe = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined });
const KINDS: readonly FileKind[] = [
  "prompt",
  "header_context",
  "assembled_json",
  "raw_response",
  "document",
  "feedback",
];

const anyPlace: fc.Arbitrary<FilePlace> = fc
  .record({
    kind: fc.constantFrom(...KINDS, "seed_prompt" as const, "manifest" as const),
    project: fc.string({ unit: "grapheme" }).map(folderName),
    session: fc.stringMatching(/^[0-9a-f]{8}$/),
    iteration: number,
    stage: name,
    slot,
    name,
    lineage: maybe(slot),
    match: maybe(slot),
    continuation: maybe(number),
    version: maybe(fc.integer({ min: 2, max: 99 })),
  })
  .map(onlyItsOwn);

/** What a kind of file has; the rest is left out. */
function onlyItsOwn(place: FilePlace): FilePlace {
  const { kind, project, session, iteration, stage } = place;
  const base = { kind, project, session, iteration, stage };
  if (kind === "seed_prompt") return base;
  const own = { ...base, slot: place.slot };
  if (kind === "manifest") return own;
  return withoutUndefined({
    ...own,
    name: place.name,
    lineage: place.lineage,
    match: place.lineage === undefined ? undefined : place.match,
    continuation: kind === "prompt" || kind === "raw_response" ? place.continuation : undefined,
    version: kind === "feedback" ? undefined : place.version,
  });
}

function withoutUndefined(place: FilePlace): FilePlace {
  return Object.fromEntries(
    Object.entries(place).filter(([, value]) => value !== undefined),
  ) as unknown as FilePlace;
}

test("10,000 random identities come back from their paths, each from its own", () => {
  const seen = new Map<string, string>();
  let count = 0;
  fc.assert(
    fc.property(anyPlace, (place) => {
      const path = pathFor(place);
      assert.deepEqual(placeOf(path), place, path);
      const folded = path.toLowerCase();
      const words = JSON.stringify(place);
      assert.equal(seen.get(folded) ?? words, words, path);
      seen.set(folded, words);
      count += 1;
    }),
    { numRuns: 10_000 },
  );
  assert.equal(count, 10_000);
});

test("any model name gives a name that every file system takes", () => {
  fc.assert(
    fc.property(anyModel, (model) => {
      const slug = slugOf(model);
      assert.match(slug, /^[a-z0-9](?:[a-z0-9.-]{0,30}[a-z0-9])?$/);
      assert.ok(!slug.includes(".."));
    }),
    { numRuns: 2_000 },
  );
});

test("a name keeps what names it, and loses what a file system or a separator would mind", () => {
  for (const [model, slug] of [
    ["gpt-4.1", "gpt-4.1"],
    ["Org/Sub/Model 7B (Instruct)", "model-7b-instruct"],
    ["a...b..c", "a.b.c"],
    ["-.a_b.-", "a-b"],
    ["ＧＰＴ", "gpt"],
    ["模型", "model"],
    ["x".repeat(300), "x".repeat(32)],
    [`${"x".repeat(31)}-y`, "x".repeat(31)],
  ] as const)
    assert.equal(slugOf(model), slug);
  for (const [text, folder] of [
    ["Web Shop (2026)", "web-shop-2026"],
    ["--a.b--c__d--", "a-b--c-d"],
    ["Ｓhop", "shop"],
    ["模型", "project"],
    ["x".repeat(61), "x".repeat(60)],
    [`${"x".repeat(59)} y`, "x".repeat(59)],
  ] as const)
    assert.equal(folderName(text), folder);
});

test("what is nearly a path of the tree is none of it", () => {
  const path = pathFor({
    kind: "document",
    project: "shop",
    session: "0199a1b2",
    iteration: 1,
    stage: "antithesis",
    slot: { slug: "gpt-5", n: 2 },
    name: "risk_register",
  });
  assert.notEqual(placeOf(path), undefined);
  for (const near of [
    `x/${path}`,
    `${path}x`,
    path.replace("session_", ""),
    path.replace("iteration_1", "iteration_x"),
    path.replace("/documents/", "/others/"),
    path.replace("gpt-5_2", "gpt-5"),
    path.replace(".md", "xmd"),
    path.replace("/antithesis/", "//"),
    path.toUpperCase(),
  ])
    assert.equal(placeOf(near), undefined, near);
});

test("paths are those of the seed's tree", () => {
  const base = { project: "shop", session: "0199a1b2", iteration: 1, stage: "antithesis" } as const;
  const at = { ...base, slot: { slug: "gpt-5", n: 2 }, lineage: { slug: "claude", n: 1 } };
  assert.equal(
    pathFor({ ...at, kind: "document", name: "risk_register" }),
    "shop/session_0199a1b2/iteration_1/antithesis/documents/gpt-5_2_antithesis_risk_register_claude.1.md",
  );
  assert.equal(
    pathFor({ ...at, kind: "prompt", name: "risk_register", continuation: 1 }),
    "shop/session_0199a1b2/iteration_1/antithesis/_work/prompts/gpt-5_2_continuation_1_antithesis_risk_register_claude.1_prompt.md",
  );
  assert.equal(
    pathFor({ ...at, kind: "raw_response", name: "risk_register", continuation: 1 }),
    "shop/session_0199a1b2/iteration_1/antithesis/raw_responses/gpt-5_2_antithesis_risk_register_claude.1_continuation_1_raw.json",
  );
  assert.equal(
    pathFor({ ...base, kind: "seed_prompt" }),
    "shop/session_0199a1b2/iteration_1/antithesis/seed_prompt.md",
  );
  const folder = "shop/session_0199a1b2/iteration_1/antithesis";
  const match = { slug: "claude", n: 3 };
  for (const [place, path] of [
    [{ kind: "header_context" }, "_work/context/gpt-5_2_header_context_claude.1.json"],
    [
      { kind: "header_context", name: "plan-final" },
      "_work/context/gpt-5_2_header_context_plan-final_claude.1.json",
    ],
    [
      { kind: "assembled_json", name: "pair-up", match },
      "_work/assembled_json/gpt-5_2_pair-up_claude.1_claude.3.json",
    ],
    [
      { kind: "feedback", name: "risk_register" },
      "user_feedback/gpt-5_2_risk_register_claude.1_feedback.md",
    ],
  ] as const)
    assert.equal(pathFor({ ...at, ...place }), `${folder}/${path}`);
  assert.equal(
    pathFor({ ...base, slot: at.slot, kind: "manifest" }),
    `${folder}/_work/assembled_json/gpt-5_2_antithesis_manifest.json`,
  );
  assert.equal(placeOf("shop/readme.md"), undefined);
});
