/** What is sent, as people set it up: overlays in their order, the same beginning for siblings, a bad plan corrected first. */

import assert from "node:assert/strict";
import { test } from "node:test";
import type { ModelRequest } from "../../../kernel/model/model-provider.ts";
import { insertProject } from "../../../kernel/store/projects.ts";
import { putSetting } from "../../../kernel/store/settings.ts";
import { openDialecticRig, REQUEST } from "../dialectic-rig.suite.ts";

const A = "rehearsal/rehearsal";
const HEADER = "thesis_build_stage_header";

function textOf({ messages }: ModelRequest): string {
  return messages.map(({ text }) => text).join("\n");
}

test("overlays: the session's word goes before the project's, that before the domain's, that before the system's", async (t) => {
  const rig = await openDialecticRig();
  t.after(() => rig.close());
  const { kernel } = rig;
  const projectId = kernel.ids.next();
  const act = { actor: "admin", now: kernel.clock.now() };
  const value = {
    role: { title: "The work", text: "Project's role." },
    style_guide: { title: "Style", text: "Project's style." },
    evidence: { title: "Evidence", text: "Project's evidence." },
  };
  await kernel.store.write(function* () {
    yield* insertProject({ id: projectId, name: "Shop", ownerId: "admin" }, act);
    yield* putSetting({ scope: "project", projectId }, { key: "dialectic.overlays", value }, act);
  });
  await rig.invoke("dialectic.start", {
    request: REQUEST,
    model: [A],
    project: projectId,
    overlay: ["style_guide=Session's style.", "constraints=Six weeks."],
  });
  await rig.idle();

  assert.equal(rig.asked.length, 5);
  for (const text of rig.asked.map(textOf)) {
    for (const told of ["Session's style.", "Project's role.", "Project's evidence.", "Six weeks."])
      assert.ok(text.includes(told), told);
    assert.match(text, /Name both sides by reference/, "the system's, where nobody says otherwise");
    assert.match(text, /Features are F1, F2/, "the domain's, where nobody says otherwise");
    assert.doesNotMatch(
      text,
      /Project's style\.|Write for a competent colleague|small team will really build/,
    );
  }
});

test("turns of one plan begin with the same bytes, so that providers can keep them", async (t) => {
  const rig = await openDialecticRig();
  t.after(() => rig.close());
  const { runId } = await rig.invoke("dialectic.start", { request: REQUEST, model: [A, A] });
  await rig.idle();
  await rig.invoke("dialectic.next", { session: runId });
  await rig.idle();

  for (const [stage, item] of [
    ["thesis", "s1"],
    ["antithesis", "s2.l1"],
  ] as const) {
    const turns = rig.asked
      .filter(({ labels }) => labels.item === item && labels.step.startsWith(stage))
      .map(textOf)
      .filter((text) => text.includes("# The plan, shared part"));
    const beginnings = new Set(
      turns.map((text) => text.slice(0, text.search(/\n# (?:Documents|The plan, notes)/))),
    );
    assert.ok(turns.length >= 4, stage);
    assert.equal(beginnings.size, 1, stage);
    const [first = ""] = beginnings;
    assert.ok(first.includes("# Ground rules") && first.includes("two bakers see what to bake"));
  }
});

test("a plan that says nothing of one document is corrected before any turn reads it", async (t) => {
  const entries = [{ document_key: "business_case", content_to_include: { strengths: "One." } }];
  const rig = await openDialecticRig({
    script: {
      replies: [
        {
          step: HEADER,
          continuation: 0,
          reply: JSON.stringify({ system_materials: {}, context_for_documents: entries }),
        },
      ],
    },
  });
  t.after(() => rig.close());
  await rig.invoke("dialectic.start", { request: REQUEST, model: [A] });
  await rig.idle();

  assert.deepEqual(
    rig.asked.slice(0, 2).map(({ labels }) => labels.step),
    [HEADER, HEADER],
  );
  assert.match(textOf(rig.asked[1] ?? assert.fail()), /could not be used as it is/);
  assert.equal(rig.asked.length, 6, "nothing else is asked twice");
});

test("how often a cut document is gone on with is a setting; what came stays, with its gaps", async (t) => {
  const step = "thesis_generate_business_case";
  const rig = await openDialecticRig({
    script: {
      replies: [
        { step, continuation: 0, misbehave: { kind: "truncate", at: 500 } },
        { step, continuation: "*", misbehave: { kind: "truncate", at: 60 } },
      ],
    },
  });
  t.after(() => rig.close());
  const act = { actor: "admin", now: rig.kernel.clock.now() };
  await rig.kernel.store.write(() =>
    putSetting({ scope: "workspace" }, { key: "dialectic.continuations", value: 2 }, act),
  );
  const { runId } = await rig.invoke("dialectic.start", { request: REQUEST, model: [A] });
  await rig.idle();

  assert.equal(rig.asked.filter(({ labels }) => labels.step === step).length, 3);
  const shown = await rig.invoke("dialectic.show", {
    session: runId,
    document: "thesis/business_case/s1",
  });
  assert.deepEqual([shown.state, shown.continuation], ["partial", 2]);
  assert.ok(shown.gaps.length > 0 && shown.sections[0].markdown !== "");
});
