/** Starting teams, letting them go on, stopping them; and keeping teams of one's own. */

import { z } from "zod";
import { ProductError } from "../../../kernel/base/errors.ts";
import { change } from "../../../kernel/operation/change-work.ts";
import type { Caller } from "../../../kernel/operation/caller.ts";
import { defineOperation, type Operation } from "../../../kernel/operation/operation.ts";
import { projectField } from "../../../kernel/operation/operation-fields.ts";
import { rendering } from "../../../kernel/operation/rendering.ts";
import {
  resolveOptional,
  resolveProject,
  resolveUser,
} from "../../../kernel/operation/resolve-names.ts";
import { shortId } from "../../../kernel/operation/short-ids.ts";
import { doneLine } from "../../../kernel/operation/state-marks.ts";
import { startRun } from "../../../kernel/run/start-run.ts";
import type { DatabaseWork } from "../../../kernel/store/database-work.ts";
import { insertTeam } from "../../../kernel/store/teams.ts";
import { getUser } from "../../../kernel/store/users.ts";
import { findTeam } from "../catalogue/ready-teams.ts";
import { Draft } from "../rules/draft.ts";
import { newTeamRun, type StandsFor } from "../running/begin-team.ts";
import { conclude, roundJob } from "../running/round-handlers.ts";
import { briefChanged, toJson } from "../running/team-effects.ts";
import {
  type Brief,
  DEFAULT_BUDGET,
  DEFAULT_MOST_PRODUCTS,
  type StopCondition,
  type TeamShape,
  teamShape,
} from "../state/team-shape.ts";
import { contentOf } from "../state/version-content.ts";
import { actOn } from "./team-context.ts";
import { runField, teamField } from "./team-fields.ts";
import { TEAM_FOLLOWED } from "./team-read-operations.ts";

const started = z.object({ runId: z.string(), team: z.string() });

const start = defineOperation({
  name: "team.start",
  summary: "Gives a team a mission and lets it work, round by round.",
  effect: "writes",
  permission: "run",
  projectScope: { project: "project" },
  input: z.object({
    team: teamField,
    prompt: z
      .string()
      .trim()
      .min(1)
      .max(100_000)
      .optional()
      .describe("What you want, in your own words; the team's example unless given."),
    rounds: z
      .int()
      .min(1)
      .max(100)
      .optional()
      .describe("At most so many rounds; else as the team says."),
    deadline: z.iso.datetime({ offset: true }).optional().describe("No round begins after it."),
    tokens: z.int().min(1).optional().describe("No round begins after so many tokens."),
    cost: z.number().positive().optional().describe("No round begins after so many dollars."),
    topology: z
      .enum(["ring", "all"])
      .optional()
      .describe("Who reviews whom; else as the team says."),
    reviewers: z
      .int()
      .min(1)
      .max(8)
      .optional()
      .describe("How many colleagues review each version; instead of a topology."),
    budget: z
      .int()
      .min(8_000)
      .max(2_000_000)
      .default(DEFAULT_BUDGET)
      .describe("Characters a prompt may have."),
    products: z
      .int()
      .min(2)
      .max(200)
      .default(DEFAULT_MOST_PRODUCTS)
      .describe("Products the team may have at most."),
    model: z
      .string()
      .optional()
      .describe(
        "`provider/model` for members that stand for nobody; the workspace's default unless given.",
      ),
    project: projectField.optional(),
  }),
  output: started,
  surfaces: {
    cli: {
      positionals: ["team", "prompt"],
      stdin: "prompt",
      render: rendering(started, ({ runId, team }) =>
        doneLine(
          `${team} has begun as ${shortId(runId)}. \`team status ${shortId(runId)} --follow\` shows it live.`,
        ),
      ),
      follow: TEAM_FOLLOWED,
      examples: [
        'team start lab "Do short walks improve sleep?" --follow',
        "team start book --rounds 3 < idea.md",
      ],
    },
    mcp: "full",
  },
  run: async (context, given) => {
    const { kernel, caller } = context;
    const model = given.model ?? (await kernel.models.defaultModel());
    // Unknown models are refused here, before anything is written.
    await kernel.models.find(model);
    const done = await change(context, function* ({ actor, now }) {
      const projectId = yield* resolveOptional(given.project, (text) =>
        resolveProject(text, caller),
      );
      const { ref, team } = yield* findTeam(kernel.library, given.team, caller);
      const brief: Brief = {
        teamName: team.name,
        teamDescription: team.description,
        teamRef: ref,
        prompt: given.prompt ?? team.example,
        model,
        topology:
          given.reviewers === undefined
            ? (given.topology ?? team.topology)
            : { k: given.reviewers },
        stop: stopFor(team, given),
        budget: given.budget,
        mostProducts: given.products,
      };
      const run = newTeamRun(brief, team, yield* findStandsFor(team, caller));
      const runId = yield* startRun(
        kernel.engine,
        run,
        { projectId: projectId ?? null, startedBy: actor },
        now,
      );
      return { runId, team: team.name };
    });
    kernel.wake();
    return done;
  },
});

/** What is said at the start counts beside what the team says; rounds count instead. */
function stopFor(
  { stop }: TeamShape,
  given: {
    readonly rounds?: number | undefined;
    readonly deadline?: string | undefined;
    readonly tokens?: number | undefined;
    readonly cost?: number | undefined;
  },
): StopCondition {
  const extra: StopCondition[] = [
    ...(given.deadline === undefined ? [] : [{ deadline: given.deadline }]),
    ...(given.tokens === undefined ? [] : [{ tokens: given.tokens }]),
    ...(given.cost === undefined ? [] : [{ costUsd: given.cost }]),
  ];
  const own =
    given.rounds === undefined ? [stop] : [{ rounds: given.rounds }, ...withoutRounds(stop)];
  const all = [...extra, ...own];
  const [only] = all;
  return all.length === 1 && only !== undefined ? only : { any: all };
}

function withoutRounds(stop: StopCondition): readonly StopCondition[] {
  if ("rounds" in stop) return [];
  if (!("any" in stop)) return [stop];
  return stop.any.filter((each) => !("rounds" in each));
}

/** A member that stands for somebody who is not here would never answer. */
function* findStandsFor(
  team: TeamShape,
  caller: Caller,
): DatabaseWork<Readonly<Record<string, StandsFor>>> {
  const found: Record<string, StandsFor> = {};
  for (const { name, user } of team.members) {
    if (user === undefined) continue;
    const { id, isAgent, isActive, model } = yield* getUser(yield* resolveUser(user, caller));
    if (!isActive) {
      throw new ProductError(
        "team_user_inactive",
        `${name} stands for "${user}", who is not active.`,
        {
          kind: "conflict",
          hint: "Let the member stand for somebody else, or for nobody.",
        },
      );
    }
    found[name] = { userId: id, isPerson: !isAgent, model: model ?? null };
  }
  return found;
}

const went = z.object({ runId: z.string(), round: z.number() });

const round = defineOperation({
  name: "team.round",
  summary: "Lets a team that has concluded work on: one more round, or as many as you say.",
  effect: "writes",
  permission: "run",
  projectScope: { runId: "run" },
  input: z.object({ runId: runField, count: z.int().min(1).max(50).default(1) }),
  output: went,
  surfaces: {
    cli: {
      positionals: ["runId"],
      render: rendering(went, ({ runId, round: to }) =>
        doneLine(`${shortId(runId)} works on, up to round ${to}.`),
      ),
      follow: TEAM_FOLLOWED,
      examples: ["team round 0199a1b2 --follow", "team round 0199a1b2 --count 3"],
    },
    mcp: "full",
  },
  run: (context, { runId, count }) =>
    actOn(
      context,
      runId,
      (state, key) => {
        const { brief, round: at } = state;
        requireConcluded(
          state.steps.some(({ state: each }) => each === "running" || each === "halted"),
        );
        requireWords(new Draft(state));
        const to = at + count;
        const changed: Brief = {
          ...brief,
          stop: { any: [{ rounds: to }, ...limitsOf(brief.stop)] },
        };
        return {
          decision: { effects: [briefChanged(key, changed)], jobs: [roundJob(at + 1, ` ${key}`)] },
          result: { round: to },
        };
      },
      { reopens: true },
    ),
});

/** Members are shown the newest version of every product. */
function requireWords(draft: Draft): void {
  for (const { id } of draft.products()) {
    const last = draft.lastVersionOf(id);
    if (last !== undefined) contentOf(last);
  }
}

function requireConcluded(isAtWork: boolean): void {
  if (!isAtWork) return;
  throw new ProductError("team_at_work", "The team is in the middle of a round.", {
    kind: "conflict",
    hint: "Let it finish, or stop it first: `team stop`.",
  });
}

/** Of a stop condition what bounds time and money: that holds however often it goes on. */
function limitsOf(stop: StopCondition): readonly StopCondition[] {
  if ("any" in stop) return stop.any.flatMap(limitsOf);
  if ("deadline" in stop || "tokens" in stop || "costUsd" in stop) return [stop];
  return [];
}

const stopped = z.object({ runId: z.string(), rounds: z.number() });

const stop = defineOperation({
  name: "team.stop",
  summary: "Ends a team's work now. What it made stays.",
  effect: "writes",
  permission: "run",
  projectScope: { runId: "run" },
  input: z.object({ runId: runField, reason: z.string().max(500).optional() }),
  output: stopped,
  surfaces: {
    cli: {
      positionals: ["runId"],
      render: rendering(stopped, ({ runId, rounds }) =>
        doneLine(`${shortId(runId)} is concluded after ${rounds} rounds.`),
      ),
      examples: ['team stop 0199a1b2 --reason "Good enough"'],
    },
    mcp: "full",
  },
  run: (context, { runId, reason }) =>
    actOn(context, runId, (state, key) => {
      const message =
        reason === undefined
          ? "The person stopped the team."
          : `The person stopped the team: ${reason}`;
      return {
        decision: conclude(new Draft(state), { code: "user", message }, key),
        result: { rounds: state.round },
      };
    }),
});

const saved = z.object({ id: z.string(), name: z.string() });

const add = defineOperation({
  name: "team.add",
  summary: "Keeps a team of your own, written like the files in the library.",
  effect: "writes",
  permission: "edit",
  projectScope: { project: "project" },
  input: z.object({
    definition: z.string().min(2).max(200_000).describe("The team as JSON."),
    project: projectField.optional(),
  }),
  output: saved,
  surfaces: {
    cli: {
      positionals: ["definition"],
      stdin: "definition",
      render: rendering(saved, ({ id, name }) => doneLine(`Kept “${name}” as ${shortId(id)}.`)),
      examples: ["team add < my-team.json"],
    },
    mcp: "full",
  },
  run: async (context, { definition, project }) => {
    const team = parseTeam(definition);
    return await change(context, function* (act) {
      const projectId = yield* resolveOptional(project, (text) =>
        resolveProject(text, context.caller),
      );
      const id = context.kernel.ids.next();
      const { name, description } = team;
      yield* insertTeam({ id, name, description, members: [toJson(team)], projectId }, act);
      return { id, name };
    });
  },
});

function parseTeam(definition: string): TeamShape {
  let value: unknown;
  try {
    value = JSON.parse(definition);
  } catch {
    throw new ProductError("team_invalid", "The team is no JSON.", {
      hint: "Begin with a copy of library/team/teams/lab.json.",
    });
  }
  const read = teamShape.safeParse(value);
  if (read.success) return read.data;
  const faults = read.error.issues.map(
    ({ path, message }) => `${path.join(".") || "the team"} ${message}`,
  );
  throw new ProductError(
    "team_invalid",
    `The team cannot be used: ${faults.slice(0, 5).join("; ")}.`,
    {
      hint: "library/README.md says how a team is written.",
      details: { faults },
    },
  );
}

export const teamRunOperations: readonly Operation[] = [start, round, stop, add];
