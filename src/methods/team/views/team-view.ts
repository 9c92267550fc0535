/** Teams and missions on a terminal. */

import { shortId } from "../../../kernel/operation/short-ids.ts";
import {
  blocks,
  clip,
  count,
  fieldLines,
  indent,
  section,
  table,
} from "../../../kernel/operation/terminal-text.ts";
import { timeAgo } from "../../../kernel/operation/terminal-time.ts";
import type { StopCondition, TeamShape } from "../state/team-shape.ts";

export function renderTeams({
  teams,
}: {
  readonly teams: readonly {
    ref: string;
    name: string;
    field: string;
    members: number;
    description: string;
  }[];
}): string {
  return blocks(
    table(
      [
        { title: "Team" },
        { title: "Name" },
        { title: "Field", isSpare: true },
        { title: "Members", align: "right", isSpare: true },
        { title: "What it is for", width: 70 },
      ],
      teams.map(({ ref, name, field, members, description }) => [
        ref.includes(":") ? ref.slice(ref.indexOf(":") + 1) : shortId(ref),
        name,
        field,
        String(members),
        description,
      ]),
    ),
    'Try one: throughline team start lab --follow\nWith your own words: throughline team start book "…" --rounds 3',
  );
}

export function renderTeam({
  ref,
  team,
}: {
  readonly ref: string;
  readonly team: TeamShape;
}): string {
  const { name, description, members, products, example, topology, stop } = team;
  return blocks(
    fieldLines([
      ["Team", `${name} (${ref})`],
      ["For", description],
      ["Review", typeof topology === "string" ? topology : `${topology.k} colleagues each`],
      ["Stops when", stopWords(stop)],
    ]),
    section(
      "Members",
      members
        .map(({ name: who, role, teamRole, skills, characteristics, user }) =>
          blocks(
            `${who}, ${role}: ${teamRole}${user === undefined ? "" : ` (stands for ${user})`}`,
            indent(`Skills: ${skills.join("; ")}\nCharacteristics: ${characteristics.join(", ")}`),
          ).replaceAll("\n\n", "\n"),
        )
        .join("\n"),
    ),
    section(
      "Starts from",
      products
        .map(
          ({ name: what, type, owner, dod }) =>
            `${what} (${type}${owner === undefined ? "" : `, ${owner}`}): ${count(dod.length, "criterion", "criteria")}`,
        )
        .join("\n"),
    ),
    section("For example", example),
  );
}

export function stopWords(stop: StopCondition): string {
  if ("any" in stop) return stop.any.map(stopWords).join(", or ");
  if ("all" in stop) return stop.all.map((each) => stopWords(each)).join(" and ");
  if ("allAccepted" in stop) return "all is accepted";
  if ("rounds" in stop) return `${stop.rounds} rounds are done`;
  if ("deadline" in stop) return `${stop.deadline} has passed`;
  if ("tokens" in stop) return `${stop.tokens} tokens are used`;
  if ("costUsd" in stop) return `$${stop.costUsd} are spent`;
  return `nothing moves for ${stop.noProgress} rounds`;
}

export function renderRuns({
  runs,
  asOf,
}: {
  readonly runs: readonly {
    runId: string;
    title: string;
    status: string;
    round: number;
    accepted: number;
    products: number;
    createdAt: number;
  }[];
  readonly asOf: number;
}): string {
  if (runs.length === 0)
    return "No team has worked here yet.\n\nTry one: throughline team start lab --follow";
  return table(
    [
      { title: "Run" },
      { title: "Mission", width: 64 },
      { title: "Status" },
      { title: "Round", align: "right" },
      { title: "Accepted", align: "right" },
      { title: "Begun" },
    ],
    runs.map(({ runId, title, status, round, accepted, products, createdAt }) => [
      shortId(runId),
      clip(title, 64),
      status.replace("_", " "),
      String(round),
      `${accepted} of ${products}`,
      timeAgo(createdAt, asOf),
    ]),
  );
}
