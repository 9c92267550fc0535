/** How a team's run begins: its members, the whole it works on, the person's words, and the chair as master prompter. */

import { z } from "zod";
import type { Json } from "../../../kernel/base/json.ts";
import type { NewRun } from "../../../kernel/run/decision.ts";
import type { MoveHandler } from "../../../kernel/run/handler.ts";
import { Draft } from "../rules/draft.ts";
import type { Member } from "../state/team-records.ts";
import { type Brief, briefShape, type TeamShape, teamShape } from "../state/team-shape.ts";
import { emptyState, type Put } from "../state/team-state.ts";
import { stepJob } from "./round-handlers.ts";
import { begun, toJson } from "./team-effects.ts";

export const TEAM = "team";
const BEGIN = "team.begin";

/** Whom a member stands for, found when the run is started. */
export interface StandsFor {
  readonly userId: string;
  readonly isPerson: boolean;
  readonly model: string | null;
}

const runInput = z.object({
  brief: briefShape,
  team: teamShape,
  standsFor: z.record(
    z.string(),
    z.object({ userId: z.string(), isPerson: z.boolean(), model: z.string().nullable() }),
  ),
});

export function newTeamRun(
  brief: Brief,
  team: TeamShape,
  standsFor: Readonly<Record<string, StandsFor>>,
  limits: NewRun["limits"] = {},
): NewRun {
  const input = toJson({ brief, team, standsFor });
  const [line = ""] = brief.prompt.split("\n", 1);
  const about = line.length > 60 ? `${line.slice(0, 59).trimEnd()}…` : line;
  return {
    method: TEAM,
    title: `${team.name}: ${about}`,
    input: { team: brief.teamRef, prompt: brief.prompt } satisfies Json,
    jobs: [{ key: "begin", handler: BEGIN, step: "begin", input }],
    limits,
  };
}

export const beginHandler: MoveHandler = {
  kind: "move",
  name: BEGIN,
  *decide(job) {
    const { brief, team, standsFor } = runInput.parse(job.input);
    yield* [];
    return {
      effects: [begun(brief, firstPuts(brief, team, standsFor))],
      jobs: [stepJob(0, "bootstrap")],
    };
  },
};

export function firstPuts(
  brief: Brief,
  team: TeamShape,
  standsFor: Readonly<Record<string, StandsFor>> = {},
): readonly Put[] {
  const draft = new Draft(emptyState(brief));
  const byName = new Map<string, string>();
  for (const { name, role, teamRole, skills, characteristics } of team.members) {
    const own = standsFor[name];
    const member: Omit<Member, "id"> = {
      name,
      role,
      teamRole,
      skills,
      characteristics,
      persona: null,
      motivation: null,
      personaRound: null,
      userId: own?.userId ?? null,
      isPerson: own?.isPerson ?? false,
      model: own?.model ?? null,
      lastNote: null,
      chairNote: null,
    };
    byName.set(name, draft.add("members", member).id);
  }
  draft.add("userMessages", { round: 0, content: brief.prompt, answers: null });
  const blank = { round: 0, summary: "", selectedVersionId: null, status: "pending" } as const;
  const root = draft.add("products", {
    ...blank,
    parentId: null,
    name: team.rootName ?? team.name,
    type: "orchestration",
    ownerId: null,
    description: "The whole that the team works on.",
    dod: team.rootDod ?? ["Everything the mission asks for is there and fits together"],
  });
  const products = new Map<string, string>();
  for (const { name, type, parent, owner, description, dod } of team.products) {
    const { id } = draft.add("products", {
      ...blank,
      name,
      type,
      description,
      dod,
      parentId: (parent === undefined ? undefined : products.get(parent)) ?? root.id,
      ownerId: owner === undefined ? null : (byName.get(owner) ?? null),
    });
    products.set(name, id);
  }
  return draft.puts();
}
