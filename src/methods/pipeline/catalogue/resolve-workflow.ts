/**
 * Finds what people call a workflow: its name, its id or a unique beginning of it, or `library:<name>`. A stored
 * workflow comes before one of the library that has the same name, and a project's before the workspace's.
 */

import { notFound, ProductError } from "../../../kernel/base/errors.ts";
import type { Library } from "../../../kernel/library/library.ts";
import type { OperationContext, PlaceFinder } from "../../../kernel/operation/operation.ts";
import type { DatabaseWork } from "../../../kernel/store/database-work.ts";
import { resolveIdAmong } from "../../../kernel/store/resolve-id.ts";
import type { Viewer } from "../../../kernel/store/visibility.ts";
import { findInLibrary, isLibraryRef, type LibraryWorkflow } from "./library-workflows.ts";
import { getWorkflow, listNamed, seesWorkflow, type Workflow } from "./workflows.ts";

export type FoundWorkflow =
  | { readonly kind: "stored"; readonly workflow: Workflow }
  | { readonly kind: "library"; readonly workflow: LibraryWorkflow };

export interface Calling {
  readonly library: Library;
  readonly viewer: Viewer;
  /** Names are looked for in this project and in the workspace only. */
  readonly projectId?: string | undefined;
}

export function* resolveWorkflow(given: string, calling: Calling): DatabaseWork<FoundWorkflow> {
  const stored = isLibraryRef(given) ? undefined : yield* findStored(given, calling);
  if (stored !== undefined) return { kind: "stored", workflow: stored };
  const inLibrary = findInLibrary(calling.library, given);
  if (inLibrary !== undefined) return { kind: "library", workflow: inLibrary };
  throw notFound("workflow", given);
}

/** For changes: what comes from the library is changed by its file, or copied first. */
export function* resolveOwnWorkflow(given: string, calling: Calling): DatabaseWork<Workflow> {
  const found = yield* resolveWorkflow(given, calling);
  if (found.kind === "library") throw inLibrary(found.workflow.name);
  return ownOnly(found.workflow);
}

/** The same where no library is at hand: a name that only the library knows is not found. */
export function* resolveStored(given: string, viewer: Viewer): DatabaseWork<Workflow> {
  const stored = yield* findStored(given, { viewer });
  if (stored === undefined) throw notFound("workflow", given);
  return ownOnly(stored);
}

/** Where a stored workflow belongs; one of the library belongs to nobody. */
export const placeOfWorkflow: PlaceFinder = function* (given, caller) {
  if (isLibraryRef(given)) return {};
  const stored = yield* findStored(given, { viewer: caller });
  return stored === undefined ? {} : { projectId: stored.projectId };
};

export function callingFor(
  { kernel, caller }: Pick<OperationContext, "kernel" | "caller">,
  projectId?: string,
): Calling {
  return { library: kernel.library, viewer: caller, projectId };
}

/** An archived workflow is found by its name too, unless another one in use has it. */
function* findStored(
  given: string,
  where: Pick<Calling, "viewer" | "projectId">,
): DatabaseWork<Workflow | undefined> {
  return (
    (yield* findNamed(given, where, false)) ??
    (yield* findById(given, where.viewer)) ??
    (yield* findNamed(given, where, true))
  );
}

function* findNamed(
  given: string,
  { viewer, projectId }: Pick<Calling, "viewer" | "projectId">,
  isArchived: boolean,
): DatabaseWork<Workflow | undefined> {
  const named = yield* listNamed(given, { viewer, projectId, isArchived });
  const nearest = named.filter((workflow) => workflow.projectId === projectId);
  const candidates = projectId !== undefined && nearest.length > 0 ? nearest : named;
  const [first, second] = candidates;
  if (second !== undefined) throw ambiguous(given, candidates);
  return first;
}

function* findById(given: string, viewer: Viewer): DatabaseWork<Workflow | undefined> {
  try {
    const id = yield* resolveIdAmong("workflow", given, seesWorkflow(viewer));
    return yield* getWorkflow(id, viewer);
  } catch (error) {
    if (error instanceof ProductError && error.code === "workflow_not_found") return undefined;
    throw error;
  }
}

function ownOnly(workflow: Workflow): Workflow {
  if (workflow.libraryPath === undefined) return workflow;
  throw inLibrary(workflow.name);
}

function inLibrary(name: string): ProductError {
  return new ProductError("workflow_in_library", `"${name}" is a workflow of the library.`, {
    kind: "conflict",
    hint: "Make your own with `workflow copy`, and change that.",
    details: { name },
  });
}

function ambiguous(given: string, named: readonly Workflow[]): ProductError {
  return new ProductError("name_ambiguous", `Several workflows are called "${given}".`, {
    kind: "conflict",
    hint: "Use the id; `workflow list` shows it.",
    details: { noun: "workflow", given, candidates: named.map(({ id }) => id) },
  });
}
