/** Whatever members reply, in whatever order: the tree, ownership, acceptance and traces hold. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { buildEnvelope } from "../envelope/build-envelope.ts";
import { callOf } from "../envelope/reply-contract.ts";
import { callsOf } from "../running/step-calls.ts";
import { ROUND_STEPS } from "../state/team-records.ts";
import { applyPuts, type TeamState } from "../state/team-state.ts";
import type { Allowed } from "./allowed.ts";
import { applyReply } from "./apply-reply.ts";
import { Draft } from "./draft.ts";
import { auditTeam } from "./team-audit.suite.ts";
import { action, adding, assigning, comment, teamAt, version } from "./team-world.suite.ts";

/** A sequence is one round of replies of the whole team, on top of the rounds before it. */
const SEQUENCES = Number(process.env["SEQUENCES"] ?? 10_000);
const ROUNDS_A_TEAM = 5;

test(`${SEQUENCES} random sequences of replies, a third of their parts wrong, break nothing`, (t) => {
  let refused = 0;
  let kept = 0;
  for (let team = 0; team * ROUNDS_A_TEAM < SEQUENCES; team += 1) {
    const dice = createDice(team + 1);
    let state = teamAt(0, { topology: dice.pick(["ring", "all"] as const), mostProducts: 9 });
    for (let round = 1; round <= ROUNDS_A_TEAM; round += 1) {
      state = { ...state, round };
      for (const step of ROUND_STEPS) {
        const planned = callsOf(new Draft(state), step);
        for (const { memberId, target } of "calls" in planned ? planned.calls : []) {
          const call = callOf(buildEnvelope(state, { step, memberId, target }), null);
          const { puts, breaches } = applyReply(
            state,
            call,
            replyTo(step)(dice, call.allowed, state),
          );
          state = applyPuts(state, puts);
          refused += breaches.length;
          kept += puts.length - breaches.length;
        }
      }
      const faults = auditTeam(state);
      assert.deepEqual(faults, [], `team ${team + 1}, round ${round}`);
    }
  }
  t.diagnostic(`${kept} records kept, ${refused} items refused`);
  assert.ok(refused > SEQUENCES / 4 && kept > SEQUENCES, "both ways are taken");
});

interface Dice {
  readonly below: (most: number) => number;
  readonly pick: <Item>(items: readonly Item[]) => Item;
  /** True for a share of throws. */
  readonly goes: (share: number) => boolean;
}

function createDice(seed: number): Dice {
  let at = seed * 2_654_435_761;
  const next = () => {
    at = (at + 0x6d2b79f5) | 0;
    let mixed = Math.imul(at ^ (at >>> 15), 1 | at);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  const below = (most: number) => Math.floor(next() * most);
  return { below, pick: (items) => items[below(items.length)]!, goes: (share) => next() < share };
}

const WRONG = ["p99", "v77", "c88", "d66", "m9", "new-6", "", "p1; p2"];
const WORDS = [
  "walks",
  "sleep",
  "trials",
  "dropouts",
  "sources",
  "readers",
  "limits",
  "answers",
  "doubts",
  "costs",
  "order",
  "terms",
];

/** Mostly one that was shown. */
function id(dice: Dice, shown: readonly string[]): string {
  return shown.length > 0 && dice.goes(0.88) ? dice.pick(shown) : dice.pick(WRONG);
}

function words(dice: Dice, count: number): string {
  return Array.from({ length: count }, () => dice.pick(WORDS)).join(" ");
}

const many = <Item>(dice: Dice, most: number, make: () => Item) =>
  Array.from({ length: dice.below(most + 1) }, make);

function trace(dice: Dice, { refs }: Allowed): string[] {
  return many(dice, 2, () => id(dice, refs)).concat(
    dice.goes(0.9) ? [dice.pick(refs.length > 0 ? refs : WRONG)] : [],
  );
}

function act(dice: Dice, allowed: Allowed): object {
  const shared = {
    trace: trace(dice, allowed),
    decisionId: dice.goes(0.8) ? null : id(dice, allowed.decisions),
  };
  const productId = id(dice, allowed.products);
  switch (dice.below(9)) {
    case 0:
    case 1:
      return adding({
        ...shared,
        newId: dice.pick(["new-1", "new-2", "new-3"]),
        parentId: dice.goes(0.3)
          ? null
          : id(dice, [...allowed.parents, ...allowed.products, "new-1"]),
        name: words(dice, 2),
        type: dice.pick(["content", "decision", "collection", "orchestration"]),
        ownerId: dice.goes(0.5) ? null : id(dice, [...allowed.operatives, "m1"]),
        assignment: dice.goes(0.5) ? null : assignment(dice, allowed),
      });
    case 2:
      return action({ ...shared, action: "remove", productId });
    case 3:
      return action({
        ...shared,
        action: "reparent",
        productId,
        parentId: id(dice, allowed.products),
      });
    case 4:
      return action({
        ...shared,
        action: "change_param",
        productId,
        set: {
          name: words(dice, 2),
          type: dice.pick(["content", "decision", "collection", "orchestration"]),
          ...(dice.goes(0.3) ? { ownerId: id(dice, allowed.members) } : {}),
        },
      });
    case 5:
      return action({ ...shared, action: "reject", productId });
    case 6:
      return action({
        ...shared,
        action: "select_version",
        productId,
        versionId: id(dice, allowed.versions),
      });
    default:
      return action({
        ...shared,
        action: "accept",
        productId: id(dice, dice.goes(0.7) ? allowed.acceptable : allowed.products),
      });
  }
}

function assignment(dice: Dice, allowed: Allowed): object {
  return assigning(
    id(dice, allowed.assignable),
    dice.goes(0.9) ? dice.pick(allowed.operatives) : id(dice, allowed.members),
    {
      trace: trace(dice, allowed),
      referencedProductIds: many(dice, 2, () => id(dice, allowed.products)),
    },
  );
}

const REPLIES: Readonly<
  Record<string, (dice: Dice, allowed: Allowed, state: TeamState) => unknown>
> = {
  reflect: (dice, allowed) => ({
    reflections: allowed.assignable
      .filter(() => dice.goes(0.9))
      .map((productId) => ({
        productId: dice.goes(0.95) ? productId : id(dice, []),
        note: words(dice, 4),
        nextVersionDelta: words(dice, 4),
        parts: [{ name: "one", status: "done", next: "rest" }],
        structuralRequests: [],
        confidence: 0.5,
        trace: trace(dice, allowed),
      })),
    criteria: [],
    collabAnswers: allowed.collabs
      .filter(() => dice.goes(0.8))
      .map((collabId) => ({
        collabId,
        action: dice.pick(["accept", "defer", "reject"]),
        rationale: "So.",
        plannedChange: null,
      })),
    directiveAnswers: allowed.directives
      .filter(() => dice.goes(0.8))
      .map((directiveId) => ({
        directiveId,
        status: "fulfilled",
        evidence: "Here.",
        recovery: null,
      })),
  }),
  plan_assign: (dice, allowed) => ({
    objectives: allowed.objectives.map((objectiveId) => ({
      objectiveId,
      progress: "some",
      note: "On.",
    })),
    actions: many(dice, 5, () => act(dice, allowed)),
    assignments: many(dice, 4, () => assignment(dice, allowed)),
    personalNotes: [],
    replacesMission: null,
    replacesPersonas: null,
  }),
  write: (dice, allowed) => ({
    versions: many(dice, 1, () => draft(dice, allowed)).concat(
      dice.goes(0.9) ? [draft(dice, allowed)] : [],
    ),
  }),
  peer_review: (dice, allowed) => ({
    agreesWith: many(dice, 2, () => id(dice, allowed.collabs)),
    comments: many(dice, 3, () =>
      comment({
        comment: words(dice, 3),
        importance: 1 + dice.below(10),
        trace: trace(dice, allowed),
        respondsTo: dice.goes(0.7) ? null : id(dice, allowed.collabs),
      }),
    ),
  }),
  inspect: (dice, allowed) => ({
    inspections: allowed.versions
      .filter(() => dice.goes(0.95))
      .map((versionId) => ({ versionId, summary: "Seen.", trace: trace(dice, allowed) })),
    criteria: allowed.criteria
      .filter(() => dice.goes(0.95))
      .map((criterionId) => ({ criterionId, passes: dice.goes(0.95), evidence: "There." })),
    findings: many(dice, 2, () => ({
      about: id(dice, allowed.versions),
      category: "quality",
      severity: dice.goes(0.8) ? 3 : 1 + dice.below(10),
      issue: words(dice, 3),
      recommendation: "Better.",
      trace: trace(dice, allowed),
    })),
  }),
  envoy: (dice, allowed) => ({
    messages: many(dice, 3, () => ({
      speakerId: id(dice, allowed.speakers),
      text: dice.goes(0.7)
        ? `we wrote about ${words(dice, 2)}`
        : `we found ${dice.below(90)} new Sources in Basel`,
      deltaIds: many(dice, 2, () => id(dice, allowed.deltas)),
    })),
  }),
};

function draft(dice: Dice, allowed: Allowed): object {
  return version({
    productId: id(dice, allowed.assignable),
    lastDirectiveId: id(dice, allowed.directives),
    content: dice.goes(0.9)
      ? `A text of some length about ${words(dice, 6)}.`
      : "The same text whenever it is written, word for word.",
    addressed: many(dice, 2, () => ({ collabId: id(dice, allowed.collabs), how: "Said." })),
    trace: trace(dice, allowed),
  });
}

function replyTo(step: string) {
  return REPLIES[step] ?? assert.fail(`there are replies to ${step}`);
}
