/**
 * A furnished workspace for tests: people of every role, an own private project, a foreign private one and one
 * that the workspace sees, each with one of everything; a trial method whose runs ask, fail and answer.
 */

import { sql } from "kysely";
import { z } from "zod";
import { scratchKernel } from "../../../tests/scratch/scratch-kernel.ts";
import type { Clock } from "../../kernel/base/clock.ts";
import { hashText } from "../../kernel/base/hash.ts";
import { defineContract } from "../../kernel/contract/contract.ts";
import { layOutView } from "../../kernel/operation/lay-out-view.ts";
import type { Caller, Permission } from "../../kernel/operation/caller.ts";
import { invoke } from "../../kernel/operation/invoke.ts";
import type { Kernel } from "../../kernel/operation/kernel.ts";
import { loadOperations } from "../../kernel/operation/noun-index.ts";
import {
  createOperationRegistry,
  type OperationRegistry,
} from "../../kernel/operation/operation-registry.ts";
import type { Decision } from "../../kernel/run/decision.ts";
import { type Engine, startEngine } from "../../kernel/run/engine.ts";
import {
  createHandlerRegistry,
  type HandlerRegistry,
  type MoveHandler,
  type TurnHandler,
} from "../../kernel/run/handler.ts";
import { startRun } from "../../kernel/run/start-run.ts";
import { insertConversation } from "../../kernel/store/conversations.ts";
import { type DatabaseWork, execute, queryFirst } from "../../kernel/store/database-work.ts";
import { insertDecision } from "../../kernel/store/decisions.ts";
import { engineTables } from "../../kernel/store/engine-migration.ts";
import { insertHighlight } from "../../kernel/store/highlights.ts";
import { appendMessages } from "../../kernel/store/messages.ts";
import { nounTables } from "../../kernel/store/noun-migration.ts";
import type { UserRole } from "../../kernel/store/noun-tables.ts";
import { putProjectMember } from "../../kernel/store/project-members.ts";
import { insertProject } from "../../kernel/store/projects.ts";
import { db } from "../../kernel/store/query-builder.ts";
import { searchTables } from "../../kernel/store/search-migration.ts";
import type { Dialect } from "../../kernel/store/store.ts";
import { insertTask } from "../../kernel/store/tasks.ts";
import { insertUser } from "../../kernel/store/users.ts";
import type { ModelSettings, NewProvider } from "./model-operations.ts";
import { modelTestHandler } from "./model-test-handler.ts";
import { type WorkspacePorts, workspaceNouns } from "./workspace-nouns.ts";

export const MIGRATIONS = [engineTables, nounTables, searchTables];

export interface World {
  readonly kernel: Kernel;
  readonly registry: OperationRegistry;
  readonly providers: ReadonlyMap<string, NewProvider>;
  as(caller: Caller, name: string, input?: unknown): Promise<unknown>;
  /** How the command line would show it. */
  show(caller: Caller, name: string, input?: unknown): Promise<string>;
  /** Runs the engine until nothing is left to do. */
  settle(): Promise<void>;
  events(): Promise<number>;
  remove(): Promise<void>;
}

export async function openWorld(
  options: { dialect?: Dialect; clock?: Clock } = {},
): Promise<World> {
  const kernel = await scratchKernel({ ...options, handlers: trialHandlers });
  const act = { actor: "test", now: kernel.clock.now() };
  await kernel.store.write(function* () {
    yield* insertUser({ id: "stranger", displayName: "Stranger", role: "operator" }, act);
    yield* insertUser({ id: "agent", displayName: "Agent", role: "operator", isAgent: true }, act);
  });
  const providers = new Map<string, NewProvider>();
  const models: ModelSettings = {
    addProvider: async (name, provider) => void providers.set(name, provider),
    removeProvider: async (name) => providers.delete(name),
    setDefault: async () => undefined,
  };
  const ports: WorkspacePorts = {
    migrations: MIGRATIONS,
    programs: { versionOf: async (name) => (name === "git" ? "git version 2.50.0" : undefined) },
    models,
    settings: [
      {
        key: "trial.depth",
        scopes: ["workspace", "project"],
        summary: "How deep trials go.",
        value: z.number().int().min(1),
      },
    ],
  };
  const nouns = workspaceNouns(async () => ports);
  const registry = createOperationRegistry(await loadOperations(nouns), nouns);
  const world: World = {
    kernel,
    registry,
    providers,
    as: (caller, name, input = {}) => invoke(kernel, registry, name, caller, input),
    show: async (caller, name, input = {}) => {
      const render = registry.get(name).surfaces?.cli?.render;
      if (render === undefined) throw new Error(`${name} has no view`);
      return layOutView(render(await invoke(kernel, registry, name, caller, input)));
    },
    settle: () => settle(kernel),
    events: () => kernel.store.read(countEvents),
    remove: () => kernel.remove(),
  };
  return world;
}

export function caller(
  userId: string,
  role: UserRole,
  more: { scopes?: readonly Permission[]; isAgent?: boolean } = {},
): Caller {
  const { scopes, isAgent = false } = more;
  return { userId, name: userId, role, isAgent, scopes };
}

export const VIEWER = caller("viewer", "viewer");
export const REVIEWER = caller("reviewer", "reviewer");
export const OPERATOR = caller("operator", "operator");
export const ADMIN = caller("admin", "admin");
export const STRANGER = caller("stranger", "operator");
export const AGENT = caller("agent", "operator", { isAgent: true });

/** One of everything, in one project. */
export interface Furniture {
  readonly projectId: string;
  readonly taskId: string;
  readonly decisionId: string;
  readonly highlightId: string;
  readonly conversationId: string;
  readonly messageId: string;
  readonly artifactId: string;
  /** A run that waits for a person, with one exchange. */
  readonly runId: string;
  readonly waitId: string;
  readonly exchangeId: string;
  /** A run whose only job is held. */
  readonly heldRunId: string;
  readonly heldWaitId: string;
  readonly endedRunId: string;
}

export type PlaceKind = "own" | "foreign" | "workspace" | "narrow";

/**
 * `own` belongs to the operator; viewer and reviewer are members in their roles. `narrow` is a private project
 * of somebody else in which the operator is a viewer.
 */
export async function furnish(
  world: World,
  place: PlaceKind,
  content: "all" | "thoughts" = "all",
): Promise<Furniture> {
  const { kernel } = world;
  const { ids } = kernel;
  const ownerId = place === "own" ? "operator" : "stranger";
  const act = { actor: ownerId, now: kernel.clock.now() };
  const [projectId, conversationId, messageId, highlightId, decisionId, taskId, artifactId] =
    Array.from({ length: 7 }, () => ids.next()) as [
      string,
      string,
      string,
      string,
      string,
      string,
      string,
    ];
  await kernel.store.write(function* () {
    yield* insertProject(
      {
        id: projectId,
        name: `${place} ${projectId}`,
        ownerId,
        visibility: place === "workspace" ? "workspace" : "private",
      },
      act,
    );
    if (place === "own") {
      yield* putProjectMember({ projectId, userId: "viewer", role: "viewer" }, act);
      yield* putProjectMember({ projectId, userId: "reviewer", role: "reviewer" }, act);
    }
    if (place === "narrow")
      yield* putProjectMember({ projectId, userId: "operator", role: "viewer" }, act);
    yield* insertConversation(
      { id: conversationId, title: "Talk", source: "test", projectIds: [projectId] },
      act,
    );
    const said = { id: messageId, role: "user", position: 0, content: "We use leases." } as const;
    yield* appendMessages(conversationId, [said], act);
    yield* insertHighlight({ id: highlightId, projectId, content: "leases", messageId }, act);
    yield* insertDecision({ id: decisionId, projectId, title: "Leases, not locks" }, act);
    yield* insertTask({ id: taskId, projectId, title: "Try leases" }, act);
  });
  const thoughts = { projectId, conversationId, messageId, highlightId, decisionId, taskId };
  const runs =
    content === "thoughts" ? NO_RUNS : await addRuns(world, { projectId, ownerId, artifactId });
  return { ...thoughts, ...runs };
}

type RunFurniture = Omit<
  Furniture,
  "projectId" | "conversationId" | "messageId" | "highlightId" | "decisionId" | "taskId"
>;

const NO_RUNS: RunFurniture = {
  artifactId: "none",
  runId: "none",
  waitId: "none",
  exchangeId: "none",
  heldRunId: "none",
  heldWaitId: "none",
  endedRunId: "none",
};

export type Mood = "asks" | "holds" | "ends";

export function startTrial(
  { kernel }: World,
  mood: Mood,
  owner: { readonly projectId: string; readonly startedBy: string },
): DatabaseWork<string> {
  const first = { key: "first", handler: "trial.turn", step: "answer", input: { mood } };
  return startRun(
    kernel.engine,
    { method: "trial", title: `Trial that ${mood}`, input: { mood }, jobs: [first] },
    owner,
    kernel.clock.now(),
  );
}

async function addRuns(
  world: World,
  { projectId, ownerId, artifactId }: { projectId: string; ownerId: string; artifactId: string },
): Promise<RunFurniture> {
  const { store, clock } = world.kernel;
  const now = clock.now();
  const start = (mood: Mood) => startTrial(world, mood, { projectId, startedBy: ownerId });
  const runs = await store.write(function* () {
    return {
      runId: yield* start("asks"),
      heldRunId: yield* start("holds"),
      endedRunId: yield* start("ends"),
    };
  });
  await world.settle();
  await store.write(() => addArtifact({ artifactId, projectId, runId: runs.runId }, now));
  const found = await store.read(function* () {
    return {
      waitId: yield* openWait(runs.runId),
      heldWaitId: yield* openWait(runs.heldRunId),
      exchangeId: yield* firstExchange(runs.runId),
    };
  });
  return { artifactId, ...runs, ...found };
}

function* openWait(runId: string): DatabaseWork<string> {
  const row = yield* queryFirst(
    db.selectFrom("wait").select("id").where("run_id", "=", runId).where("state", "=", "open"),
  );
  if (row === undefined) throw new Error("The run does not wait.");
  return row.id;
}

function* firstExchange(runId: string): DatabaseWork<string> {
  const row = yield* queryFirst(
    db.selectFrom("exchange").select("id").where("run_id", "=", runId).orderBy("id"),
  );
  if (row === undefined) throw new Error("The run exchanged nothing.");
  return row.id;
}

function* addArtifact(
  { artifactId, projectId, runId }: { artifactId: string; projectId: string; runId: string },
  now: number,
): DatabaseWork<void> {
  const body = "# What came of it\n\nLeases work.";
  yield* execute(
    db.insertInto("artifact").values({
      id: artifactId,
      project_id: projectId,
      run_id: runId,
      job_id: null,
      exchange_id: null,
      kind: "report",
      identity: artifactId,
      path: "reports/leases.md",
      media_type: "text/markdown",
      body,
      hash: hashText(body),
      bytes: body.length,
      state: "complete",
      created_at: now,
    }),
  );
}

function* countEvents(): DatabaseWork<number> {
  const row = yield* queryFirst(db.selectFrom("event").select(sql<number>`count(*)`.as("n")));
  return row?.n ?? 0;
}

async function settle(kernel: Kernel): Promise<void> {
  const engine: Engine = startEngine({
    ...kernel.engine,
    store: kernel.store,
    clock: kernel.clock,
    models: kernel.models,
    worker: "test",
    concurrency: 8,
    pollMs: 5,
    random: () => 0.5,
    onTrouble: (error) => {
      throw error;
    },
  });
  await engine.whenIdle();
  await engine.stop();
}

const trialContract = defineContract({
  name: "trial.reply",
  schema: z.object({ summary: z.string(), score: z.number() }),
});

const trialTurn: TurnHandler = {
  kind: "turn",
  name: "trial.turn",
  lane: () => "model:rehearsal/default",
  *compile(job) {
    yield* [];
    return {
      model: "rehearsal/default",
      contract: trialContract,
      prompt: {
        messages: [
          { role: "system", text: "You summarise in one sentence.", isShared: true },
          { role: "user", text: `Item ${job.key}. We use leases.` },
        ],
        hash: job.key,
        trace: { ledger: [{ part: "item", outcome: "in" }], cuts: [] },
      },
    };
  },
  *accept(job): Generator<never, Decision> {
    yield* [];
    const { mood } = job.input as { readonly mood: string };
    if (mood === "holds")
      return {
        hold: { code: "trial_held", message: "The trial cannot go on.", hint: "Try again." },
      };
    if (mood === "ends") return { run: { end: { state: "completed", result: { mood } } } };
    return {
      waits: [
        {
          key: "review",
          kind: "review",
          title: "Confirm risk areas",
          reason: "The agent marked three areas that need a person.",
          evidence: [{ area: "Lease read outside the lock", file: "sync/session-lock.ts:112" }],
          form: [
            {
              name: "severity",
              label: "Severity",
              type: "choice",
              required: true,
              options: [
                { value: "low", label: "Low" },
                { value: "high", label: "High" },
              ],
            },
            { name: "score", type: "number", minimum: 0, maximum: 100 },
          ],
          answers: ["complete", "reject"],
          followUp: { key: "after", handler: "trial.after", input: {} },
        },
      ],
    };
  },
};

const trialAfter: MoveHandler = {
  kind: "move",
  name: "trial.after",
  *decide(job): Generator<never, Decision> {
    yield* [];
    const { answer } = job.input as { readonly answer: { readonly choice: string } };
    return { run: { end: { state: "completed", result: { choice: answer.choice } } } };
  },
};

const trialHandlers: HandlerRegistry = createHandlerRegistry(
  [trialTurn, trialAfter, modelTestHandler],
  [],
);
