import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { buildEnvelope } from "../envelope/build-envelope.ts";
import { contractOf } from "../envelope/reply-contract.ts";
import { checkValue } from "../../../kernel/contract/check-value.ts";
import { verdictOf } from "./acceptance.ts";
import { BREACHES } from "./breach.ts";
import { unfoundedIn } from "./envoy-gate.ts";
import { changeMission, commentOn, judgeProduct, writeVersion } from "./person-acts.ts";
import { similarity } from "./similar-text.ts";
import {
  action,
  adding,
  assigned,
  assigning,
  commented,
  comment,
  inspected,
  inspecting,
  MISSION,
  plan,
  type Replied,
  reply,
  teamAt,
  version,
  written,
} from "./team-world.suite.ts";

const finding = {
  about: "v1",
  category: "quality",
  severity: 3,
  issue: "The order is hard to follow.",
  recommendation: "Begin with the answer.",
  trace: ["v1"],
};
const persona = (memberId: string) => ({
  memberId,
  text: "You have seen this before and will say so early.",
  motivation: "It matters.",
});
const reflection = {
  productId: "p3",
  note: "It stands.",
  nextVersionDelta: "Name the trials.",
  parts: [{ name: "Trials", status: "in_progress", next: "List them" }],
  structuralRequests: [],
  confidence: 0.7,
  trace: ["v1"],
};
const statuses = ["p3.1", "p3.2"].map((criterionId) => ({
  criterionId,
  status: "partial",
  evidence: "In part.",
}));
const reflecting = (given: object) => ({
  reflections: [reflection],
  criteria: statuses,
  collabAnswers: [{ collabId: "c1", action: "accept", rationale: "Right.", plannedChange: null }],
  directiveAnswers: [{ directiveId: "d1", status: "partial", evidence: "Begun.", recovery: null }],
  ...given,
});
const nextRound = (state: ReturnType<typeof teamAt>) => ({ ...state, round: state.round + 1 });
const speaking = (given: object) => ({
  messages: [
    {
      speakerId: "m3",
      text: "Priya Raman wrote version 1 of “Evidence review”.",
      deltaIds: ["v1"],
      ...given,
    },
  ],
});
const writing = (given: object) => ({ versions: [version(given)] });

interface Case {
  readonly gate: string;
  readonly breach: () => Replied;
  readonly code: keyof typeof BREACHES;
  readonly nearMiss: () => Replied;
}

const CASES: readonly Case[] = [
  {
    gate: "ids are valid",
    breach: () => plan(teamAt(), { actions: [action({ action: "reject", productId: "p99" })] }),
    code: "team_id_unknown",
    nearMiss: () => plan(teamAt(), { actions: [action({ action: "reject", productId: "p3" })] }),
  },
  {
    gate: "the tree stays a tree: nothing goes below itself",
    breach: () =>
      plan(plan(teamAt(), { actions: [adding({ parentId: "p2", type: "orchestration" })] }).state, {
        actions: [action({ action: "reparent", productId: "p2", parentId: "p5" })],
      }),
    code: "team_tree_broken",
    nearMiss: () =>
      plan(plan(teamAt(), { actions: [adding({ parentId: "p2", type: "orchestration" })] }).state, {
        actions: [action({ action: "reparent", productId: "p5", parentId: "p1" })],
      }),
  },
  {
    gate: "the whole is not removed",
    breach: () => plan(teamAt(), { actions: [action({ action: "remove", productId: "p1" })] }),
    code: "team_tree_broken",
    nearMiss: () => plan(teamAt(), { actions: [action({ action: "remove", productId: "p4" })] }),
  },
  {
    gate: "what holds something is not removed",
    breach: () =>
      plan(plan(teamAt(), { actions: [adding({ parentId: "p2" })] }).state, {
        actions: [action({ action: "remove", productId: "p2" })],
      }),
    code: "team_tree_broken",
    nearMiss: () =>
      plan(plan(teamAt(), { actions: [adding({ parentId: "p2" })] }).state, {
        actions: [
          action({ action: "remove", productId: "p5" }),
          action({ action: "remove", productId: "p2" }),
        ],
      }),
  },
  {
    gate: "a collection holds content only",
    breach: () =>
      plan(teamAt(), {
        actions: [
          adding({ type: "collection", name: "Sources" }),
          adding({
            newId: "new-2",
            parentId: "new-1",
            type: "decision",
            name: "Which sources count",
          }),
        ],
      }),
    code: "team_composition",
    nearMiss: () =>
      plan(teamAt(), {
        actions: [
          adding({ type: "collection", name: "Sources" }),
          adding({
            newId: "new-2",
            parentId: "new-1",
            type: "content",
            name: "Which sources count",
          }),
        ],
      }),
  },
  {
    gate: "a type that cannot hold what is there is no type for it",
    breach: () =>
      plan(plan(teamAt(), { actions: [adding({ parentId: "p2", type: "decision" })] }).state, {
        actions: [action({ action: "change_param", productId: "p2", set: { type: "collection" } })],
      }),
    code: "team_composition",
    nearMiss: () =>
      plan(plan(teamAt(), { actions: [adding({ parentId: "p2", type: "content" })] }).state, {
        actions: [action({ action: "change_param", productId: "p2", set: { type: "collection" } })],
      }),
  },
  {
    gate: "no product twice below one parent",
    breach: () => plan(teamAt(), { actions: [adding({ name: "EVIDENCE — review!" })] }),
    code: "team_product_duplicate",
    nearMiss: () =>
      plan(teamAt(), { actions: [adding({ name: "Evidence review", parentId: "p2" })] }),
  },
  {
    gate: "no more products than the team may have",
    breach: () => plan(teamAt(1, { mostProducts: 4 }), { actions: [adding({})] }),
    code: "team_too_many_products",
    nearMiss: () => plan(teamAt(1, { mostProducts: 5 }), { actions: [adding({})] }),
  },
  {
    gate: "what is accepted stays as it is",
    breach: () =>
      plan(plan(inspected(), { actions: [action({ action: "accept", productId: "p3" })] }).state, {
        assignments: [assigning("p3", "m3")],
      }),
    code: "team_id_unknown",
    nearMiss: () =>
      plan(
        plan(
          plan(inspected(), { actions: [action({ action: "accept", productId: "p3" })] }).state,
          { actions: [action({ action: "reject", productId: "p3" })] },
        ).state,
        { assignments: [assigning("p3", "m3")] },
      ),
  },
  {
    gate: "what is accepted in this reply is not given out in it",
    breach: () =>
      plan(inspected(), {
        actions: [action({ action: "accept", productId: "p3" })],
        assignments: [assigning("p3", "m3")],
      }),
    code: "team_product_closed",
    nearMiss: () =>
      plan(inspected(), {
        actions: [action({ action: "accept", productId: "p3" })],
        assignments: [assigning("p4", "m4")],
      }),
  },
  {
    gate: "a product is given out once a round",
    breach: () => plan(teamAt(), { assignments: [assigning("p3", "m3"), assigning("p3", "m2")] }),
    code: "team_assignment_repeated",
    nearMiss: () => plan(teamAt(), { assignments: [assigning("p3", "m3"), assigning("p4", "m3")] }),
  },
  {
    gate: "only operatives are given work",
    breach: () => plan(teamAt(), { assignments: [assigning("p3", "m5")] }),
    code: "team_assignee_not_operative",
    nearMiss: () => plan(teamAt(), { assignments: [assigning("p3", "m4")] }),
  },
  {
    gate: "the chair says something about every objective",
    breach: () =>
      plan(teamAt(), { objectives: [{ objectiveId: "o1", progress: "some", note: "Begun." }] }),
    code: "team_objective_missing",
    nearMiss: () => plan(teamAt(), {}),
  },
  {
    gate: "only what was assigned is written",
    breach: () => reply(assigned(), "write", "m3", "d1", writing({ productId: "p4" })),
    code: "team_write_unassigned",
    nearMiss: () => reply(assigned(), "write", "m3", "d1", writing({})),
  },
  {
    gate: "one version for one assignment",
    breach: () =>
      reply(assigned(), "write", "m3", "d1", {
        versions: [
          version(),
          version({
            content: "Quite another text about walking, sleep and the people who do both.",
          }),
        ],
      }),
    code: "team_version_repeated",
    nearMiss: () =>
      reply(
        plan(nextRound(written()), { assignments: [assigning("p3", "m3")] }).state,
        "write",
        "m3",
        "d2",
        writing({
          lastDirectiveId: "d2",
          trace: ["d2"],
          content: "Quite another text about walking, sleep and the people who do both.",
        }),
      ),
  },
  {
    gate: "a version differs from the last",
    breach: () =>
      reply(
        plan(nextRound(written()), { assignments: [assigning("p3", "m3")] }).state,
        "write",
        "m3",
        "d2",
        writing({ lastDirectiveId: "d2", trace: ["d2"] }),
      ),
    code: "team_version_same",
    nearMiss: () =>
      reply(
        plan(nextRound(written()), { assignments: [assigning("p3", "m3")] }).state,
        "write",
        "m3",
        "d2",
        writing({
          lastDirectiveId: "d2",
          trace: ["d2"],
          content: `${(version() as { content: string }).content} One more.`,
        }),
      ),
  },
  {
    gate: "every item rests on something shown",
    breach: () => reply(assigned(), "write", "m3", "d1", writing({ trace: ["c44"] })),
    code: "team_trace_missing",
    nearMiss: () => reply(assigned(), "write", "m3", "d1", writing({ trace: ["mission1"] })),
  },
  {
    gate: "a trace beside a good one must lead somewhere too",
    breach: () => reply(assigned(), "write", "m3", "d1", writing({ trace: ["d1", "d7"] })),
    code: "team_id_unknown",
    nearMiss: () => reply(assigned(), "write", "m3", "d1", writing({ trace: ["d1", "u1"] })),
  },
  {
    gate: "no comment twice on one product",
    breach: () =>
      reply(commented(), "peer_review", "m2", "v1", {
        comments: [
          comment({ comment: "The trials are named nowhere: a reader cannot look them up!" }),
        ],
      }),
    code: "team_comment_duplicate",
    nearMiss: () =>
      reply(commented(), "peer_review", "m2", "v1", {
        agreesWith: ["c1"],
        comments: [
          comment({ comment: "Dropouts are not counted, so the effect may be too large." }),
        ],
      }),
  },
  {
    gate: "every open comment is answered",
    breach: () =>
      reply(nextRound(commented()), "reflect", "m3", null, reflecting({ collabAnswers: [] })),
    code: "team_unanswered",
    nearMiss: () => reply(nextRound(commented()), "reflect", "m3", null, reflecting({})),
  },
  {
    gate: "every directive is answered",
    breach: () =>
      reply(nextRound(commented()), "reflect", "m3", null, reflecting({ directiveAnswers: [] })),
    code: "team_unanswered",
    nearMiss: () =>
      reply(
        nextRound(commented()),
        "reflect",
        "m3",
        null,
        reflecting({
          directiveAnswers: [
            {
              directiveId: "d1",
              status: "unfulfilled",
              evidence: "Not begun.",
              recovery: "Begin.",
            },
          ],
        }),
      ),
  },
  {
    gate: "nothing is accepted before its definition of done passes",
    breach: () =>
      plan(
        inspected(written(), {
          criteria: [{ criterionId: "v1.1", passes: true, evidence: "There." }],
        }),
        { actions: [action({ action: "accept", productId: "p3" })] },
      ),
    code: "team_acceptance_refused",
    nearMiss: () => plan(inspected(), { actions: [action({ action: "accept", productId: "p3" })] }),
  },
  {
    gate: "nothing is accepted with a comment of importance 8 open",
    breach: () =>
      plan(inspected(commented(8)), { actions: [action({ action: "accept", productId: "p3" })] }),
    code: "team_acceptance_refused",
    nearMiss: () =>
      plan(inspected(commented(7)), { actions: [action({ action: "accept", productId: "p3" })] }),
  },
  {
    gate: "nothing is accepted that the watchdog blocked",
    breach: () =>
      plan(inspected(written(), { findings: [{ ...finding, severity: 8 }] }), {
        actions: [action({ action: "accept", productId: "p3" })],
      }),
    code: "team_acceptance_refused",
    nearMiss: () =>
      plan(inspected(written(), { findings: [{ ...finding, severity: 7 }] }), {
        actions: [action({ action: "accept", productId: "p3" })],
      }),
  },
  {
    gate: "nothing is accepted before what it holds",
    breach: () => plan(inspected(), { actions: [action({ action: "accept", productId: "p1" })] }),
    code: "team_acceptance_refused",
    nearMiss: () =>
      plan(
        plan(inspected(), {
          actions: [
            action({ action: "remove", productId: "p2" }),
            action({ action: "remove", productId: "p4" }),
            action({ action: "accept", productId: "p3" }),
          ],
        }).state,
        { actions: [action({ action: "accept", productId: "p1" })] },
      ),
  },
  {
    gate: "every new version is inspected",
    breach: () => reply(written(), "inspect", "m5", null, inspecting({ inspections: [] })),
    code: "team_inspection_missing",
    nearMiss: () => reply(written(), "inspect", "m5", null, inspecting()),
  },
  {
    gate: "no finding twice",
    breach: () =>
      reply(
        written(),
        "inspect",
        "m5",
        null,
        inspecting({ findings: [finding, { ...finding, issue: "The order is hard to follow!" }] }),
      ),
    code: "team_finding_duplicate",
    nearMiss: () =>
      reply(
        written(),
        "inspect",
        "m5",
        null,
        inspecting({
          findings: [finding, { ...finding, issue: "Nothing says how the trials were chosen." }],
        }),
      ),
  },
  {
    gate: "the envoy cites changes of this round",
    breach: () => reply(nextRound(plan(written(), {}).state), "envoy", "m6", null, speaking({})),
    code: "team_envoy_uncited",
    nearMiss: () => reply(written(), "envoy", "m6", null, speaking({})),
  },
  {
    gate: "the envoy's numerals stand in what it cites",
    breach: () =>
      reply(
        written(),
        "envoy",
        "m6",
        null,
        speaking({ text: "Priya Raman wrote about 14 trials." }),
      ),
    code: "team_envoy_unfounded",
    nearMiss: () =>
      reply(
        written(),
        "envoy",
        "m6",
        null,
        speaking({ text: "Priya Raman wrote version 1, about twelve trials." }),
      ),
  },
  {
    gate: "the envoy's quotations stand in what it cites",
    breach: () =>
      reply(
        written(),
        "envoy",
        "m6",
        null,
        speaking({ text: "It now says “all of them are small”." }),
      ),
    code: "team_envoy_unfounded",
    nearMiss: () =>
      reply(
        written(),
        "envoy",
        "m6",
        null,
        speaking({ text: "It now says “most of them are small”." }),
      ),
  },
  {
    gate: "the envoy's names stand in what it cites",
    breach: () =>
      reply(written(), "envoy", "m6", null, speaking({ text: "The review now follows Cochrane." })),
    code: "team_envoy_unfounded",
    nearMiss: () =>
      reply(written(), "envoy", "m6", null, speaking({ text: "The review by Raman is in." })),
  },
  {
    gate: "every member has exactly one persona",
    breach: () =>
      reply(teamAt(0), "bootstrap", "m1", null, {
        mission: MISSION,
        personas: ["m1", "m2", "m2"].map(persona),
        missingDetails: [],
      }),
    code: "team_persona_missing",
    nearMiss: () =>
      reply(teamAt(0), "bootstrap", "m1", null, {
        mission: MISSION,
        personas: ["m1", "m2", "m3", "m4", "m5", "m6"].map(persona),
        missingDetails: [],
      }),
  },
  {
    gate: "what cannot be read is refused by itself, and the rest is taken",
    breach: () =>
      reply(written(), "peer_review", "m4", "v1", { comments: [{ comment: "x" }, comment()] }),
    code: "team_reply_unreadable",
    nearMiss: () => reply(written(), "peer_review", "m4", "v1", { comments: [comment()] }),
  },
];

describe("each gate refuses a breach by its code and lets the near miss pass", () => {
  for (const { gate, breach, code, nearMiss } of CASES) {
    test(gate, () => {
      const { codes, state } = breach();
      assert.deepEqual([...new Set(codes)], [code]);
      assert.deepEqual(nearMiss().codes, []);
      assert.ok(
        state.refusals.some((refusal) => refusal.code === code),
        "the refusal is on record",
      );
    });
  }

  test("no gate is forgotten", () => {
    const tried = new Set(CASES.map(({ code }) => code));
    assert.deepEqual(
      Object.keys(BREACHES).filter((code) => !tried.has(code as never)),
      [],
    );
  });
});

test("what a gate refuses goes, item by item, and the rest stays", () => {
  const { state, codes } = plan(teamAt(), {
    actions: [
      adding({ name: "Glossary" }),
      adding({ newId: "new-2", name: "Evidence review" }),
      adding({ newId: "new-3", name: "Timeline" }),
    ],
    assignments: [assigning("p77", "m2"), assigning("p4", "m4")],
  });

  assert.deepEqual(codes, ["team_product_duplicate", "team_id_unknown"]);
  assert.deepEqual(
    state.products.slice(4).map(({ name }) => name),
    ["Glossary", "Timeline"],
  );
  assert.deepEqual(
    state.directives.map(({ productId }) => productId),
    ["p4"],
  );
  assert.deepEqual(
    state.refusals.map(({ place }) => place),
    ["actions[1]", "assignments[0]"],
  );
});

test("a breach is named to the member that made it, in the words of the contract", () => {
  const state = commented();
  const envelope = buildEnvelope(state, { step: "peer_review", memberId: "m2", target: "v1" });
  const reading = checkValue(contractOf(state, envelope), {
    reasoning: "So.",
    stance: "agree",
    agreesWith: [],
    comments: [comment()],
  });

  assert.ok(!reading.ok);
  assert.match(
    reading.problems[0]?.message ?? "",
    /`comments\[0\]` breaks a rule: says what c1 says already: agree with that one/,
  );
});

test("unanswered comments grow heavier until they block", () => {
  let state = nextRound(commented(6));
  const silent = reflecting({ collabAnswers: [], directiveAnswers: [] });
  state = nextRound(reply(state, "reflect", "m3", null, silent).state);
  state = reply(state, "reflect", "m3", null, silent).state;

  assert.deepEqual(
    state.collabs.map(({ importance, age, state: at }) => [importance, age, at]),
    [[6, 2, "open"]],
  );
  assert.deepEqual(
    plan(inspected({ ...state, round: 1 }), {
      actions: [action({ action: "accept", productId: "p3" })],
    }).codes,
    ["team_acceptance_refused"],
  );
});

test("what is sent back opens again everything that holds it", () => {
  const emptied = plan(inspected(), {
    actions: [
      action({ action: "remove", productId: "p2" }),
      action({ action: "remove", productId: "p4" }),
      action({ action: "accept", productId: "p3" }),
    ],
  }).state;
  const accepted = plan(emptied, {
    actions: [action({ action: "accept", productId: "p1" })],
  }).state;
  const back = plan(accepted, { actions: [action({ action: "reject", productId: "p3" })] }).state;
  const statusOf = (state: typeof back) =>
    state.products.filter(({ id }) => id === "p1" || id === "p3").map(({ status }) => status);

  assert.deepEqual(statusOf(accepted), ["accepted", "accepted"]);
  assert.deepEqual(statusOf(back), ["pending", "rejected"]);
});

test("the verdict is arithmetic", () => {
  const of = (...severities: number[]) => verdictOf(severities.map((severity) => ({ severity })));
  assert.deepEqual(
    [of(), of(4), of(5), of(7, 2), of(8), of(1, 10)],
    ["approved", "approved", "needs_revision", "needs_revision", "blocked", "blocked"],
  );
});

test("texts are the same from a Jaccard of 0.8 over trigrams of plain text", () => {
  assert.equal(similarity("Évidence — REVIEW!", "évidence review"), 1);
  assert.equal(similarity("ﬁnal plan", "final plan"), 1);
  // abcd… : 8 of 10 trigrams in common are enough, 7 of 11 are not.
  assert.ok(similarity("abcdefghijk", "abcdefghijklm") >= 0.8);
  assert.ok(similarity("abcdefghij", "abcdefghijklm") < 0.8);
  assert.equal(similarity("", "abc"), 0);
});

test("a sentence that begins with a capital claims no name; a name inside one does", () => {
  assert.deepEqual(unfoundedIn("Nothing new. Here we stand.", ""), []);
  assert.deepEqual(unfoundedIn("We met Acme in March.", "we met in march"), ["Acme"]);
  assert.deepEqual(unfoundedIn("Acme Corp signed.", ""), ["Acme", "Corp"]);
});

describe("no mission, no output", () => {
  for (const missing of ["charter", "objectives", "constraints"] as const) {
    test(`without ${missing} every step refuses to run and says so`, () => {
      const state = teamAt();
      const [mission] = state.missions;
      const without = {
        ...state,
        missions: [{ ...mission!, [missing]: missing === "charter" ? "" : [] }],
      };

      assert.throws(
        () => buildEnvelope(without, { step: "plan_assign", memberId: "m1", target: null }),
        { code: "team_mission_missing", message: `The mission has no ${missing}.` },
      );
    });
  }
});

describe("a person is a member like any other", () => {
  test("comments, writes, accepts and changes the mission through the same gates", () => {
    const state = inspected(commented(9));
    assert.throws(
      () => judgeProduct(state, { action: "accept", productId: "p3", reason: "Good." }),
      { code: "team_acceptance_refused" },
    );
    assert.throws(
      () =>
        commentOn(state, {
          productId: "p3",
          content: "The trials are named nowhere; a reader cannot look them up",
          kind: "concern",
          importance: 5,
        }),
      { code: "team_comment_duplicate" },
    );
    assert.throws(
      () =>
        writeVersion(state, {
          productId: "p3",
          content: (version() as { content: string }).content,
          changeSummary: "Same.",
          settles: [],
        }),
      { code: "team_version_same" },
    );
    assert.throws(
      () =>
        writeVersion(state, {
          productId: "p9",
          content: "Text that is new to everybody here.",
          changeSummary: "New.",
          settles: [],
        }),
      { code: "team_product_not_found" },
    );

    const edit = writeVersion(state, {
      productId: "p3",
      content: "Text that is new to everybody here.",
      changeSummary: "Named them.",
      settles: ["c1"],
    });
    assert.deepEqual(edit.puts.map(({ noun }) => noun).toSorted(), [
      "collabs",
      "products",
      "versions",
    ]);
    assert.equal(edit.id, "v2");
    const changed = changeMission(state, { constraints: ["Ten pages"] });
    assert.deepEqual(
      changed.map(({ record }) => record.id),
      ["mission2"],
    );
  });
});
