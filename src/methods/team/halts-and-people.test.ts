import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { callerOf } from "../../kernel/operation/authorisation-matrix.ts";
import { invoke } from "../../kernel/operation/invoke.ts";
import { createOperationRegistry } from "../../kernel/operation/operation-registry.ts";
import { pauseRun, resumeRun } from "../../kernel/run/run-control.ts";
import { teamPersonOperations } from "./operations/team-person-operations.ts";
import { teamReadOperations } from "./operations/team-read-operations.ts";
import { teamRunOperations } from "./operations/team-run-operations.ts";
import { auditTeam } from "./rules/team-audit.suite.ts";
import { openTeamRig, ROUNDS, type TeamRig, teamOf } from "./team-rig.suite.ts";

const registry = createOperationRegistry([
  ...teamReadOperations,
  ...teamRunOperations,
  ...teamPersonOperations,
]);
const MISSING = {
  question: "Who will read it?",
  blocking: true,
  options: ["Experts", "Everybody"],
};

const SCRIPT = {
  replies: [
    {
      step: "bootstrap",
      item: "r0 m1",
      set: { missingDetails: [MISSING, { question: "How long?", blocking: false, options: [] }] },
    },
    {
      step: "plan_assign",
      item: "r1 m1",
      continuation: "*",
      set: {
        halt: { kind: "question", message: "May we name the sources?", options: ["Yes", "No"] },
      },
    },
    {
      step: "plan_assign",
      item: "r3 m1",
      continuation: "*",
      set: { halt: { kind: "done", message: "Everything is there.", options: [] } },
    },
  ],
};

describe("halts and people", () => {
  let rig: TeamRig;
  before(async () => {
    rig = await openTeamRig({ script: SCRIPT });
  });
  after(() => rig.close());
  const admin = callerOf("admin", false, undefined);
  const call = async <Answer>(name: string, input: object): Promise<Answer> => {
    const answer = (await invoke(rig.kernel, registry, name, admin, input)) as Answer;
    await rig.idle();
    return answer;
  };
  const status = (runId: string) =>
    call<{
      status: string;
      round: number;
      stop: { code: string } | null;
      waits: { title: string }[];
    }>("team.status", { runId });

  test("a blocking detail stops the team before round 1, a question stops it in a step, an end is the person's to say", async () => {
    const { runId } = await call<{ runId: string }>("team.start", { team: "lab", rounds: 5 });
    assert.deepEqual(pick(await status(runId)), [
      "awaiting_user",
      0,
      "The team needs to know before it begins",
    ]);
    await assert.rejects(call("team.answer", { runId, choice: "answer" }), {
      code: "input_invalid",
    });
    await assert.rejects(call("team.round", { runId }), { code: "team_at_work" });

    await call("team.answer", { runId, text: "Nurses in training." });
    assert.deepEqual(pick(await status(runId)), ["awaiting_user", 1, "The chair has a question"]);
    await call("team.answer", { runId, text: "Yes, name them." });
    const asked = pick(await status(runId));
    assert.deepEqual(asked, ["awaiting_user", 3, "The chair says the mission is met"]);
    await call("team.answer", { runId, choice: "conclude" });

    const ended = await status(runId);
    const state = await rig.state(runId);
    assert.deepEqual([ended.status, ended.stop?.code], ["concluded", "user"]);
    assert.deepEqual(
      state.userMessages.slice(1).map(({ content, answers }) => [content, answers]),
      [
        ["Nurses in training.", "Who will read it?"],
        ["Yes, name them.", "May we name the sources?"],
      ],
    );
    assert.equal(state.missions[0]?.missingDetails[0]?.answer, "Nurses in training.");
    assert.ok(
      rig.requests.some(
        ({ labels, messages }) =>
          labels.item === "r2 m1" && messages.some(({ text }) => text.includes("Yes, name them.")),
      ),
      "the next plan is made with the answer",
    );
    await assert.rejects(call("team.answer", { runId, text: "More." }), {
      code: "team_nothing_asked",
    });
  });

  test("a person comments, writes, accepts, changes the mission, stops; and lets a concluded team work on", async () => {
    const quiet = await openTeamRig();
    try {
      const own = async <Answer>(name: string, input: object) => {
        const answer = (await invoke(quiet.kernel, registry, name, admin, input)) as Answer;
        await quiet.idle();
        return answer;
      };
      const { runId } = await own<{ runId: string }>("team.start", { team: "start-up", rounds: 1 });
      const said = await own<{ comment: string }>("team.comment", {
        runId,
        product: "p2",
        content: "Say who turned us down.",
        importance: 9,
      });
      await assert.rejects(own("team.accept", { runId, product: "p2" }), {
        code: "team_acceptance_refused",
      });
      await own("team.write", {
        runId,
        product: "p3",
        content: "# Offer\n\nTwo tools a week, returned on Sunday.",
        summary: "Shorter.",
      });
      await own("team.mission", { runId, constraints: ["No loans"] });
      await assert.rejects(own("team.mission", { runId }), { code: "team_mission_unchanged" });
      await own("team.round", { runId, count: 1 });

      const state = await quiet.state(runId);
      const answered = state.collabs.find(({ id }) => id === said.comment);
      assert.equal(state.round, 2);
      assert.notEqual(answered?.state, "open");
      assert.deepEqual(state.missions.at(-1)?.constraints, ["No loans"]);
      assert.ok(state.versions.some(({ authorId }) => authorId === "user"));
      assert.deepEqual(auditTeam(state), []);
      const [sentence] = ["Two tools a week, returned on Sunday."];
      const blame = await own<{ versionId: string; chain: { id: string; kind: string }[] }>(
        "team.blame",
        {
          runId,
          product: "p3",
          sentence,
          version: state.versions.find(({ authorId }) => authorId === "user")?.id,
        },
      );
      assert.equal(blame.chain.at(-1)?.kind, "user_message");
    } finally {
      await quiet.close();
    }
  });

  test("a member that stands for a person writes by the inbox, through the same gates", async () => {
    const quiet = await openTeamRig();
    try {
      const team = teamOf("lab");
      const only = {
        ...team,
        members: team.members.filter(
          ({ name, role }) => role !== "operative" || name === "Priya Raman",
        ),
        products: team.products.filter(({ owner }) => owner === "Priya Raman"),
      };
      const runId = await quiet.play(only, {
        stop: ROUNDS(1),
        mostProducts: 2,
        standsFor: { "Priya Raman": { userId: "reviewer", isPerson: true, model: null } },
      });
      const [wait] = await quiet.waits(runId);
      assert.equal(wait?.kind, "team.write");
      assert.equal(wait?.assigneeId, "reviewer");
      for (const each of await quiet.waits(runId)) {
        await quiet.answer(each, "hand_in", {
          content: `Written by hand for ${each.key}, at some length.`,
          changeSummary: "By hand.",
        });
      }

      const state = await quiet.state(runId);
      assert.equal((await quiet.run(runId)).state, "completed");
      assert.ok(
        state.versions.length > 0 &&
          state.versions.every(({ content }) => content?.startsWith("Written by hand")),
      );
      assert.deepEqual(auditTeam(state), []);
    } finally {
      await quiet.close();
    }
  });

  test("paused in the middle it rests, resumed it goes on as if nothing had been", async () => {
    const slow = await openTeamRig({ latencyMs: 40 });
    try {
      const runId = await slow.start("book", { stop: ROUNDS(2) });
      for (let tries = 0; slow.requests.length < 4 && tries < 2000; tries += 1)
        await slow.kernel.clock.sleep(5);
      await slow.kernel.store.write(() =>
        pauseRun(slow.kernel.engine, runId, "admin", slow.kernel.clock.now()),
      );
      await slow.idle();
      assert.equal((await slow.run(runId)).state, "paused");
      await slow.kernel.store.write(() =>
        resumeRun(slow.kernel.engine, runId, "admin", slow.kernel.clock.now()),
      );
      slow.kernel.wake();
      await slow.idle();

      assert.equal((await slow.run(runId)).state, "completed");
      assert.deepEqual(auditTeam(await slow.state(runId)), []);
    } finally {
      await slow.close();
    }
  });
});

function pick({
  status,
  round,
  waits,
}: {
  status: string;
  round: number;
  waits: { title: string }[];
}) {
  return [status, round, waits[0]?.title];
}
