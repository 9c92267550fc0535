/** A small team in memory: what it is asked, what it replies, what follows. No store, no model. */

import { builtInLibrary } from "../../../../tests/scratch/scratch-kernel.ts";
import { findLibraryTeam } from "../catalogue/ready-teams.ts";
import { buildEnvelope } from "../envelope/build-envelope.ts";
import { callOf } from "../envelope/reply-contract.ts";
import { firstPuts } from "../running/begin-team.ts";
import type { Step } from "../state/team-records.ts";
import type { Brief, TeamShape } from "../state/team-shape.ts";
import { applyPuts, emptyState, type TeamState } from "../state/team-state.ts";
import type { StepCall } from "./allowed.ts";
import { applyReply } from "./apply-reply.ts";

export function sampleTeam(): TeamShape {
  const ready = findLibraryTeam(builtInLibrary(), "lab");
  if (ready === undefined) throw new Error("There is no team of that name.");
  return ready.team;
}

export function sampleBrief(team: TeamShape, change: Partial<Brief> = {}): Brief {
  return {
    teamName: team.name,
    teamDescription: team.description,
    teamRef: "library:lab",
    prompt: team.example,
    model: "rehearsal/rehearsal",
    topology: "ring",
    stop: { rounds: 20 },
    budget: 48_000,
    mostProducts: 12,
    ...change,
  };
}

export const MISSION = {
  statement: "Say whether walking helps sleep.",
  charter: "A report that a general reader can check.",
  objectives: ["The question is settled", "The evidence is weighed"],
  constraints: ["Published sources only"],
};

/** With mission and personas, at the given round. Operatives are m2, m3, m4; p1 is the whole, p2 a decision, p3 and p4 content. */
export function teamAt(round = 1, change: Partial<Brief> = {}): TeamState {
  const team = sampleTeam();
  const brief = sampleBrief(team, change);
  const state = applyPuts(emptyState(brief), firstPuts(brief, team));
  const personas = state.members.map(({ id }) => ({
    memberId: id,
    text: `You are here because of what you know, ${id}.`,
    motivation: "It matters.",
  }));
  const bootstrapped = reply(state, "bootstrap", "m1", null, {
    mission: MISSION,
    personas,
    missingDetails: [],
  }).state;
  return { ...bootstrapped, round };
}

export interface Replied {
  readonly state: TeamState;
  readonly codes: readonly string[];
  readonly messages: readonly string[];
}

export function callTo(
  state: TeamState,
  step: Step,
  memberId: string,
  target: string | null = null,
): StepCall {
  return callOf(buildEnvelope(state, { step, memberId, target }), null);
}

export function reply(
  state: TeamState,
  step: Step,
  memberId: string,
  target: string | null,
  value: object,
): Replied {
  const { puts, breaches } = applyReply(state, callTo(state, step, memberId, target), value);
  return {
    state: applyPuts(state, puts),
    codes: breaches.map(({ code }) => code),
    messages: breaches.map(({ message }) => message),
  };
}

const ASSESSED = ["o1", "o2"].map((objectiveId) => ({
  objectiveId,
  progress: "some",
  note: "On its way.",
}));

export function plan(state: TeamState, value: object): Replied {
  return reply(state, "plan_assign", "m1", null, {
    objectives: ASSESSED,
    actions: [],
    assignments: [],
    personalNotes: [],
    replacesMission: null,
    replacesPersonas: null,
    ...value,
  });
}

export function action(given: object): object {
  return { reason: "It is needed.", decisionId: null, trace: ["u1"], ...given };
}

export function adding(given: object): object {
  return action({
    action: "add",
    newId: "new-1",
    parentId: null,
    name: "Glossary of terms",
    type: "content",
    description: "What the words mean.",
    definitionOfDone: ["Every term is explained"],
    ownerId: null,
    assignment: null,
    ...given,
  });
}

export function assigning(productId: string, operativeId: string, given: object = {}): object {
  return {
    productId,
    operativeId,
    importance: 5,
    objective: "Say it plainly.",
    motivationNote: "You see it best.",
    dueRound: 3,
    operativeNote: {
      specialties: ["weighing"],
      whatIsLeft: ["the first part"],
      onTrack: "on_track",
      satisfaction: { level: 4, because: "it grows" },
      biggerPicture: "It carries the answer.",
      componentImportance: "Without it nobody believes the rest.",
    },
    relevantProductIds: [],
    highlyRelevantProductIds: [],
    referencedProductIds: [],
    trace: ["mission1"],
    ...given,
  };
}

/** p3 assigned to m3 in round 1: d1. */
export function assigned(state = teamAt()): TeamState {
  return plan(state, { assignments: [assigning("p3", "m3")] }).state;
}

export function version(given: object = {}): object {
  return {
    productId: "p3",
    content: "Walking was studied in twelve trials. Most of them are small and short.",
    changeSummary: "First version.",
    lastDirectiveId: "d1",
    reflectionNote: "Look at the dropouts.",
    addressed: [],
    trace: ["d1"],
    ...given,
  };
}

/** p3 has v1. */
export function written(state = assigned()): TeamState {
  return reply(state, "write", "m3", "d1", { versions: [version()] }).state;
}

export function comment(given: object = {}): object {
  return {
    comment: "The trials are named nowhere; a reader cannot look them up.",
    kind: "concern",
    importance: 5,
    respondsTo: null,
    trace: ["v1"],
    ...given,
  };
}

/** c1 on v1 by m4. */
export function commented(importance = 5, state = written()): TeamState {
  return reply(state, "peer_review", "m4", "v1", {
    stance: "disagree",
    comments: [comment({ importance })],
  }).state;
}

export function inspecting(given: object = {}): object {
  return {
    inspections: [{ versionId: "v1", summary: "It is a start.", trace: ["v1"] }],
    criteria: [
      { criterionId: "v1.1", passes: true, evidence: "First paragraph." },
      { criterionId: "v1.2", passes: true, evidence: "Second paragraph." },
    ],
    findings: [],
    ...given,
  };
}

export function inspected(state = written(), given: object = {}): TeamState {
  return reply(state, "inspect", "m5", null, inspecting(given)).state;
}
