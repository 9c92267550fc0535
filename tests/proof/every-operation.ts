/**
 * A workspace with everything in it: people of every role, and projects that hold something of every method, so that
 * every operation there is can be asked for with an input that means something.
 */

import assert from "node:assert/strict";
import { createHandlers } from "../../src/app/handlers.ts";
import { listNouns } from "../../src/app/methods.ts";
import { MIGRATIONS } from "../../src/app/migrations.ts";
import type { Caller } from "../../src/kernel/operation/caller.ts";
import { inputFields } from "../../src/kernel/operation/input-fields.ts";
import { invoke } from "../../src/kernel/operation/invoke.ts";
import { loadOperations } from "../../src/kernel/operation/noun-index.ts";
import type { Operation } from "../../src/kernel/operation/operation.ts";
import {
  createOperationRegistry,
  type OperationRegistry,
} from "../../src/kernel/operation/operation-registry.ts";
import { startEngine } from "../../src/kernel/run/engine.ts";
import { putProjectMember } from "../../src/kernel/store/project-members.ts";
import type { UserRole } from "../../src/kernel/store/noun-tables.ts";
import { insertUser } from "../../src/kernel/store/users.ts";
import { rowsOf } from "../scratch/engine-audit.ts";
import { builtInLibrary, type ScratchKernel, scratchKernel } from "../scratch/scratch-kernel.ts";

export interface Everything {
  readonly kernel: ScratchKernel;
  readonly registry: OperationRegistry;
  as<Answer = unknown>(caller: Caller, name: string, input?: object): Promise<Answer>;
  /** Until nothing is left that can be done without somebody. */
  settle(): Promise<void>;
  events(): Promise<number>;
}

export function person(userId: string, role: UserRole, isAgent = false): Caller {
  return { userId, name: userId, role, isAgent, scopes: undefined };
}

export const ADMIN = person("admin", "admin");
export const OPERATOR = person("operator", "operator");
export const STRANGER = person("stranger", "operator");

const SHARED = 3;

export async function openEverything(): Promise<Everything> {
  let nextId = () => "";
  const handlers = createHandlers(builtInLibrary(), () => nextId());
  const kernel = await scratchKernel({ handlers, migrations: MIGRATIONS.slice(SHARED) });
  nextId = () => kernel.ids.next();
  const act = { actor: "test", now: kernel.clock.now() };
  await kernel.store.write(function* () {
    yield* insertUser({ id: "stranger", displayName: "Stranger", role: "operator" }, act);
    yield* insertUser({ id: "agent", displayName: "Agent", role: "operator", isAgent: true }, act);
  });
  const nouns = listNouns(() => kernel.folder);
  const registry = createOperationRegistry(await loadOperations(nouns), nouns);
  const engineOf = () =>
    startEngine({
      ...kernel.engine,
      store: kernel.store,
      clock: kernel.clock,
      models: kernel.models,
      worker: "test",
      concurrency: 16,
      pollMs: 5,
      random: () => 0.5,
      onTrouble: (error) => {
        throw error;
      },
    });
  return {
    kernel,
    registry,
    as: async (caller, name, input = {}) =>
      (await invoke(kernel, registry, name, caller, input)) as never,
    settle: async () => {
      const engine = engineOf();
      await engine.whenIdle();
      await engine.stop();
    },
    events: async () => {
      const [row] = await rowsOf<{ n: number }>(kernel.store, "select count(*) as n from event");
      return Number(row?.n);
    },
  };
}

/** What a field of this name is given. */
export type Furniture = Readonly<Record<string, string>>;

const DRAWING = `graph TD
  A[Plan] --> N(Approve)
  N --> E[End]
%% @N: {"execution": "manual", "prompt": "Approve."}
`;

/** One of everything in one project; `owner` has made it. */
export async function furnish(
  everything: Everything,
  owner: Caller,
  visibility: "private" | "workspace",
): Promise<Furniture> {
  const { kernel } = everything;
  const name = `Place ${kernel.ids.next()}`;
  interface Made {
    readonly id: string;
    readonly runId: string;
    readonly packetId: string;
    readonly webhookId: string;
  }
  const made = (operation: string, input: object) => everything.as<Made>(owner, operation, input);
  const { id: projectId } = await made("project.add", { name, visibility });
  const project = projectId;
  const { id: taskId } = await made("task.add", { title: "Ask them", project });
  const decision = { title: "The board signs", content: "They sign.", project };
  const { id: decisionId } = await made("decision.add", decision);
  const messages = [
    { role: "user", content: "The archive has to move before May. Who signs for it?" },
    { role: "assistant", content: "Decision: the board signs. Task: ask them before Friday." },
  ];
  const talk = { title: "Moving", messages, project };
  const { id: conversationId } = await made("conversation.add", talk);
  const { id: highlightId } = await made("highlight.add", { content: "The lease ends.", project });
  const { id: workflowId } = await made("workflow.create", { name, source: DRAWING, project });
  const workflow = workflowId;
  const { runId } = await made("workflow.run", { workflow, project });
  const { id: scheduleId } = await made("schedule.add", { workflow, cron: "0 9 * * 1", project });
  const { id: webhookId } = await made("webhook.add", { workflow, project });
  const { runId: session } = await made("dialectic.start", { request: "An archive.", project });
  const { runId: teamRunId } = await made("team.start", { team: "lab", rounds: 1, project });
  const origin = { originType: "project", originId: projectId, intent: "generate_next_actions" };
  const { packetId } = await made("packet.compile", origin);
  await made("distill.start", { conversationId, wait: false });
  await made("digest.make", { project, since: "2025-01-01", wait: false });
  await made("import.start", { text: "User: hello\n\nAssistant: good day", project });
  await everything.settle();
  const first = async (text: string, given: readonly unknown[]): Promise<string> => {
    const [row] = await rowsOf<{ id: string }>(kernel.store, text, given);
    assert.ok(row, text);
    return row.id;
  };
  const message = await first(
    "select id from message where conversation_id = ? order by position desc",
    [conversationId],
  );
  await made("redaction.add", { project, message, text: "Friday" });
  const byProject = (table: string) =>
    first(`select id from ${table} where project_id = ? order by id desc`, [projectId]);
  return {
    project,
    projectId,
    taskId,
    decisionId,
    highlightId,
    conversationId,
    conversation: conversationId,
    workflow,
    workflowId,
    workflowRunId: runId,
    runId,
    scheduleId,
    webhookId,
    session,
    dialecticRunId: session,
    teamRunId,
    packetId,
    before: packetId,
    after: packetId,
    originType: "project",
    originId: projectId,
    harvestId: await byProject("harvest"),
    importId: await first("select id from import order by id desc", []),
    redactionId: await byProject("redaction"),
    digestId: await first(
      "select id from artifact where project_id = ? and kind = 'digest' order by id desc",
      [projectId],
    ),
    document: await first(
      "select id from dialectic_artifact where run_id = ? and kind = 'document' order by id",
      [session],
    ),
    product: await first("select id from team_product where run_id = ? order by position", [
      teamRunId,
    ]),
    waitId: await first("select id from wait where run_id = ? and state = 'open'", [runId]),
    exchangeId: await first("select id from exchange where run_id = ? order by id", [runId]),
    messageId: message,
    artifactId: await byProject("artifact"),
  };
}

/** What whoever means well would say. */
export function inputOf(operation: Operation, furniture: Furniture, unique = ""): object {
  const fields = inputFields(operation.input).filter(({ isRequired }) => isRequired);
  const noun = operation.name.slice(0, operation.name.indexOf("."));
  const usual = fields.map(({ name, kind, choices, isList }) => {
    const value =
      furniture[name] ??
      choices?.[0] ??
      (kind === "number" ? 1 : kind === "boolean" ? true : kind === "json" ? {} : "some text");
    return [name, isList ? [value] : value];
  });
  const run =
    noun === "team"
      ? { runId: furniture["teamRunId"] }
      : noun === "dialectic"
        ? { session: furniture["session"] }
        : {};
  const takes = new Set(inputFields(operation.input).map(({ name }) => name));
  const given = {
    ...Object.fromEntries(usual),
    ...run,
    ...OWN_INPUT[operation.name]?.(furniture, unique),
  };
  return Object.fromEntries(Object.entries(given).filter(([field]) => takes.has(field)));
}

/** They wait for a run that nobody works on here. */
export const WAITING: ReadonlySet<string> = new Set([
  "ask.answer",
  "workflow.dry-run",
  "model.test",
]);

/** In the project, where an operation may be asked for without. */
const here = ({ project = "" }: Furniture) => ({ project });

const OWN_INPUT: Readonly<Record<string, (given: Furniture, unique: string) => object>> = {
  "ask.start": (given) => ({ ...here(given), request: "Why?" }),
  "ask.answer": (given) => ({ ...here(given), request: "Why?" }),
  "import.start": (given, unique) => ({
    ...here(given),
    text: `User: hello ${unique}\n\nAssistant: hi`,
  }),
  "exchange.diff": ({ exchangeId }) => ({ before: exchangeId }),
  "packet.compile": () => ({ intent: "generate_next_actions" }),
  "packet.preview": () => ({ intent: "generate_next_actions" }),
  "packet.send": () => ({ wait: false }),
  "packet.choices": here,
  "packet.list": here,
  "harvest.read": ({ packetId }, unique) => ({ packetId, answer: `- Task: call ${unique}` }),
  "harvest.list": here,
  "distill.start": () => ({ wait: false }),
  "digest.make": () => ({ since: "2025-01-01", wait: false }),
  "digest.preview": () => ({ since: "2025-01-01" }),
  "digest.list": here,
  "redaction.add": ({ messageId }) => ({ message: messageId, text: "before" }),
  "redaction.list": here,
  "redaction.try": here,
  "redaction.purge": (given) => ({ ...here(given), redaction: given["redactionId"] }),
  "dialectic.start": (given) => ({ ...here(given), request: "An archive." }),
  "dialectic.list": here,
  "dialectic.feedback": ({ document }) => ({ document, text: "Shorter." }),
  "dialectic.edit": () => ({ text: "# Shorter" }),
  "dialectic.revise": () => ({ feedback: "Shorter." }),
  "workflow.list": here,
  "workflow.check": () => ({ source: DRAWING }),
  "workflow.graph": () => ({ source: DRAWING }),
  "workflow.step": () => ({ stageId: "A" }),
  "workflow.paths": () => ({ stageId: "N" }),
  "workflow.create": (given, unique) => ({ ...here(given), source: DRAWING, name: `W ${unique}` }),
  "workflow.save": (_, unique) => ({ source: DRAWING.replace("Plan", `Plan ${unique}`) }),
  "workflow.update": () => ({ description: "Changed" }),
  "workflow.copy": (given, unique) => ({ ...here(given), name: `Copy ${unique}` }),
  "workflow.edit-step": (_, unique) => ({ stageId: "A", prompt: `Plan it ${unique}.` }),
  "workflow.add-task": (given) => ({ ...here(given), stageId: "A" }),
  "workflow.import": (given) => ({ ...here(given), document: { mermaid: DRAWING } }),
  "step.compare": ({ workflowRunId }) => ({ runId: workflowRunId, otherRunId: workflowRunId }),
  "step.retry": ({ workflowRunId }) => ({ target: workflowRunId }),
  "step.rerun": () => ({ step: "A" }),
  "step.force": () => ({ step: "E" }),
  "schedule.list": here,
  "schedule.add": (given) => ({ ...here(given), cron: "0 9 * * 1" }),
  "schedule.update": () => ({ cron: "0 8 * * 1" }),
  "team.runs": here,
  "team.start": (given) => ({ ...here(given), team: "lab", rounds: 1 }),
  "team.show": () => ({ team: "lab" }),
  "team.blame": () => ({ sentence: "1" }),
  "webhook.add": here,
  "webhook.list": here,
  "webhook.update": () => ({ paused: true }),
  "notice.add": () => ({ url: "https://notices.example.org/here" }),
  "subject.set": (given) => ({ ...here(given), name: "Speed" }),
  "subject.align": here,
  "subject.list": here,
  "session.start": (given) => ({
    ...here(given),
    prompt: "Make it faster.",
    interpretation: "Slow.",
  }),
  "session.list": here,
  "highlight.convert": () => ({ to: "task" }),
  "task.list": here,
  "run.list": here,
};

/** As the own project of an operator, with the others as members in their roles. */
export async function admitOthers({ kernel }: Everything, projectId: string): Promise<void> {
  const act = { actor: "test", now: kernel.clock.now() };
  await kernel.store.write(function* () {
    yield* putProjectMember({ projectId, userId: "viewer", role: "viewer" }, act);
    yield* putProjectMember({ projectId, userId: "reviewer", role: "reviewer" }, act);
  });
}
