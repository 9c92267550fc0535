/**
 * What workflows say, version by version. Saving adds a version and never changes one; saving what already stands
 * adds nothing. A draft may hold errors: it is kept and shown, but it is never current.
 */

import { ProductError } from "../../../kernel/base/errors.ts";
import { hashText } from "../../../kernel/base/hash.ts";
import {
  type Act,
  checkVersion,
  getForChange,
  insertAudited,
  updateAudited,
} from "../../../kernel/store/audited-rows.ts";
import { type DatabaseWork, query, queryFirst } from "../../../kernel/store/database-work.ts";
import { lockName } from "../../../kernel/store/lock-name.ts";
import { storableText } from "../../../kernel/store/storable-text.ts";
import { WORKFLOW_VERSIONS, WORKFLOWS } from "./workflow-migration.ts";
import { catalogue, type WorkflowTable, type WorkflowVersionTable } from "./workflow-tables.ts";
import {
  findLibraryWorkflow,
  insertWorkflowRow,
  type NewWorkflow,
  toWorkflow,
  type Workflow,
} from "./workflows.ts";

export interface WorkflowVersion {
  readonly workflowId: string;
  readonly version: number;
  readonly sourceHash: string;
  readonly summary: string;
  readonly isDraft: boolean;
  readonly createdBy: string;
  readonly createdAt: number;
}

export interface NewVersion {
  readonly source: string;
  readonly summary: string;
  readonly isDraft: boolean;
}

export interface SavedVersion {
  readonly workflow: Workflow;
  readonly version: number;
  /** False when the source was there already and nothing was added. */
  readonly isNew: boolean;
}

export function* insertWorkflow(
  workflow: Omit<NewWorkflow, "isDraft">,
  version: NewVersion,
  act: Act,
): DatabaseWork<Workflow> {
  const row = yield* insertWorkflowRow({ ...workflow, isDraft: version.isDraft }, act);
  yield* insertVersion(row, 1, version, act);
  return toWorkflow(row);
}

/** Compared with what is current; a draft with whatever was saved last. */
export function* saveVersion(
  workflowId: string,
  next: NewVersion,
  act: Act,
  expectedVersion?: number,
): DatabaseWork<SavedVersion> {
  const before = yield* getForChange(WORKFLOWS, workflowId);
  checkVersion("workflow", before, expectedVersion);
  const against = next.isDraft ? before.last_version : before.current_version;
  const standing = against === null ? undefined : yield* findVersion(workflowId, against);
  if (against !== null && standing?.sourceHash === hashSource(next.source)) {
    return { workflow: toWorkflow(before), version: against, isNew: false };
  }
  return yield* addVersion(before, next, act);
}

/** A library file as a version, so that runs can hold on to what it said; the same text is kept once. */
export function* keepLibrarySource(
  file: Omit<NewWorkflow, "isDraft"> & { readonly libraryPath: string },
  source: string,
  act: Act,
): DatabaseWork<SavedVersion> {
  yield* lockName(`workflow library ${file.libraryPath}`);
  const kept = yield* findLibraryWorkflow(file.libraryPath);
  const next = { source, summary: "", isDraft: false };
  if (kept === undefined) {
    return { workflow: yield* insertWorkflow(file, next, act), version: 1, isNew: true };
  }
  const before = yield* getForChange(WORKFLOWS, kept.id);
  const known = yield* findVersionBySource(kept.id, hashSource(source));
  const words = { name: file.name, description: file.description };
  if (known === undefined) return yield* addVersion(before, next, act, words);
  const cells = { ...words, current_version: known.version };
  const row = yield* updateAudited(WORKFLOWS, before, cells, act, { projectId: null });
  return { workflow: toWorkflow(row), version: known.version, isNew: false };
}

export function* findVersion(
  workflowId: string,
  version: number,
): DatabaseWork<WorkflowVersion | undefined> {
  const row = yield* queryFirst(versions(workflowId).where("version", "=", version));
  return row && toVersion(row);
}

export function* getVersion(workflowId: string, version: number): DatabaseWork<WorkflowVersion> {
  const found = yield* findVersion(workflowId, version);
  if (found === undefined) throw versionUnknown(workflowId, version);
  return found;
}

function versionUnknown(workflowId: string, version: number): ProductError {
  return new ProductError("workflow_version_not_found", `The workflow has no version ${version}.`, {
    kind: "not_found",
    hint: "`workflow versions` lists those it has.",
    details: { workflowId, version },
  });
}

/** Newest first. `before` goes on from there. */
export function* listVersions(
  workflowId: string,
  { limit, before }: { readonly limit: number; readonly before?: number | undefined },
): DatabaseWork<readonly WorkflowVersion[]> {
  let select = versions(workflowId).orderBy("version", "desc").limit(limit);
  if (before !== undefined) select = select.where("version", "<", before);
  return (yield* query(select)).map(toVersion);
}

/** Over what the database can hold, as it is kept. */
export function hashSource(source: string): string {
  return hashText(storableText(source));
}

function* findVersionBySource(
  workflowId: string,
  sourceHash: string,
): DatabaseWork<WorkflowVersion | undefined> {
  const row = yield* queryFirst(
    versions(workflowId).where("source_hash", "=", sourceHash).orderBy("version", "desc").limit(1),
  );
  return row && toVersion(row);
}

function* addVersion(
  before: WorkflowTable,
  next: NewVersion,
  act: Act,
  words: { readonly name?: string; readonly description?: string } = {},
): DatabaseWork<SavedVersion> {
  const version = before.last_version + 1;
  yield* insertVersion(before, version, next, act);
  const cells = { ...words, last_version: version };
  const row = yield* updateAudited(
    WORKFLOWS,
    before,
    next.isDraft ? cells : { ...cells, current_version: version },
    act,
    { projectId: before.project_id, verb: next.isDraft ? "drafted" : "saved" },
  );
  return { workflow: toWorkflow(row), version, isNew: true };
}

function insertVersion(
  { id, project_id }: WorkflowTable,
  version: number,
  { source, summary, isDraft }: NewVersion,
  act: Act,
): DatabaseWork<WorkflowVersionTable> {
  const row = {
    workflow_id: id,
    version,
    source,
    source_hash: hashSource(source),
    summary,
    is_draft: isDraft ? 1 : 0,
    created_by: act.actor,
    created_at: act.now,
  };
  return insertAudited(WORKFLOW_VERSIONS, row, act, { projectId: project_id });
}

function versions(workflowId: string) {
  return catalogue
    .selectFrom("workflow_version")
    .select([
      "workflow_id",
      "version",
      "source_hash",
      "summary",
      "is_draft",
      "created_by",
      "created_at",
    ])
    .where("workflow_id", "=", workflowId);
}

function toVersion(row: Omit<WorkflowVersionTable, "source" | "row_hash">): WorkflowVersion {
  return {
    workflowId: row.workflow_id,
    version: row.version,
    sourceHash: row.source_hash,
    summary: row.summary,
    isDraft: row.is_draft === 1,
    createdBy: row.created_by,
    createdAt: row.created_at,
  };
}
