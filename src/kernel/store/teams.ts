/** Teams as a shared noun; how they work is the team method's affair, which adds tables of its own. */

import { notFound } from "../base/errors.ts";
import type { Json } from "../base/json.ts";
import {
  type Act,
  auditedTable,
  checkVersion,
  deleteAudited,
  getForChange,
  insertAudited,
  updateAudited,
} from "./audited-rows.ts";
import { toCells, toJsonText } from "./cells.ts";
import { type DatabaseWork, query, queryFirst } from "./database-work.ts";
import type { TeamTable } from "./noun-tables.ts";
import { afterPlace, type Page, type PageRequest, planPage, toPage } from "./page.ts";
import { db } from "./query-builder.ts";
import { requireRow } from "./references.ts";
import { seesTeam, type Viewer } from "./visibility.ts";

export interface Team {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly members: readonly Json[];
  readonly projectId: string | undefined;
  readonly isArchived: boolean;
  readonly version: number;
  readonly createdAt: number;
  readonly updatedAt: number;
}

export interface NewTeam {
  readonly id: string;
  readonly name: string;
  readonly description?: string | undefined;
  readonly members?: readonly Json[] | undefined;
  readonly projectId?: string | undefined;
}

export interface TeamPatch {
  readonly name?: string | undefined;
  readonly description?: string | undefined;
  readonly members?: readonly Json[] | undefined;
  readonly projectId?: string | null | undefined;
}

export const TEAMS = auditedTable("team", { told: ["name"] });

export function* insertTeam(team: NewTeam, act: Act): DatabaseWork<Team> {
  yield* requireRow("project", team.projectId);
  const row = {
    id: team.id,
    name: team.name,
    description: team.description ?? "",
    members: toJsonText(team.members ?? []),
    project_id: team.projectId ?? null,
    is_archived: 0,
    version: 1,
    created_at: act.now,
    updated_at: act.now,
  };
  return toTeam(yield* insertAudited(TEAMS, row, act, { projectId: row.project_id }));
}

export function* findTeam(id: string, viewer: Viewer): DatabaseWork<Team | undefined> {
  const row = yield* queryFirst(
    db.selectFrom("team").selectAll().where("id", "=", id).where(seesTeam(viewer)),
  );
  return row && toTeam(row);
}

export function* getTeam(id: string, viewer: Viewer): DatabaseWork<Team> {
  const team = yield* findTeam(id, viewer);
  if (team === undefined) throw notFound("team", id);
  return team;
}

export interface TeamFilter extends PageRequest {
  readonly viewer: Viewer;
  readonly projectId?: string | undefined;
  /** False unless asked; `"both"` shows all. */
  readonly isArchived?: boolean | "both" | undefined;
}

export function* listTeams(filter: TeamFilter): DatabaseWork<Page<Team>> {
  const plan = planPage(filter);
  const { viewer, projectId, isArchived = false } = filter;
  let select = db
    .selectFrom("team")
    .selectAll()
    .where(seesTeam(viewer))
    .where((where) => afterPlace(where, plan, { at: "created_at", id: "id" }))
    .orderBy("created_at", plan.direction)
    .orderBy("id", plan.direction)
    .limit(plan.limit + 1);
  if (projectId !== undefined) select = select.where("project_id", "=", projectId);
  if (isArchived !== "both") select = select.where("is_archived", "=", isArchived ? 1 : 0);
  const place = (row: TeamTable) => ({ at: row.created_at, id: row.id });
  return toPage(yield* query(select), plan, place, toTeam);
}

export function* updateTeam(
  id: string,
  patch: TeamPatch,
  act: Act,
  expectedVersion?: number,
): DatabaseWork<Team> {
  yield* requireRow("project", patch.projectId);
  return yield* change(id, toCells(patch), act, { expectedVersion });
}

export function* archiveTeam(id: string, act: Act, expectedVersion?: number): DatabaseWork<Team> {
  return yield* change(id, { is_archived: 1 }, act, { verb: "archived", expectedVersion });
}

export function* restoreTeam(id: string, act: Act, expectedVersion?: number): DatabaseWork<Team> {
  return yield* change(id, { is_archived: 0 }, act, { verb: "restored", expectedVersion });
}

export function* deleteTeam(id: string, act: Act, expectedVersion?: number): DatabaseWork<void> {
  const before = yield* getForChange(TEAMS, id);
  checkVersion("team", before, expectedVersion);
  yield* deleteAudited(TEAMS, before, act, { projectId: before.project_id });
}

function* change(
  id: string,
  cells: Partial<TeamTable>,
  act: Act,
  { verb, expectedVersion }: { verb?: string; expectedVersion: number | undefined },
): DatabaseWork<Team> {
  const before = yield* getForChange(TEAMS, id);
  checkVersion("team", before, expectedVersion);
  const place = { projectId: cells.project_id ?? before.project_id, verb };
  return toTeam(yield* updateAudited(TEAMS, before, cells, act, place));
}

function toTeam(row: TeamTable): Team {
  return {
    id: row.id,
    name: row.name,
    description: row.description,
    members: JSON.parse(row.members) as readonly Json[],
    projectId: row.project_id ?? undefined,
    isArchived: row.is_archived === 1,
    version: row.version,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
