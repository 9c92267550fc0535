/** What a schedule or a webhook starts: checked when it is set up, and started with the rights that are left by then. */

import { ProductError } from "../../../kernel/base/errors.ts";
import type { Json, JsonObject } from "../../../kernel/base/json.ts";
import { authorise } from "../../../kernel/operation/authorise.ts";
import type { Caller } from "../../../kernel/operation/caller.ts";
import type { Kernel } from "../../../kernel/operation/kernel.ts";
import type { OperationContext } from "../../../kernel/operation/operation.ts";
import { requireRight } from "../../../kernel/operation/project-rights.ts";
import { resolveOptional, resolveProject } from "../../../kernel/operation/resolve-names.ts";
import type { Act } from "../../../kernel/store/audited-rows.ts";
import { toJsonText } from "../../../kernel/store/cells.ts";
import { type DatabaseWork, query, queryFirst } from "../../../kernel/store/database-work.ts";
import { findUser } from "../../../kernel/store/users.ts";
import { pinWorkflow } from "../catalogue/pin-workflow.ts";
import { callingFor, placeOfWorkflow, resolveWorkflow } from "../catalogue/resolve-workflow.ts";
import { readInput } from "../running/read-input.ts";
import { startWorkflow } from "../running/start-workflow.ts";
import { type StartedWorkflow, type StarterRow, starters } from "./starter-tables.ts";

/** What is said of it; what is left out of a change stays as it was. */
export interface WorkflowChoice {
  readonly workflow?: string | undefined;
  readonly workflowVersion?: number | null | undefined;
  readonly input?: Json | undefined;
  readonly set?: readonly string[] | undefined;
  readonly model?: string | null | undefined;
  readonly project?: string | undefined;
}

export interface ChosenWorkflow extends StartedWorkflow {
  readonly project_id: string | null;
  readonly runs_as: string;
}

/** With the rights of whoever asks. Refused, saying why, if it could not run now. */
export function* chooseWorkflow(
  context: OperationContext,
  given: WorkflowChoice,
  act: Act,
  before?: StarterRow,
): DatabaseWork<{ readonly name: string; readonly chosen: ChosenWorkflow }> {
  const { kernel, caller } = context;
  const workflow = given.workflow ?? before?.workflow_id ?? before?.library_ref ?? "";
  const version = given.workflow === undefined ? before?.workflow_version : undefined;
  const workflowVersion = given.workflowVersion === undefined ? version : given.workflowVersion;
  const model = given.model === undefined ? before?.model : given.model;
  const projectId = yield* projectFor(workflow, given.project, caller, before);
  yield* requireRight(caller, projectId, "run");
  const calling = callingFor(context, projectId);
  const found = yield* resolveWorkflow(workflow, calling);
  const wanted = { workflow, version: workflowVersion ?? undefined };
  yield* pinWorkflow(wanted, { ...calling, nextId: () => kernel.ids.next() }, act);
  const isSaid = given.input !== undefined || given.set !== undefined;
  const chosen = {
    project_id: projectId ?? null,
    runs_as: caller.userId,
    workflow_id: found.kind === "stored" ? found.workflow.id : null,
    library_ref: found.kind === "library" ? found.workflow.ref : null,
    workflow_version: workflowVersion ?? null,
    input: isSaid || !before ? toJsonText(readInput(given)) : before.input,
    model: model ?? null,
  };
  return { name: found.workflow.name, chosen };
}

/** As said, as it was, or where the workflow belongs. */
function* projectFor(
  workflow: string,
  project: string | undefined,
  caller: Caller,
  before: StarterRow | undefined,
): DatabaseWork<string | undefined> {
  const said = yield* resolveOptional(project, (text) => resolveProject(text, caller));
  if (said !== undefined) return said;
  if (before !== undefined) return before.project_id ?? undefined;
  return (yield* placeOfWorkflow(workflow, caller)).projectId;
}

export interface StartTools extends Pick<Kernel, "engine" | "library"> {
  /** The workspace's default. */
  readonly model: string;
}

/** Gives the run's id. Refused, saying why, where the rights, the project or the workflow are gone. */
export function* startFrom(
  { engine, library, model }: StartTools,
  row: StarterRow,
  input: JsonObject,
  now: number,
): DatabaseWork<string> {
  const caller = yield* starterCaller(row);
  yield* requireRight(caller, row.project_id, "run");
  yield* refuseArchivedProject(row.project_id);
  const request = {
    workflow: row.workflow_id ?? row.library_ref ?? "",
    version: row.workflow_version ?? undefined,
    input,
    model: row.model ?? model,
  };
  const tools = { library, viewer: caller, projectId: row.project_id ?? undefined };
  return yield* startWorkflow(engine, request, tools, { actor: caller.userId, now });
}

/** With the rights they have now, which may be fewer than when they set it up. */
export function* starterCaller({ runs_as }: Pick<StarterRow, "runs_as">): DatabaseWork<Caller> {
  const user = yield* findUser(runs_as);
  if (user?.isActive !== true) {
    const name = user?.displayName ?? runs_as;
    throw new ProductError(
      "starter_owner_gone",
      `${name}, who set it up, is not active any more.`,
      {
        kind: "not_allowed",
        hint: "Somebody else may take it over by saying anew what it starts.",
      },
    );
  }
  const { id: userId, displayName: name, role, isAgent } = user;
  const caller = { userId, name, role, isAgent, scopes: undefined };
  authorise(caller, { name: "workflow.run", permission: "run" });
  return caller;
}

function* refuseArchivedProject(projectId: string | null): DatabaseWork<void> {
  if (projectId === null) return;
  const project = yield* queryFirst(
    starters.selectFrom("project").select(["name", "is_archived"]).where("id", "=", projectId),
  );
  if (project?.is_archived !== 1) return;
  throw new ProductError("project_archived", `The project "${project.name}" is archived.`, {
    kind: "conflict",
    hint: "`project restore` brings it back.",
  });
}

/** How people know them, by id. */
export function* workflowNames(
  rows: readonly Pick<StarterRow, "workflow_id">[],
): DatabaseWork<ReadonlyMap<string, string>> {
  const ids = rows.flatMap(({ workflow_id }) => workflow_id ?? []);
  if (ids.length === 0) return new Map();
  const found = yield* query(
    starters
      .selectFrom("workflow")
      .select(["id", "name"])
      .where("id", "in", [...new Set(ids)]),
  );
  return new Map(found.map(({ id, name }) => [id, name]));
}
