/**
 * Fixes what a run executes before it starts: the version of its workflow, and of every workflow that this one
 * may start in turn. What a library file says is kept as a version, so that a later change of the file, or of a
 * stored workflow, changes no run.
 */

import { ProductError } from "../../../kernel/base/errors.ts";
import type { Act } from "../../../kernel/store/audited-rows.ts";
import { type DatabaseWork, execute } from "../../../kernel/store/database-work.ts";
import type { CheckedWorkflow } from "../workflow/check-workflow.ts";
import type { WorkflowDefinition } from "../workflow/workflow-definition.ts";
import { assigneesOf, findAssignees } from "./assignees.ts";
import { readKept } from "./definition-cache.ts";
import type { LibraryWorkflow } from "./library-workflows.ts";
import { type Calling, resolveWorkflow } from "./resolve-workflow.ts";
import { type KeptWorkflow, sourceOf } from "./workflow-of.ts";
import type { WorkflowRef } from "./workflow-ref.ts";
import { catalogue } from "./workflow-tables.ts";
import { getVersion, keepLibrarySource } from "./workflow-versions.ts";
import type { Workflow } from "./workflows.ts";

export interface PinRequest {
  /** Its id, a unique beginning of it, its name, or `library:<name>`. */
  readonly workflow: string;
  /** The current one unless given. */
  readonly version?: number | undefined;
}

/** `projectId` says where the run takes place: names mean what is there, then in the workspace, then in the library. */
export interface PinTools extends Calling {
  readonly nextId: () => string;
}

export interface PinnedWorkflow extends KeptWorkflow {
  /** By `subflowId` as it is written, for this workflow and for all below it. */
  readonly subflows: Readonly<Record<string, WorkflowRef>>;
}

/** Refused, saying why, when any of them is unknown, archived, a draft, or has errors. */
export function* pinWorkflow(
  request: PinRequest,
  tools: PinTools,
  act: Act,
): DatabaseWork<PinnedWorkflow> {
  const pinned = yield* pinOne(request, tools, act);
  const subflows: Record<string, WorkflowRef> = Object.create(null);
  const waiting = [...subflowsOf(pinned.definition)];
  for (let text = waiting.pop(); text !== undefined; text = waiting.pop()) {
    if (text in subflows) continue;
    const below = yield* pinOne({ workflow: text }, tools, act);
    subflows[text] = below.ref;
    waiting.push(...subflowsOf(below.definition));
  }
  return { ...pinned, subflows: { ...subflows } };
}

/** In the transaction that starts the run: from then on the workflow cannot be deleted. */
export function* pinRun(runId: string, { workflowId, version }: WorkflowRef): DatabaseWork<void> {
  yield* execute(
    catalogue
      .insertInto("workflow_run")
      .values({ run_id: runId, workflow_id: workflowId, version })
      .onConflict((conflict) => conflict.doNothing()),
  );
}

function* pinOne(request: PinRequest, tools: PinTools, act: Act): DatabaseWork<KeptWorkflow> {
  const found = yield* resolveWorkflow(request.workflow, tools);
  return found.kind === "stored"
    ? yield* pinStored(found.workflow, request.version)
    : yield* pinLibrary(found.workflow, tools, act);
}

function* pinStored(workflow: Workflow, wanted: number | undefined): DatabaseWork<KeptWorkflow> {
  if (workflow.isArchived) throw archived(workflow);
  const version = wanted ?? workflow.currentVersion;
  if (version === undefined) throw onlyDrafts(workflow);
  const { isDraft, sourceHash } = yield* getVersion(workflow.id, version);
  if (isDraft) throw draft(workflow, version);
  const ref = { workflowId: workflow.id, version };
  const read = yield* readKept(sourceHash, () => sourceOf(ref));
  yield* refuseUnfit(workflow.name, read);
  return { ref, name: workflow.name, definition: read.definition };
}

function* pinLibrary(
  { name, description, file, ...read }: LibraryWorkflow,
  { nextId }: PinTools,
  act: Act,
): DatabaseWork<KeptWorkflow> {
  yield* refuseUnfit(name, read);
  const kept = yield* keepLibrarySource(
    { id: nextId(), libraryPath: file.path, name, description },
    file.text,
    act,
  );
  const ref = { workflowId: kept.workflow.id, version: kept.version };
  return { ref, name, definition: read.definition };
}

function subflowsOf({ steps }: WorkflowDefinition): readonly string[] {
  return steps.flatMap((step) => (step.stepType === "subflow" ? [step.subflowId] : []));
}

function* refuseUnfit(name: string, { definition, problems }: CheckedWorkflow): DatabaseWork<void> {
  const errors = problems.filter(({ severity }) => severity === "error");
  const found = yield* findAssignees(assigneesOf(definition));
  const absent = assigneesOf(definition).filter((given) => found.get(given)?.isActive !== true);
  const reasons = [
    ...errors.map(({ message }) => message),
    ...absent.map((given) => `Nobody who is active here is called "${given}".`),
  ];
  if (reasons.length === 0) return;
  throw new ProductError("workflow_invalid", `"${name}" cannot run: ${reasons.join(" ")}`, {
    kind: "conflict",
    hint: "`workflow check` shows where.",
    details: { problems: errors, absent },
  });
}

function archived({ id, name }: Workflow): ProductError {
  return new ProductError("workflow_archived", `The workflow "${name}" is archived.`, {
    kind: "conflict",
    hint: "Bring it back with `workflow restore`, or use another one.",
    details: { workflowId: id },
  });
}

function onlyDrafts({ id, name }: Workflow): ProductError {
  return new ProductError("workflow_only_drafts", `The workflow "${name}" has only drafts.`, {
    kind: "conflict",
    hint: "Save it without `--draft` once `workflow check` finds no errors.",
    details: { workflowId: id },
  });
}

function draft({ id, name }: Workflow, version: number): ProductError {
  return new ProductError(
    "workflow_draft",
    `Version ${version} of "${name}" is a draft, and drafts do not run.`,
    {
      kind: "conflict",
      hint: "Save it without `--draft`, or leave the version out to run the current one.",
      details: { workflowId: id, version },
    },
  );
}
