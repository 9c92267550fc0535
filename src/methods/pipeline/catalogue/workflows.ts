/** Workflows as things with a name: of the workspace or of a project. What they say is in their versions. */

import type { Expression, SqlBool } from "kysely";
import { expressionBuilder, sql } from "kysely";
import { notFound, ProductError } from "../../../kernel/base/errors.ts";
import {
  type Act,
  checkVersion,
  deleteAudited,
  getForChange,
  insertAudited,
  updateAudited,
} from "../../../kernel/store/audited-rows.ts";
import { toCells } from "../../../kernel/store/cells.ts";
import { type DatabaseWork, query, queryFirst } from "../../../kernel/store/database-work.ts";
import { lockName } from "../../../kernel/store/lock-name.ts";
import {
  afterPlace,
  type Page,
  type PageRequest,
  planPage,
  toPage,
} from "../../../kernel/store/page.ts";
import { refuseDependents, requireRow } from "../../../kernel/store/references.ts";
import { type Viewer, visibleProjects } from "../../../kernel/store/visibility.ts";
import { WORKFLOWS } from "./workflow-migration.ts";
import { type CatalogueTables, catalogue, type WorkflowTable } from "./workflow-tables.ts";

export interface Workflow {
  readonly id: string;
  readonly projectId: string | undefined;
  /** The file it keeps for runs, when it is one of the library. */
  readonly libraryPath: string | undefined;
  readonly name: string;
  readonly description: string;
  readonly currentVersion: number | undefined;
  readonly lastVersion: number;
  readonly isArchived: boolean;
  readonly createdBy: string;
  readonly version: number;
  readonly createdAt: number;
  readonly updatedAt: number;
}

export interface NewWorkflow {
  readonly id: string;
  readonly projectId?: string | undefined;
  readonly libraryPath?: string | undefined;
  readonly name: string;
  readonly description: string;
  /** Whether its first version, which is added next, is what runs. */
  readonly isDraft: boolean;
}

export interface WorkflowPatch {
  readonly name?: string | undefined;
  readonly description?: string | undefined;
  readonly projectId?: string | null | undefined;
}

/** The row alone; `insertWorkflow` in `workflow-versions.ts` adds its first version. */
export function* insertWorkflowRow(workflow: NewWorkflow, act: Act): DatabaseWork<WorkflowTable> {
  const { id, projectId, libraryPath, name, description, isDraft } = workflow;
  yield* requireRow("project", projectId);
  if (libraryPath === undefined) yield* refuseTakenName(id, name, projectId ?? null);
  const row = {
    id,
    project_id: projectId ?? null,
    library_path: libraryPath ?? null,
    name,
    description,
    current_version: isDraft ? null : 1,
    last_version: 1,
    is_archived: 0,
    created_by: act.actor,
    version: 1,
    created_at: act.now,
    updated_at: act.now,
  };
  return yield* insertAudited(WORKFLOWS, row, act, { projectId: row.project_id });
}

/** What belongs to the workspace is everybody's to see. */
export function seesWorkflow(viewer: Viewer): Expression<SqlBool> {
  const where = expressionBuilder<CatalogueTables, "workflow">();
  return where.or([
    where("workflow.project_id", "is", null),
    where("workflow.project_id", "in", visibleProjects(viewer)),
  ]);
}

export function* findWorkflow(id: string, viewer: Viewer): DatabaseWork<Workflow | undefined> {
  const row = yield* queryFirst(
    catalogue.selectFrom("workflow").selectAll().where("id", "=", id).where(seesWorkflow(viewer)),
  );
  return row && toWorkflow(row);
}

export function* getWorkflow(id: string, viewer: Viewer): DatabaseWork<Workflow> {
  const workflow = yield* findWorkflow(id, viewer);
  if (workflow === undefined) throw notFound("workflow", id);
  return workflow;
}

export function* findLibraryWorkflow(libraryPath: string): DatabaseWork<Workflow | undefined> {
  const row = yield* queryFirst(
    catalogue.selectFrom("workflow").selectAll().where("library_path", "=", libraryPath),
  );
  return row && toWorkflow(row);
}

export interface WorkflowFilter extends PageRequest {
  readonly viewer: Viewer;
  readonly projectId?: string | undefined;
  /** False unless asked; `"both"` shows all. */
  readonly isArchived?: boolean | "both" | undefined;
}

/** Those kept for the library are left out: the library lists its own. */
export function* listWorkflows(filter: WorkflowFilter): DatabaseWork<Page<Workflow>> {
  const plan = planPage(filter);
  const { viewer, projectId, isArchived = false } = filter;
  let select = catalogue
    .selectFrom("workflow")
    .selectAll()
    .where("library_path", "is", null)
    .where(seesWorkflow(viewer))
    .where((where) => afterPlace(where, plan, { at: "created_at", id: "id" }))
    .orderBy("created_at", plan.direction)
    .orderBy("id", plan.direction)
    .limit(plan.limit + 1);
  if (projectId !== undefined) select = select.where("project_id", "=", projectId);
  if (isArchived !== "both") select = select.where("is_archived", "=", isArchived ? 1 : 0);
  const place = (row: WorkflowTable) => ({ at: row.created_at, id: row.id });
  return toPage(yield* query(select), plan, place, toWorkflow);
}

export interface NameFilter {
  readonly viewer: Viewer;
  readonly projectId?: string | undefined;
  readonly isArchived?: boolean | undefined;
}

/** Those that bear the name; `projectId` narrows them to that project and the workspace. */
export function* listNamed(
  name: string,
  { viewer, projectId, isArchived = false }: NameFilter,
): DatabaseWork<readonly Workflow[]> {
  let select = catalogue
    .selectFrom("workflow")
    .selectAll()
    .where("name", "=", name)
    .where("library_path", "is", null)
    .where("is_archived", "=", isArchived ? 1 : 0)
    .where(seesWorkflow(viewer))
    .orderBy("id")
    .limit(MOST_NAMESAKES);
  if (projectId !== undefined) {
    select = select.where((where) =>
      where.or([where("project_id", "=", projectId), where("project_id", "is", null)]),
    );
  }
  return (yield* query(select)).map(toWorkflow);
}

const MOST_NAMESAKES = 5;

export function* updateWorkflow(
  id: string,
  patch: WorkflowPatch,
  act: Act,
  expectedVersion?: number,
): DatabaseWork<Workflow> {
  const before = yield* getForChange(WORKFLOWS, id);
  yield* requireRow("project", patch.projectId);
  const after = { ...before, ...toCells(patch) };
  const isNamed = after.is_archived === 0 && before.library_path === null;
  if (isNamed) yield* refuseTakenName(id, after.name, after.project_id);
  return yield* change(before, toCells(patch), act, { expectedVersion });
}

export function* archiveWorkflow(
  id: string,
  act: Act,
  expectedVersion?: number,
): DatabaseWork<Workflow> {
  const before = yield* getForChange(WORKFLOWS, id);
  return yield* change(before, { is_archived: 1 }, act, { verb: "archived", expectedVersion });
}

export function* restoreWorkflow(
  id: string,
  act: Act,
  expectedVersion?: number,
): DatabaseWork<Workflow> {
  const before = yield* getForChange(WORKFLOWS, id);
  yield* refuseTakenName(id, before.name, before.project_id);
  return yield* change(before, { is_archived: 0 }, act, { verb: "restored", expectedVersion });
}

/** Takes its versions along; refused while runs or tasks were made by it. */
export function* deleteWorkflow(
  id: string,
  act: Act,
  expectedVersion?: number,
): DatabaseWork<void> {
  const before = yield* getForChange(WORKFLOWS, id);
  checkVersion("workflow", before, expectedVersion);
  yield* refuseDependents<CatalogueTables>(
    "workflow",
    id,
    [
      { what: "runs", table: "workflow_run", where: { workflow_id: id } },
      { what: "tasks", table: "task", where: { workflow_id: id } },
    ],
    "Archive the workflow instead: nobody starts it any more, and what it did can still be read.",
  );
  yield* deleteAudited(WORKFLOWS, before, act, { projectId: before.project_id });
}

export function* countOf(
  table: "workflow_version" | "workflow_run",
  workflowId: string,
): DatabaseWork<number> {
  const row = yield* queryFirst(
    catalogue
      .selectFrom(table as "workflow_version")
      .select(sql<number>`count(*)`.as("n"))
      .where("workflow_id", "=", workflowId),
  );
  return row?.n ?? 0;
}

function* change(
  before: WorkflowTable,
  cells: Partial<WorkflowTable>,
  act: Act,
  { verb, expectedVersion }: { verb?: string; expectedVersion: number | undefined },
): DatabaseWork<Workflow> {
  checkVersion("workflow", before, expectedVersion);
  const projectId = cells.project_id === undefined ? before.project_id : cells.project_id;
  return toWorkflow(yield* updateAudited(WORKFLOWS, before, cells, act, { projectId, verb }));
}

function* refuseTakenName(id: string, name: string, projectId: string | null): DatabaseWork<void> {
  yield* lockName(`workflow name ${projectId ?? ""} ${name}`);
  const other = yield* queryFirst(
    catalogue
      .selectFrom("workflow")
      .select("id")
      .where("name", "=", name)
      .where("project_id", projectId === null ? "is" : "=", projectId)
      .where("library_path", "is", null)
      .where("is_archived", "=", 0)
      .where("id", "<>", id),
  );
  if (other === undefined) return;
  const place = projectId === null ? "The workspace" : "The project";
  throw new ProductError("workflow_name_taken", `${place} already has a workflow "${name}".`, {
    kind: "conflict",
    hint: "Choose another name, or save a new version of that one.",
    details: { name, workflowId: other.id },
  });
}

export function toWorkflow(row: WorkflowTable): Workflow {
  return {
    id: row.id,
    projectId: row.project_id ?? undefined,
    libraryPath: row.library_path ?? undefined,
    name: row.name,
    description: row.description,
    currentVersion: row.current_version ?? undefined,
    lastVersion: row.last_version,
    isArchived: row.is_archived === 1,
    createdBy: row.created_by,
    version: row.version,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
