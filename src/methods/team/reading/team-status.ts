/** Where a team stands: its status in the seed's words, rounds by steps, people, and what it waits for. */

import { type DatabaseWork, query, queryFirst } from "../../../kernel/store/database-work.ts";
import { db } from "../../../kernel/store/query-builder.ts";
import { memberView, without } from "../envelope/product-views.ts";
import { Draft } from "../rules/draft.ts";
import { roundsAllowed, deadlineOf } from "../rules/stop-conditions.ts";
import { loadTeam, findTeamRun } from "../state/team-rows.ts";
import type { TeamState } from "../state/team-state.ts";

export const TEAM_STATUSES = [
  "draft",
  "bootstrapping",
  "ready",
  "running",
  "awaiting_user",
  "paused",
  "concluded",
  "failed",
] as const;
export type TeamStatus = (typeof TEAM_STATUSES)[number];

/** The run's own state decides; the round tells the rest. */
export function statusOf(
  runState: string,
  state: Pick<TeamState, "round" | "missions"> | undefined,
): TeamStatus {
  switch (runState) {
    case "completed":
    case "cancelled":
      return "concluded";
    case "failed":
      return "failed";
    case "paused":
      return "paused";
    case "waiting":
    case "held":
      return "awaiting_user";
    default:
      if (state === undefined) return "draft";
      if (state.round > 0) return "running";
      return state.missions.length === 0 ? "bootstrapping" : "ready";
  }
}

export function* teamStatus(runId: string, asOf: number) {
  const run = yield* queryFirst(
    db
      .selectFrom("run")
      .select([
        "id",
        "title",
        "state",
        "reason",
        "project_id",
        "turns",
        "input_tokens",
        "output_tokens",
        "cost_micro_usd",
      ])
      .where("id", "=", runId),
  );
  const teamRun = yield* findTeamRun(runId);
  const waits = yield* openWaits(runId);
  const base = {
    runId,
    title: run?.title ?? "",
    runState: run?.state ?? "queued",
    reason: run?.reason ?? null,
    turns: run?.turns ?? 0,
    tokens: (run?.input_tokens ?? 0) + (run?.output_tokens ?? 0),
    costMicroUsd: run?.cost_micro_usd ?? 0,
    waits,
    asOf,
  };
  if (teamRun === undefined) {
    return { ...base, status: statusOf(base.runState, undefined), ...NOTHING_YET };
  }
  const state = yield* loadTeam(runId);
  const draft = new Draft(state);
  const products = draft.products();
  const most = roundsAllowed(state.brief.stop);
  const mission = draft.mission();
  return {
    ...base,
    status: statusOf(base.runState, state),
    team: state.brief.teamName,
    teamRef: state.brief.teamRef,
    prompt: state.brief.prompt,
    round: state.round,
    roundsLeft: most === undefined ? null : Math.max(0, most - state.round),
    deadline: deadlineOf(state.brief.stop) ?? null,
    topology: topologyText(state),
    stop:
      teamRun.stop_code === null
        ? null
        : { code: teamRun.stop_code, message: teamRun.stop_message ?? "" },
    mission:
      mission === undefined ? null : { ...mission, missingDetails: [...mission.missingDetails] },
    members: draft.list("members").map((member) => ({
      ...memberView(draft, member),
      skills: member.skills,
      characteristics: member.characteristics,
      persona: member.persona,
      motivation: member.motivation,
      isPerson: member.isPerson,
      model: member.model ?? state.brief.model,
      lastNote: member.lastNote,
      chairNote: member.chairNote,
    })),
    steps: [...state.steps],
    halts: [...state.halts],
    messages: [...state.messages],
    refusals: state.refusals.map((refusal) => without(refusal, "item")),
    counts: {
      products: products.length,
      accepted: products.filter(({ status }) => status === "accepted").length,
      versions: state.versions.length,
      comments: state.collabs.filter(({ kind }) => kind !== "agreement").length,
      openComments: state.collabs.filter(
        ({ kind, state: at }) => kind !== "agreement" && (at === "open" || at === "deferred"),
      ).length,
      refusals: state.refusals.length,
    },
  };
}

const NOTHING_YET = {
  team: "",
  teamRef: "",
  prompt: "",
  round: 0,
  roundsLeft: null,
  deadline: null,
  topology: "",
  stop: null,
  mission: null,
  members: [],
  steps: [],
  halts: [],
  messages: [],
  refusals: [],
  counts: { products: 0, accepted: 0, versions: 0, comments: 0, openComments: 0, refusals: 0 },
};

function topologyText({ brief: { topology } }: TeamState): string {
  return typeof topology === "string" ? topology : `${topology.k} each`;
}

function* openWaits(runId: string): DatabaseWork<readonly OpenWait[]> {
  const rows = yield* query(
    db
      .selectFrom("wait")
      .select([
        "id",
        "key",
        "kind",
        "title",
        "reason",
        "answers",
        "form",
        "assignee_id as assigneeId",
        "version",
      ])
      .where("run_id", "=", runId)
      .where("state", "=", "open")
      .orderBy("created_at")
      .orderBy("id"),
  );
  return rows.map((row) => ({
    ...row,
    answers: JSON.parse(row.answers) as string[],
    form: JSON.parse(row.form) as OpenWait["form"],
  }));
}

export interface OpenWait {
  readonly id: string;
  readonly key: string;
  readonly kind: string;
  readonly title: string;
  readonly reason: string;
  readonly answers: readonly string[];
  readonly form: readonly {
    readonly name: string;
    readonly label?: string;
    readonly help?: string;
  }[];
  readonly assigneeId: string | null;
  readonly version: number;
}
