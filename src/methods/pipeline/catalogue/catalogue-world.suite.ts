/** A workspace with the tables and operations of workflows, for tests. */

import { scratchKernel } from "../../../../tests/scratch/scratch-kernel.ts";
import { ProductError } from "../../../kernel/base/errors.ts";
import type { Library } from "../../../kernel/library/library.ts";
import { layOutView } from "../../../kernel/operation/lay-out-view.ts";
import { callerOf } from "../../../kernel/operation/authorisation-matrix.ts";
import type { Caller } from "../../../kernel/operation/caller.ts";
import { invoke } from "../../../kernel/operation/invoke.ts";
import type { Kernel } from "../../../kernel/operation/kernel.ts";
import {
  createOperationRegistry,
  type OperationRegistry,
} from "../../../kernel/operation/operation-registry.ts";
import { createHandlerRegistry, type MoveHandler } from "../../../kernel/run/handler.ts";
import { startRun } from "../../../kernel/run/start-run.ts";
import { putProjectMember } from "../../../kernel/store/project-members.ts";
import { insertProject } from "../../../kernel/store/projects.ts";
import type { Dialect } from "../../../kernel/store/store.ts";
import { insertUser } from "../../../kernel/store/users.ts";
import { workflowTables } from "./workflow-migration.ts";
import { workflowOperations } from "./workflow-operations.ts";

export const VIEWER = callerOf("viewer", false, undefined);
export const REVIEWER = callerOf("reviewer", false, undefined);
export const OPERATOR = callerOf("operator", false, undefined);
export const ADMIN = callerOf("admin", false, undefined);
export const STRANGER: Caller = { ...OPERATOR, userId: "stranger", name: "stranger" };
export const AGENT: Caller = { ...OPERATOR, userId: "agent", name: "agent", isAgent: true };

export interface CatalogueWorld {
  readonly kernel: Kernel;
  readonly registry: OperationRegistry;
  /** Answers are typed by whoever asks. */
  as<Answer>(caller: Caller, name: string, input?: unknown): Promise<Answer>;
  /** How the command line would show it. */
  show(caller: Caller, name: string, input?: unknown): Promise<string>;
  remove(): Promise<void>;
}

export async function openCatalogue(
  options: { readonly dialect?: Dialect; readonly library?: Library } = {},
): Promise<CatalogueWorld> {
  const { dialect = "sqlite", library } = options;
  const handlers = createHandlerRegistry([idle], []);
  const scratch = await scratchKernel({ dialect, handlers, migrations: [workflowTables] });
  const kernel: Kernel = library === undefined ? scratch : { ...scratch, library };
  const registry = createOperationRegistry(workflowOperations);
  const act = { actor: "test", now: kernel.clock.now() };
  await kernel.store.write(function* () {
    yield* insertUser({ id: "stranger", displayName: "Stranger", role: "operator" }, act);
    yield* insertUser({ id: "agent", displayName: "Agent", role: "operator", isAgent: true }, act);
  });
  return {
    kernel,
    registry,
    as: async <Answer>(caller: Caller, name: string, input: unknown = {}) =>
      (await invoke(kernel, registry, name, caller, input)) as Answer,
    show: async (caller, name, input = {}) => {
      const render = registry.get(name).surfaces?.cli?.render;
      if (render === undefined) throw new Error(`${name} has no view`);
      return layOutView(render(await invoke(kernel, registry, name, caller, input)));
    },
    remove: () => scratch.remove(),
  };
}

const idle: MoveHandler = {
  kind: "move",
  name: "idle",
  *decide() {
    yield* [];
    return {};
  },
};

/** A run that never gets anywhere. */
export function startIdleRun({ kernel }: CatalogueWorld): Promise<string> {
  const run = { method: "pipeline", title: "Idle", input: {}, jobs: [IDLE_JOB] };
  const owner = { projectId: null, startedBy: "operator" };
  return kernel.store.write(() => startRun(kernel.engine, run, owner, kernel.clock.now()));
}

const IDLE_JOB = { key: "idle", handler: "idle", input: {} };

/** Own: the operator's, with viewer and reviewer as members. Foreign and narrow: a stranger's, the latter with the operator as a viewer. */
export async function addProject(
  { kernel }: CatalogueWorld,
  place: "own" | "foreign" | "narrow" | "workspace",
): Promise<string> {
  const id = kernel.ids.next();
  const ownerId = place === "own" ? "operator" : "stranger";
  const act = { actor: ownerId, now: kernel.clock.now() };
  await kernel.store.write(function* () {
    const visibility = place === "workspace" ? "workspace" : "private";
    yield* insertProject({ id, name: `${place} ${id}`, ownerId, visibility }, act);
    const members =
      place === "own"
        ? (["viewer", "reviewer"] as const).map((role) => ({ userId: role, role }))
        : place === "narrow"
          ? [{ userId: "operator", role: "viewer" } as const]
          : [];
    for (const member of members) yield* putProjectMember({ projectId: id, ...member }, act);
  });
  return id;
}

export async function refusal(attempt: () => Promise<unknown>): Promise<ProductError> {
  try {
    await attempt();
  } catch (error) {
    if (error instanceof ProductError) return error;
    throw error;
  }
  throw new Error("It was not refused.");
}

export const TWO_STEPS = `flowchart TD
    write[Write Notes] --> publish(Publish)

%% === WORKFLOW_CONFIG ===
%% workflow: { "name": "Release notes", "description": "Notes for a release." }
%% @write: {
%%   "prompt": "Write the notes for {{run.input.version}}.",
%%   "outputSchema": { "type": "object", "properties": { "notes": { "type": "string" } }, "required": ["notes"] }
%% }
%% @publish: { "prompt": "Publish: {{output.notes}}" }
%% === END_CONFIG ===
`;

export const BROKEN = "flowchart TD\n    write[Write Notes] --> publish(Publish\n";
