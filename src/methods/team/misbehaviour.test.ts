import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { rowsOf } from "../../../tests/scratch/engine-audit.ts";
import type { ModelRequest } from "../../kernel/model/model-provider.ts";
import { auditTeam } from "./rules/team-audit.suite.ts";
import { openTeamRig, ROUNDS, type SpoiledReply, spoiledModel } from "./team-rig.suite.ts";

const DUPLICATE = "The passage on method is missing; a reader cannot tell how this was done.";

/** Every kind of breach the spec names, in every reply, also in the corrected one. */
function misbehave(reply: SpoiledReply, { labels: { step, item = "" } }: ModelRequest): unknown {
  const [first] = (reply["comments"] ?? []) as object[];
  switch (step) {
    case "plan_assign": {
      const [assignment] = (reply["assignments"] ?? []) as object[];
      const added = {
        action: "add",
        newId: "new-5",
        parentId: null,
        name: "The same product again",
        type: "content",
        description: "Again.",
        definitionOfDone: ["It is there"],
        ownerId: null,
        reason: "More.",
        decisionId: null,
        trace: ["u1"],
        assignment: null,
      };
      const invented = {
        action: "accept",
        productId: "p404",
        reason: "Why not.",
        decisionId: null,
        trace: ["u1"],
      };
      const early = {
        action: "accept",
        productId: "p1",
        reason: "Now.",
        decisionId: null,
        trace: ["u1"],
      };
      return {
        ...reply,
        actions: [
          ...(reply["actions"] ?? []),
          added,
          { ...added, newId: "new-6", name: "THE SAME PRODUCT, again!" },
          invented,
          early,
        ],
        assignments: [
          ...(reply["assignments"] ?? []),
          { ...assignment, productId: "p999" },
          { ...assignment, operativeId: "m1" },
        ],
      };
    }
    case "write": {
      const [version] = (reply["versions"] ?? []) as object[];
      return {
        ...reply,
        versions: [
          version,
          { ...version, productId: "p1" },
          { ...version, content: "A second version that nobody asked for, of the same thing." },
        ],
      };
    }
    case "peer_review":
      return {
        ...reply,
        comments: [
          ...(reply["comments"] ?? []),
          { ...first, comment: DUPLICATE },
          { ...first, comment: DUPLICATE.toUpperCase() },
          { ...first, comment: "Untraceable remark about nothing in particular.", trace: ["c999"] },
        ],
      };
    case "inspect":
      return {
        ...reply,
        verdict: "approved",
        inspections: [
          ...(reply["inspections"] ?? []),
          { versionId: "v999", summary: "Fine.", trace: ["u1"] },
        ],
      };
    case "envoy": {
      const [message] = (reply["messages"] ?? []) as object[];
      return {
        ...reply,
        messages: [
          ...(reply["messages"] ?? []),
          { ...message, text: "Great news: Globex pays 40000 for it." },
          { ...message, text: "All is well.", deltaIds: [] },
        ],
      };
    }
    case "reflect":
      return `Here is what ${item} thinks.\n\n${JSON.stringify({ ...reply, collabAnswers: [{ collabId: "c404", action: "accept", rationale: "Yes.", plannedChange: null }] })}\n\nTell me if you need more.`;
    default:
      return reply;
  }
}

describe("a team that misbehaves", () => {
  test("gets one correction a reply, and nothing that breaks a rule reaches the store", async () => {
    const rig = await openTeamRig({ provider: spoiledModel(misbehave) });
    try {
      const runId = await rig.play("legal", { stop: ROUNDS(4) });
      const state = await rig.state(runId);
      const codes = new Set(state.refusals.map(({ code }) => code));

      assert.equal(
        (await rig.run(runId)).state,
        "completed",
        JSON.stringify(await rig.waits(runId)),
      );
      assert.deepEqual(auditTeam(state), []);
      for (const code of [
        "team_id_unknown",
        "team_product_duplicate",
        "team_acceptance_refused",
        "team_assignee_not_operative",
        "team_write_unassigned",
        "team_version_repeated",
        "team_comment_duplicate",
        "team_trace_missing",
        "team_unanswered",
        "team_envoy_unfounded",
        "team_reply_unreadable",
      ]) {
        assert.ok(codes.has(code), `${code} was refused`);
      }
      assert.ok(
        state.versions.length > 4 && state.collabs.length > 4 && state.messages.length > 0,
        "the rest was applied",
      );
      assert.ok(state.messages.every(({ text }) => !text.includes("Globex")));
      const corrections = await rowsOf<{ n: number; most: number }>(
        rig.kernel.store,
        "select count(*) as n, max(continuation) as most from exchange where run_id = ?",
        [runId],
      );
      assert.equal(corrections[0]?.most, 1);
      const named = rig.requests.filter(
        ({ labels, messages }) =>
          labels.continuation === 1 &&
          /breaks a rule|was not listed|must/.test(messages.at(-1)?.text ?? ""),
      );
      assert.ok(named.length > 10, "the correction names the breach");
    } finally {
      await rig.close();
    }
  });

  test("one that is right after its correction loses nothing", async () => {
    const rig = await openTeamRig({
      provider: spoiledModel((reply, request) =>
        request.labels.continuation > 0 || request.labels.step !== "write"
          ? reply
          : misbehave(reply, request),
      ),
    });
    try {
      const runId = await rig.play("lab", { stop: ROUNDS(2) });
      const state = await rig.state(runId);

      assert.deepEqual(auditTeam(state), []);
      assert.deepEqual(
        state.refusals.filter(({ step }) => step === "write"),
        [],
      );
      assert.ok(state.versions.length >= 2);
    } finally {
      await rig.close();
    }
  });

  test("a chair that says nothing readable holds the run; a person lets it try again", async () => {
    let isMute = true;
    const rig = await openTeamRig({
      provider: spoiledModel((reply, { labels }) =>
        isMute && labels.step === "plan_assign" ? "I would rather talk about gardening." : reply,
      ),
    });
    try {
      const runId = await rig.play("lab", { stop: ROUNDS(1) });
      const [wait] = await rig.waits(runId);
      assert.equal((await rig.run(runId)).state, "held");
      assert.match(wait?.title ?? "", /plan_assign/);

      isMute = false;
      await rig.answer(wait, "retry");

      assert.equal((await rig.run(runId)).state, "completed");
    } finally {
      await rig.close();
    }
  });
});
