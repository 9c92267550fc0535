/** Projects: what the work is about. Only an empty one can be deleted; the rest is archived. */

import { notFound } from "../base/errors.ts";
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
import { type DatabaseWork, execute, query, queryFirst } from "./database-work.ts";
import type { ProjectTable, ProjectVisibility } from "./noun-tables.ts";
import { afterPlace, type Page, type PageRequest, planPage, toPage } from "./page.ts";
import { db } from "./query-builder.ts";
import { refuseDependents, requireRow } from "./references.ts";
import { seesProject, type Viewer } from "./visibility.ts";

export interface GlossaryEntry {
  readonly term: string;
  readonly meaning: string;
}

export interface Project {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly glossary: readonly GlossaryEntry[];
  readonly ownerId: string;
  readonly visibility: ProjectVisibility;
  /** The folder command agents work in. */
  readonly repository: string | undefined;
  readonly isArchived: boolean;
  readonly version: number;
  readonly createdAt: number;
  readonly updatedAt: number;
}

export interface NewProject {
  readonly id: string;
  readonly name: string;
  readonly ownerId: string;
  readonly description?: string | undefined;
  readonly glossary?: readonly GlossaryEntry[] | undefined;
  readonly visibility?: ProjectVisibility | undefined;
  readonly repository?: string | undefined;
}

export interface ProjectPatch {
  readonly name?: string | undefined;
  readonly description?: string | undefined;
  readonly glossary?: readonly GlossaryEntry[] | undefined;
  readonly ownerId?: string | undefined;
  readonly visibility?: ProjectVisibility | undefined;
  readonly repository?: string | null | undefined;
}

export const PROJECTS = auditedTable("project", { told: ["name", "visibility", "repository"] });

export function* insertProject(project: NewProject, act: Act): DatabaseWork<Project> {
  yield* requireRow("user", project.ownerId);
  const row = {
    id: project.id,
    name: project.name,
    description: project.description ?? "",
    glossary: toJsonText(project.glossary?.map(({ term, meaning }) => ({ term, meaning })) ?? []),
    owner_id: project.ownerId,
    visibility: project.visibility ?? "private",
    repository: project.repository ?? null,
    is_archived: 0,
    version: 1,
    created_at: act.now,
    updated_at: act.now,
  };
  return toProject(yield* insertAudited(PROJECTS, row, act, { projectId: project.id }));
}

export function* findProject(id: string, viewer: Viewer): DatabaseWork<Project | undefined> {
  const row = yield* queryFirst(
    db.selectFrom("project").selectAll().where("id", "=", id).where(seesProject(viewer)),
  );
  return row && toProject(row);
}

export function* getProject(id: string, viewer: Viewer): DatabaseWork<Project> {
  const project = yield* findProject(id, viewer);
  if (project === undefined) throw notFound("project", id);
  return project;
}

export interface ProjectFilter extends PageRequest {
  readonly viewer: Viewer;
  readonly ownerId?: string | undefined;
  /** False unless asked; `"both"` shows all. */
  readonly isArchived?: boolean | "both" | undefined;
}

export function* listProjects(filter: ProjectFilter): DatabaseWork<Page<Project>> {
  const plan = planPage(filter);
  const { viewer, ownerId, isArchived = false } = filter;
  let select = db
    .selectFrom("project")
    .selectAll()
    .where(seesProject(viewer))
    .where((where) => afterPlace(where, plan, { at: "created_at", id: "id" }))
    .orderBy("created_at", plan.direction)
    .orderBy("id", plan.direction)
    .limit(plan.limit + 1);
  if (ownerId !== undefined) select = select.where("owner_id", "=", ownerId);
  if (isArchived !== "both") select = select.where("is_archived", "=", isArchived ? 1 : 0);
  const place = (row: ProjectTable) => ({ at: row.created_at, id: row.id });
  return toPage(yield* query(select), plan, place, toProject);
}

export function* updateProject(
  id: string,
  patch: ProjectPatch,
  act: Act,
  expectedVersion?: number,
): DatabaseWork<Project> {
  const before = yield* getForChange(PROJECTS, id);
  checkVersion("project", before, expectedVersion);
  yield* requireRow("user", patch.ownerId);
  const cells = toCells(patch) as Partial<ProjectTable>;
  return toProject(yield* updateAudited(PROJECTS, before, cells, act, { projectId: id }));
}

export function* archiveProject(
  id: string,
  act: Act,
  expectedVersion?: number,
): DatabaseWork<Project> {
  return yield* setArchived(id, 1, act, expectedVersion);
}

export function* restoreProject(
  id: string,
  act: Act,
  expectedVersion?: number,
): DatabaseWork<Project> {
  return yield* setArchived(id, 0, act, expectedVersion);
}

/** Takes members, settings and links to conversations along; refused while anything else belongs to it. */
export function* deleteProject(id: string, act: Act, expectedVersion?: number): DatabaseWork<void> {
  const before = yield* getForChange(PROJECTS, id);
  checkVersion("project", before, expectedVersion);
  const inProject = { project_id: id };
  yield* refuseDependents(
    "project",
    id,
    [
      { what: "tasks", table: "task", where: inProject },
      { what: "decisions", table: "decision", where: inProject },
      { what: "highlights", table: "highlight", where: inProject },
      { what: "redactions", table: "redaction", where: inProject },
      { what: "teams", table: "team", where: inProject },
      { what: "runs", table: "run", where: inProject },
      { what: "artifacts", table: "artifact", where: inProject },
    ],
    "Archive the project instead, or move or delete these first.",
  );
  yield* execute(
    db.deleteFrom("setting").where("scope", "=", "project").where("scope_id", "=", id),
  );
  yield* deleteAudited(PROJECTS, before, act, { projectId: id });
}

function* setArchived(
  id: string,
  isArchived: 0 | 1,
  act: Act,
  expectedVersion: number | undefined,
): DatabaseWork<Project> {
  const before = yield* getForChange(PROJECTS, id);
  checkVersion("project", before, expectedVersion);
  const place = { projectId: id, verb: isArchived ? "archived" : "restored" };
  return toProject(yield* updateAudited(PROJECTS, before, { is_archived: isArchived }, act, place));
}

function toProject(row: ProjectTable): Project {
  return {
    id: row.id,
    name: row.name,
    description: row.description,
    glossary: JSON.parse(row.glossary) as readonly GlossaryEntry[],
    ownerId: row.owner_id,
    visibility: row.visibility,
    repository: row.repository ?? undefined,
    isArchived: row.is_archived === 1,
    version: row.version,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
