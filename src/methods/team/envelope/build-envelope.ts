/** Builds the envelope of one call from the state. */

import { ProductError } from "../../../kernel/base/errors.ts";
import { Draft } from "../rules/draft.ts";
import { deadlineOf, roundsAllowed } from "../rules/stop-conditions.ts";
import type { Step } from "../state/team-records.ts";
import type { TeamState } from "../state/team-state.ts";
import type { Envelope, HeldBack } from "./envelope.ts";
import { PAYLOADS, refsOf } from "./envelope-payloads.ts";
import { memberView, minimalView, treeOrder, without } from "./product-views.ts";

export interface CallPlace {
  readonly step: Step;
  readonly memberId: string;
  readonly target: string | null;
}

/** Throws `team_mission_missing` where a step needs a mission that is not whole. */
export function buildEnvelope(state: TeamState, { step, memberId, target }: CallPlace): Envelope {
  const draft = new Draft(state);
  const member = draft.find("members", memberId);
  if (member === undefined) throw new Error(`There is no member ${memberId}.`);
  if (step !== "bootstrap") requireMission(draft);
  const heldBack: HeldBack[] = [];
  const { payload, allowed } = PAYLOADS[step]({ draft, memberId, target, heldBack });
  const mission = draft.mission();
  const tree = treeOrder(draft).map((product) => minimalView(draft, product));
  return {
    round: state.round,
    step,
    memberId,
    target,
    team: {
      name: state.brief.teamName,
      description: state.brief.teamDescription,
      members: state.members.map((each) => memberView(draft, each)),
    },
    member: {
      name: member.name,
      role: member.role,
      teamRole: member.teamRole,
      persona: member.persona,
      motivation: member.motivation,
      skills: member.skills,
      characteristics: member.characteristics,
    },
    session: {
      status: step === "bootstrap" ? "bootstrapping" : "running",
      currentRound: state.round,
      roundsLeft: roundsLeft(state),
      deadline: deadlineOf(state.brief.stop) ?? null,
    },
    mission: mission === undefined ? null : without(mission, "setBy", "round"),
    tree,
    decisions: decisionsOf(draft),
    lastNote: member.lastNote,
    lastChairPersonalNote: member.chairNote,
    payload,
    validIds: { ...allowed, refs: refsOf(draft, payload) },
    heldBack,
  };
}

export function missingFromMission(draft: Draft): readonly string[] {
  const mission = draft.mission();
  return [
    ...(mission === undefined || mission.charter.trim() === "" ? ["charter"] : []),
    ...(mission === undefined || mission.objectives.length === 0 ? ["objectives"] : []),
    ...(mission === undefined || mission.constraints.length === 0 ? ["constraints"] : []),
  ];
}

function requireMission(draft: Draft): void {
  const missing = missingFromMission(draft);
  if (missing.length === 0) return;
  throw new ProductError("team_mission_missing", `The mission has no ${missing.join(", no ")}.`, {
    kind: "conflict",
    hint: "Nothing is written without a mission. Set what is missing with `team mission`, then let the step try again.",
    details: { missing },
  });
}

function roundsLeft({ brief, round }: TeamState): number | null {
  const most = roundsAllowed(brief.stop);
  return most === undefined ? null : Math.max(0, most - round);
}

function decisionsOf(draft: Draft): Envelope["decisions"] {
  const actions = draft.list("actions");
  return draft
    .products()
    .filter(({ type }) => type === "decision")
    .map(({ id }) => ({
      productId: id,
      deltas: actions
        .filter(({ decisionId, productId }) => decisionId === id || productId === id)
        .slice(-6)
        .map((each) => `${each.id}: ${each.action} ${each.productId}, because ${each.reason}`),
    }));
}
