/** What people do with a dialectic: gates, feedback, revisions, edits, staleness, iterations, files. */

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { after, before, describe, test } from "node:test";
import { type DialecticRig, openDialecticRig, REQUEST } from "../dialectic-rig.suite.ts";
import type { InputRef } from "../planning/plan-stage.ts";
import { dependantsOf } from "../planning/staleness.ts";

const A = "rehearsal/rehearsal";
const B = "rehearsal/other";
interface Version {
  readonly isEdited: boolean;
  readonly isRevised: boolean;
}

interface Spent {
  readonly stage: string;
  readonly slot: number;
  readonly calls: number;
  readonly inputTokens: number;
}

const BUSINESS_CASE = "thesis/business_case/s1";

describe("stage by stage", () => {
  let rig: DialecticRig;
  let runId = "";
  before(async () => {
    rig = await openDialecticRig();
    ({ runId } = await rig.invoke("dialectic.start", {
      request: REQUEST,
      model: [A, B],
      overlay: ["constraints=Two people, six weeks."],
      title: "Bakery",
    }));
    await rig.idle();
  });
  after(() => rig.close());
  const status = () => rig.invoke("dialectic.status", { session: runId });
  const next = async (more: object = {}) => {
    await rig.invoke("dialectic.next", { session: runId, ...more });
    await rig.idle();
  };

  test("it waits in the inbox at the end of a stage, and does nothing beyond it", async () => {
    const { state, status: word, gate, use } = await status();

    assert.deepEqual([state, word, use.turns], ["waiting", "thesis_completed", 10]);
    assert.deepEqual(gate.answers, ["next"]);
    assert.match(gate.title, /^Bakery: Proposal is done$/);
  });

  test("what calls took is told by stage and slot, and adds up", async () => {
    const { spent, use } = await status();

    assert.deepEqual(
      spent
        .map(({ stage, slot, calls }: Spent) => [stage, slot, calls])
        .toSorted((a: [string, number], b: [string, number]) => a[1] - b[1]),
      [
        ["thesis", 1, 5],
        ["thesis", 2, 5],
      ],
    );
    assert.equal(
      spent.reduce((sum: number, { inputTokens }: Spent) => sum + inputTokens, 0),
      use.inputTokens,
    );
  });

  test("what a session lays over is told in every prompt", () => {
    assert.ok(
      rig.asked.every(({ messages }) =>
        messages.some(({ text }) => text.includes("Two people, six weeks.")),
      ),
    );
  });

  test("feedback on a section is kept, reaches the next stage, and can drive a revision", async () => {
    const before = await rig.invoke("dialectic.show", { document: BUSINESS_CASE, session: runId });
    const section = before.sections[0].key;
    await assert.rejects(
      rig.invoke("dialectic.feedback", {
        session: runId,
        document: BUSINESS_CASE,
        section: "nowhere",
        text: "x",
      }),
      { code: "section_unknown" },
    );
    await assert.rejects(
      rig.invoke("dialectic.revise", { session: runId, document: BUSINESS_CASE }),
      {
        code: "nothing_to_revise",
      },
    );
    const text = "Say what a loaf costs us at six in the morning.";
    await rig.invoke("dialectic.feedback", {
      session: runId,
      document: BUSINESS_CASE,
      section,
      text,
    });
    await rig.invoke("dialectic.revise", { session: runId, document: BUSINESS_CASE });
    await rig.idle();

    const revising =
      rig.asked
        .at(-1)
        ?.messages.map((each) => each.text)
        .join("\n") ?? "";
    assert.ok(revising.includes(text) && revising.includes("# The document to revise"));
    const now = await rig.invoke("dialectic.show", {
      document: BUSINESS_CASE,
      session: runId,
      diff: true,
    });
    assert.equal(now.version, 2);
    assert.equal(now.versions[0].state, "superseded");
    assert.deepEqual(
      now.feedback.map((each: { state: string; addressedBy: string }) => [
        each.state,
        each.addressedBy,
      ]),
      [["addressed", now.id]],
    );
    assert.ok(now.diff.some(({ change }: { change: string }) => change === "added"));
    await rig.invoke("dialectic.feedback", {
      session: runId,
      document: BUSINESS_CASE,
      text: "Keep the shop open on Sundays.",
    });
    const [, open] = (await rig.invoke("dialectic.feedback", { session: runId })).items;
    assert.equal(open.state, "open");
    const listed = await rig.invoke("dialectic.remarks", { session: runId, state: "open" });
    assert.deepEqual(
      listed.items.map(({ id }: { id: string }) => id),
      [open.id],
    );
    assert.deepEqual(
      now.versions.map(({ isEdited, isRevised }: Version) => [isEdited, isRevised]),
      [
        [false, false],
        [false, true],
      ],
    );
    assert.deepEqual(
      now.calls.map(({ model, outcome }: { model: string; outcome: string }) => [model, outcome]),
      [[A, "answered"]],
    );
  });

  test("the next stage is planned when a person says so, and hears what was said", async () => {
    await next();

    const { status: word, use } = await status();
    assert.deepEqual([word, use.turns], ["antithesis_completed", 10 + 1 + 28]);
    const told = rig.asked.filter(({ messages }) =>
      messages.some(({ text }) => text.includes("Keep the shop open on Sundays.")),
    );
    assert.equal(
      told.length,
      14,
      "both reviewers' plan and six reviews of the proposal it is about",
    );
  });

  test("an edit keeps the model's version and makes exactly its dependants stale", async () => {
    const shown = await rig.invoke("dialectic.show", { document: BUSINESS_CASE, session: runId });
    const rows = (await rig.artifacts(runId)).filter(({ state }) => state !== "superseded");
    const expected = new Set(
      dependantsOf(
        rows.map(({ id, inputs }) => ({ id, inputs: JSON.parse(inputs) as InputRef[] })),
        [shown.id],
      ),
    );
    const text = shown.sections.find(
      ({ key }: { key: string }) => typeof shown.value[key] === "string",
    );
    await assert.rejects(
      rig.invoke("dialectic.edit", {
        session: runId,
        document: BUSINESS_CASE,
        section: text.key,
        value: {},
      }),
      { code: "edit_invalid" },
    );
    await assert.rejects(
      rig.invoke("dialectic.edit", {
        session: runId,
        document: BUSINESS_CASE,
        section: text.key,
        text: "What was shown: [redacted], and more.",
      }),
      { code: "edit_redacted" },
    );
    const edited = await rig.invoke("dialectic.edit", {
      session: runId,
      document: BUSINESS_CASE,
      section: text.key,
      text: "Written by hand.",
    });
    await rig.idle();

    assert.deepEqual([edited.version, edited.stale], [3, 14]);
    assert.equal(shown.dependants, edited.stale, "what an edit costs is known before it");
    const stale = (await rig.artifacts(runId)).filter(({ state }) => state === "stale");
    assert.deepEqual(new Set(stale.map(({ id }) => id)), expected);
    const now = await rig.invoke("dialectic.show", { document: BUSINESS_CASE, session: runId });
    assert.deepEqual([now.author, now.versions[1].author], ["admin", A]);
    assert.equal(now.versions[2].isEdited, true);
    const [cell] = (await status()).stages[0].steps[1].cells;
    assert.deepEqual([cell.state, cell.isEdited, cell.isRevised], ["complete", true, false]);
    await assert.rejects(next(), { code: "dialectic_stale" });
  });

  test("making the stale ones again makes those and no others", async () => {
    const asked = rig.asked.length;
    const before = new Map((await rig.artifacts(runId)).map(({ id, state }) => [id, state]));
    await rig.invoke("dialectic.run", { session: runId, stale: true });
    await rig.idle();

    assert.equal(rig.asked.length - asked, 14);
    const made = (await rig.artifacts(runId)).filter(({ id }) => !before.has(id));
    assert.equal(made.length, 14);
    assert.ok(
      made.every(
        ({ stage, lineage, state }) =>
          stage === "antithesis" && lineage === 1 && state === "complete",
      ),
    );
    assert.equal((await status()).stale, 0);
    const inputs = made.flatMap((row) => JSON.parse(row.inputs) as InputRef[]);
    assert.ok(inputs.every(({ id }) => before.get(id) !== "superseded"));
  });

  test("the rest goes on by itself when told to, and can be taken up again after its end", async () => {
    await rig.invoke("dialectic.run", { session: runId, auto: true });
    await rig.idle();
    const done = await status();
    assert.deepEqual([done.state, done.status], ["completed", "finished"]);

    await rig.invoke("dialectic.run", { session: runId, auto: false });
    await rig.idle();
    const asked = rig.asked.length;
    await next({ iterate: true, from: "parenthesis" });

    const again = await status();
    assert.deepEqual(
      [again.iteration, again.stage, again.status],
      [2, "parenthesis", "parenthesis_completed"],
    );
    assert.ok(rig.asked.length > asked, "plans read their last version");
    const last = rig.asked.find(
      ({ labels }, i) => i >= asked && labels.step === "generate-master-plan",
    );
    const text = last?.messages.map((each) => each.text).join("\n") ?? "";
    const [first] = (await rig.artifacts(runId)).filter(
      ({ document_key, iteration, slot }) =>
        document_key === "master_plan" && iteration === 1 && slot === 1,
    );
    assert.ok(text.includes(first?.body ?? "?"), "the plan of the iteration before");
  });

  test("all files are exported with their hashes, as a tree and as one file", async () => {
    const exported = await rig.invoke("dialectic.export", { session: runId });
    const zip = await rig.invoke("dialectic.export", { session: runId, as: "zip" });

    const manifest = JSON.parse(readFileSync(path.join(exported.path, "manifest.json"), "utf8"));
    const found = readdirSync(exported.path, { recursive: true, withFileTypes: true }).filter(
      (each) => each.isFile(),
    );
    assert.equal(found.length, manifest.files.length + 1);
    for (const { path: name, hash } of manifest.files as { path: string; hash: string }[]) {
      const bytes = readFileSync(path.join(exported.path, name));
      assert.equal(createHash("sha256").update(bytes).digest("hex"), hash, name);
    }
    assert.equal(readFileSync(zip.path).subarray(0, 2).toString(), "PK");
    assert.deepEqual(
      readdirSync(path.dirname(exported.path)).toSorted(),
      [path.basename(exported.path), path.basename(zip.path)].toSorted(),
      "nothing half-written is left",
    );
    assert.ok(
      manifest.files.some(({ path: name }: { path: string }) => name.endsWith("_feedback.md")),
    );
    assert.ok(
      manifest.files.some(({ path: name }: { path: string }) =>
        name.endsWith("business_case_version_1.md"),
      ),
    );
  });

  test("a place that is not there is answered with those that were meant", async () => {
    const ask = (document: string) =>
      rig.invoke("dialectic.show", { session: runId, document }).then(
        () => assert.fail(),
        ({ code, message, hint }) => [code, message, hint],
      );

    assert.deepEqual(await ask("antithesis/risk_registr/s1"), [
      "document_not_found",
      "There is no document antithesis/risk_registr/s1 yet.",
      "There are antithesis/risk_register/s1.l1, antithesis/risk_register/s1.l2, antithesis/risk_register/s2.l1, antithesis/risk_register/s2.l2.",
    ]);
    const [, message] = await ask("antithesis/risk_register/s3.l1");
    assert.match(message, /risk_register\/s3\.l1 yet/);
    const [, , hint] = await ask("thesis/poem/s1");
    assert.match(hint, /dialectic status/);
  });

  test("views say where it stands and what to do next", async () => {
    const text = await rig.show("dialectic.status", { session: runId });
    const document = await rig.show("dialectic.show", { session: runId, document: BUSINESS_CASE });

    assert.match(text, /dialectic next/);
    assert.match(document, /Written by hand\./);
    assert.match(await rig.show("dialectic.tree", { session: runId }), /seed_prompt\.md/);
    assert.match(await rig.show("dialectic.list", {}), /Bakery/);
  });
});

test("what is open is heard by the next stage; what was deferred or rejected is not, and may be opened again", async (t) => {
  const rig = await openDialecticRig();
  t.after(() => rig.close());
  const { runId } = await rig.invoke("dialectic.start", { request: REQUEST, model: [A] });
  await rig.idle();
  const say = async (text: string) => {
    const said = { session: runId, document: BUSINESS_CASE, text };
    const { items } = await rig.invoke("dialectic.feedback", said);
    return items.at(-1).id as string;
  };
  const settle = (item: string, state: string, note?: string) =>
    rig.invoke("dialectic.feedback", { session: runId, item, state, note });
  await say("Name the flour.");
  await settle(await say("Count the ovens."), "deferred", "After the opening.");
  await settle(await say("Sell cars instead."), "rejected", "Another shop.");
  const again = await say("Bake for two schools.");
  await settle(again, "rejected", "Not now.");
  await settle(again, "open");
  const before = rig.asked.length;
  await rig.invoke("dialectic.next", { session: runId });
  await rig.idle();

  const told = rig.asked
    .slice(before)
    .map(({ messages }) => messages.map(({ text }) => text).join());
  const hearing = (text: string) => told.filter((prompt) => prompt.includes(text)).length;
  assert.deepEqual(
    ["Name the flour.", "Bake for two schools.", "Count the ovens.", "Sell cars instead."].map(
      hearing,
    ),
    [7, 7, 0, 0],
  );
  const { items } = await rig.invoke("dialectic.remarks", { session: runId, state: "deferred" });
  assert.deepEqual(
    items.map(({ text, note }: { text: string; note: string }) => [text, note]),
    [["Count the ovens.", "After the opening."]],
  );
});

test("an iteration makes again what reads open feedback or something new, and takes over the rest", async (t) => {
  const rig = await openDialecticRig();
  t.after(() => rig.close());
  const start = { request: REQUEST, model: [A], auto: true };
  const { runId } = await rig.invoke("dialectic.start", start);
  await rig.idle();
  const first = await rig.artifacts(runId);
  const text = "Tell the schools by Thursday.";
  await rig.invoke("dialectic.feedback", {
    session: runId,
    document: "synthesis/tech_stack/s1",
    text,
  });
  const before = rig.asked.length;
  await rig.invoke("dialectic.next", { session: runId, iterate: true, from: "thesis" });
  await rig.idle();

  const asked = rig.asked.slice(before);
  const made = (await rig.artifacts(runId)).filter(({ iteration }) => iteration === 2);
  assert.deepEqual(
    [...new Set(made.filter(({ kind }) => kind !== "seed").map(({ stage }) => stage))].toSorted(),
    ["paralysis", "parenthesis", "synthesis"],
    "nothing of proposals and reviews",
  );
  const again = made.filter(({ stage, kind }) => stage === "synthesis" && kind !== "seed");
  assert.ok(again.some(({ document_key }) => document_key === "tech_stack"));
  assert.ok(!again.some(({ document_key }) => document_key.startsWith("synthesis_")));
  assert.ok(asked.some(({ messages }) => messages.some((each) => each.text.includes(text))));
  const kept = (await rig.artifacts(runId)).filter(({ iteration }) => iteration === 1);
  assert.deepEqual(
    kept.map(({ id, hash }) => [id, hash]),
    first.map(({ id, hash }) => [id, hash]),
    "the first iteration is as it was",
  );
});

test("pausing stops what is next, resuming goes on, cancelling ends it", async () => {
  const rig = await openDialecticRig();
  const { runId } = await rig.invoke("dialectic.start", { request: REQUEST, model: [A] });
  await rig.idle();
  await rig.invoke("dialectic.pause", { session: runId });
  await rig.invoke("dialectic.next", { session: runId });
  await rig.kernel.clock.sleep(50);
  assert.equal(await rig.turns(runId), 5);
  await rig.invoke("dialectic.resume", { session: runId });
  await rig.idle();
  assert.equal(await rig.turns(runId), 12);
  await rig.invoke("dialectic.cancel", { session: runId });
  assert.equal((await rig.invoke("dialectic.status", { session: runId })).state, "cancelled");
  assert.equal((await rig.artifacts(runId)).length, 14);
  await assert.rejects(rig.invoke("dialectic.retry", { session: runId }), {
    code: "dialectic_nothing_held",
  });
  await rig.close();
});

test("a document that never ends is kept with its gaps marked; one that never comes asks for a person", async () => {
  const step = "thesis_generate_business_case";
  const metrics = "thesis_generate_success_metrics";
  const approach = "thesis_generate_technical_approach";
  const rig = await openDialecticRig({
    script: {
      replies: [
        { step, continuation: 0, misbehave: { kind: "truncate", at: 600 } },
        { step, continuation: "*", reply: '{"document_key": "feature_spec", "features": []}' },
        { step: metrics, continuation: "*", reply: "Let us talk about gardening." },
        { step: approach, continuation: "*", reply: "Let us talk about the sea." },
      ],
    },
  });
  const { runId } = await rig.invoke("dialectic.start", { request: REQUEST, model: [A] });
  await rig.idle();

  const shown = await rig.invoke("dialectic.show", { document: BUSINESS_CASE, session: runId });
  assert.equal(shown.state, "partial");
  assert.ok(shown.gaps.length > 0);
  assert.match(shown.markdown, /\*\*Missing\.\*\*/);
  assert.deepEqual(
    shown.setAside.map(({ call }: { call: number }) => call),
    [1, 2],
  );
  assert.match(JSON.stringify(shown.setAside), /feature_spec/);
  const status = await rig.invoke("dialectic.status", { session: runId });
  assert.equal(status.state, "held");
  const held = status.stages[0].steps
    .flatMap(({ cells }: { cells: readonly { state: string }[] }) => cells)
    .filter(({ state }: { state: string }) => state === "held");
  assert.equal(held.length, 2);
  assert.ok(held[0].waitId && held[0].jobId && held[0].exchangeId && held[0].reason, "says why");
  const asks = () =>
    [metrics, approach].map(
      (each) => rig.asked.filter(({ labels }) => labels.step === each).length,
    );
  assert.deepEqual(asks(), [9, 9], "three times anew, each corrected twice");
  const retry = async (document?: string) => {
    await rig.invoke("dialectic.retry", { session: runId, document });
    await rig.idle();
  };
  await assert.rejects(retry(BUSINESS_CASE), { code: "document_not_held" });
  await retry("thesis/success_metrics/s1");
  assert.deepEqual(asks(), [12, 9], "only what was named tries again");
  await retry("thesis/thesis_generate_technical_approach/s1");
  assert.deepEqual(asks(), [12, 12]);
  await retry();
  assert.deepEqual(asks(), [15, 15]);
  assert.equal((await rig.invoke("dialectic.status", { session: runId })).state, "held");
  await rig.invoke("dialectic.cancel", { session: runId });
  await rig.close();
});

test("an estimate counts the calls, and names a cheaper way", async () => {
  const rig = await openDialecticRig();
  const estimate = await rig.invoke("dialectic.estimate", { model: [A, A, B] });
  await rig.close();

  assert.deepEqual(
    [estimate.total.calls, estimate.total.documents, estimate.total.costMicroUsd],
    [237, 84, 0],
  );
  assert.deepEqual(
    estimate.cheaper.map(({ reviewers, calls }: { reviewers: number; calls: number }) => [
      reviewers,
      calls,
    ]),
    [
      [2, 180],
      [1, 123],
    ],
  );
  await assert.rejects(
    async () => {
      const other = await openDialecticRig();
      try {
        await other.invoke("dialectic.start", { request: REQUEST, domain: "cooking" });
      } finally {
        await other.close();
      }
    },
    { code: "domain_unknown" },
  );
});
