import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { rowsOf } from "../../../tests/scratch/engine-audit.ts";
import { auditTeam } from "./rules/team-audit.suite.ts";
import { hashJson } from "../../kernel/base/hash.ts";
import { type MemberShape, type TeamShape, teamShape } from "./state/team-shape.ts";
import { without } from "./envelope/product-views.ts";
import { openTeamRig, ROUNDS, spoiledModel, type TeamRig } from "./team-rig.suite.ts";

interface Measured {
  readonly round: number;
  readonly step: string;
  readonly hash: string;
  readonly prompt_hash: string;
  readonly characters: number;
  readonly budget: number;
  readonly dropped: string;
}

function measured(rig: TeamRig, runId: string): Promise<readonly Measured[]> {
  return rowsOf<Measured>(
    rig.kernel.store,
    "select round, step, hash, prompt_hash, characters, budget, dropped from team_envelope where run_id = ? order by round, step, job_key, hash",
    [runId],
  );
}

const OPERATIVES = 5;
const PRODUCTS = 39;
const WRITES = 5;

/** Eight members, and with the whole forty products. */
function largeTeam(): TeamShape {
  const member = (name: string, role: MemberShape["role"]): MemberShape => ({
    name,
    role,
    teamRole: `${role} of the house`,
    skills: ["close reading", "order"],
    characteristics: ["calm"],
  });
  const operatives = Array.from({ length: OPERATIVES }, (_, place) =>
    member(`Author ${place + 1}`, "operative"),
  );
  return teamShape.parse({
    name: "Encyclopaedia",
    description: "Writes many small articles that must not contradict each other.",
    field: "Reference",
    example: "Forty short articles on the rivers of one country.",
    members: [
      member("Editor", "chair"),
      ...operatives,
      member("Reader", "watchdog"),
      member("Herald", "envoy"),
    ],
    products: Array.from({ length: PRODUCTS }, (_, place) => ({
      name: `${["North", "South", "East", "West"][place % 4]} river number ${place * 7919}`,
      type: "content",
      owner: `Author ${(place % OPERATIVES) + 1}`,
      description: "Where it rises, what it passes, what people did with it.",
      dod: ["It names source and mouth", "It can be read in two minutes"],
    })),
    topology: "ring",
    stop: { rounds: 10 },
  });
}

/** The chair gives out five articles a round, in turn, and accepts none: the work only grows. */
const tirelessChair = spoiledModel((reply, { labels: { step, item = "" } }) => {
  if (step !== "plan_assign") return reply;
  const round = Number(/r(\d+)/.exec(item)?.[1] ?? 1);
  const [first] = (reply["assignments"] ?? []) as object[];
  const assignments = Array.from({ length: WRITES }, (_, place) => ({
    ...first,
    productId: `p${2 + (((round - 1) * WRITES + place) % 15)}`,
    operativeId: `m${2 + place}`,
  }));
  return { ...reply, actions: [], assignments, replacesMission: null, replacesPersonas: null };
});

describe("rounds", () => {
  test("ten rounds with 8 members and 40 products: prompts do not grow, and never pass their budget", async (t) => {
    const rig = await openTeamRig({ provider: tirelessChair });
    try {
      const runId = await rig.play(largeTeam(), { stop: ROUNDS(10), budget: 40_000 });
      const state = await rig.state(runId);
      const calls = await measured(rig, runId);
      const median = (from: number, to: number) => {
        const sizes = calls
          .filter(({ round }) => round >= from && round <= to)
          .map(({ characters }) => characters)
          .toSorted((a, b) => a - b);
        return sizes[Math.floor(sizes.length / 2)] ?? 0;
      };
      const [early, late] = [median(2, 5), median(6, 10)];

      assert.equal(
        (await rig.run(runId)).state,
        "completed",
        JSON.stringify(await rig.waits(runId)),
      );
      assert.deepEqual(
        [state.members.length, state.products.length, state.round, state.versions.length],
        [8, 40, 10, 10 * WRITES],
      );
      assert.ok(calls.every(({ characters, budget }) => characters <= budget));
      assert.ok(
        late <= 1.15 * early,
        `median ${late} in rounds 6 to 10, ${early} in rounds 2 to 5`,
      );
      assert.ok(
        calls.some(({ dropped }) => dropped !== "[]"),
        "what did not fit is named",
      );
      assert.deepEqual(auditTeam(state), []);
      t.diagnostic(
        `${calls.length} calls; median ${early} characters in rounds 2–5, ${late} in rounds 6–10 (${(late / early).toFixed(2)}×), longest ${Math.max(...calls.map(({ characters }) => characters))} of 40000`,
      );
    } finally {
      await rig.close();
    }
  });

  test("the same mission gives the same envelopes, prompts and versions, whoever answers first", async () => {
    const results: { envelopes: string; records: string }[] = [];
    for (const latencyMs of [0, 4]) {
      const rig = await openTeamRig({ latencyMs });
      try {
        const runId = await rig.play("debate", { stop: ROUNDS(3) });
        const envelopes = await measured(rig, runId);
        const state = await rig.state(runId);
        const records = [
          state.products,
          state.versions,
          state.collabs,
          state.directives,
          state.messages,
          state.refusals,
        ].map((list) =>
          (list as readonly object[]).map((record) =>
            without(record as { exchangeId?: string }, "exchangeId"),
          ),
        );
        assert.ok(state.versions.length > 3);
        results.push({ envelopes: hashJson(envelopes), records: hashJson(records) });
      } finally {
        await rig.close();
      }
    }
    assert.deepEqual(results[0], results[1]);
  });

  test("a round is the same on PostgreSQL", async () => {
    const rig = await openTeamRig({ dialect: "postgres" });
    try {
      const runId = await rig.play("lab", { stop: ROUNDS(1) });
      const state = await rig.state(runId);

      assert.equal((await rig.run(runId)).state, "completed");
      assert.deepEqual(auditTeam(state), []);
      assert.ok(state.versions.length > 0 && (await measured(rig, runId)).length > 5);
    } finally {
      await rig.close();
    }
  });
});
