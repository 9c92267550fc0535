/** For every operation of this unit: an input aimed at a place, and what beyond role and sight decides it. */

import type { Caller } from "../../kernel/operation/caller.ts";
import { issueToken } from "../../kernel/operation/issue-token.ts";
import { putSetting } from "../../kernel/store/settings.ts";
import { insertUser } from "../../kernel/store/users.ts";
import { listBackups } from "./backup-folder.ts";
import { seedSample } from "./seed-sample.ts";
import { ADMIN, type Furniture, type PlaceKind, type World } from "./workspace-world.suite.ts";

export type Outcome = "done" | "not_allowed" | "not_found" | "conflict";

export interface Cell {
  readonly world: World;
  readonly furniture: Furniture;
  readonly place: PlaceKind;
  readonly who: Caller;
}

export interface MatrixCase {
  /** `placed`: whoever does not see the project must be told that there is no such thing. */
  readonly aim: "placed" | "free";
  readonly input: (cell: Cell) => object | Promise<object>;
  /** What comes of it for those whose role allows it and who see it; done unless said. */
  readonly outcome?: (cell: Cell) => Outcome;
}

const isOwner = ({ who, place }: Cell) =>
  who.role === "admin" || (place === "own" && who.userId === "operator");
const ownersOnly = (cell: Cell): Outcome => (isOwner(cell) ? "done" : "not_allowed");
const notForAgents = ({ who }: Cell): Outcome => (who.isAgent ? "not_allowed" : "done");
const refusedByState = (): Outcome => "conflict";

/** Any role may, but neither agents nor tokens made for less. */
const ownBusiness = ({ who }: Cell): Outcome =>
  who.isAgent || (who.scopes !== undefined && !who.scopes.includes("administer"))
    ? "not_allowed"
    : "done";

/** Needs the right to edit inside, because whose setting it is decides. */
const editors = ({ who }: Cell): Outcome => {
  const mayEdit = who.role === "operator" || who.role === "admin";
  return mayEdit && (who.scopes?.includes("edit") ?? true) ? "done" : "not_allowed";
};

const placed = (
  input: (cell: Cell) => object | Promise<object>,
  outcome?: MatrixCase["outcome"],
): MatrixCase => ({ aim: "placed", input, ...(outcome === undefined ? {} : { outcome }) });
const free = (
  input: (cell: Cell) => object | Promise<object> = () => ({}),
  outcome?: MatrixCase["outcome"],
): MatrixCase => ({ aim: "free", input, ...(outcome === undefined ? {} : { outcome }) });

const inProject = placed(({ furniture }) => ({ project: furniture.projectId }));
const on = (
  field: "taskId" | "decisionId" | "highlightId" | "conversationId" | "artifactId",
  more: object = {},
  outcome?: MatrixCase["outcome"],
) => placed(({ furniture }) => ({ [field]: furniture[field], ...more }), outcome);
const project = (more: object = {}, outcome?: MatrixCase["outcome"]) =>
  placed(({ furniture }) => ({ projectId: furniture.projectId, ...more }), outcome);
const run = (more: object = {}, outcome?: MatrixCase["outcome"]) =>
  placed(({ furniture }) => ({ runId: furniture.runId, ...more }), outcome);
const endedRun = placed(({ furniture }) => ({ runId: furniture.endedRunId }));
const wait = (more: object = {}, outcome?: MatrixCase["outcome"]) =>
  placed(({ furniture }) => ({ waitId: furniture.waitId, ...more }), outcome);

export const MATRIX_CASES: Readonly<Record<string, MatrixCase>> = {
  "workspace.show": free(),
  "workspace.doctor": free(() => ({ quick: true })),
  "workspace.prune": free(() => ({ olderThan: "52w" })),
  "workspace.disk": free(),
  "workspace.export": free(({ world }) => ({ name: `matrix-${world.kernel.ids.next()}` })),
  "workspace.clear-sample": free(async ({ world }) => {
    await seedSample(world.kernel, "admin");
    return { dryRun: true };
  }),

  "inbox.list": inProject,
  "inbox.show": wait(),
  "inbox.answer": wait({ choice: "reject" }, notForAgents),
  "inbox.answer-by-key": run({ key: "review", choice: "reject" }, notForAgents),
  "inbox.assign": wait({ user: "me" }),
  "inbox.snooze": wait({ until: "4h" }),

  "run.list": inProject,
  "run.show": run(),
  "run.events": run(),
  "run.pause": run(),
  "run.resume": run({}, refusedByState),
  "run.cancel": run(),
  "run.retry": placed(({ furniture }) => ({ runId: furniture.heldRunId })),
  "run.limit": run({ turns: 50 }),
  "run.archive": endedRun,
  "run.restore": endedRun,
  "run.delete": endedRun,
  "exchange.list": run(),
  "exchange.show": placed(({ furniture }) => ({ exchangeId: furniture.exchangeId })),
  "exchange.earlier": placed(({ furniture }) => ({ exchangeId: furniture.exchangeId })),
  "exchange.diff": placed(({ furniture: { exchangeId } }) => ({ exchangeId, before: exchangeId })),
  "artifact.list": inProject,
  "artifact.show": on("artifactId"),
  "artifact.archive": on("artifactId"),
  "artifact.restore": on("artifactId"),
  "artifact.delete": on("artifactId"),

  "project.list": free(),
  "project.show": project(),
  "project.add": free(() => ({ name: "New" })),
  "project.update": project({ description: "Changed" }),
  "project.add-member": project({ user: "stranger" }, ownersOnly),
  "project.remove-member": project({ user: "reviewer" }, (cell) =>
    cell.who.userId === "reviewer" ? "done" : ownersOnly(cell),
  ),
  "project.archive": project({}, ownersOnly),
  "project.restore": project({}, ownersOnly),
  "project.delete": project({}, (cell) => (isOwner(cell) ? "conflict" : "not_allowed")),

  "task.list": inProject,
  "task.show": on("taskId"),
  "task.next": inProject,
  "task.take": inProject,
  "task.add": placed(({ furniture }) => ({ title: "New", project: furniture.projectId })),
  "task.update": on("taskId", { urgency: "high" }),
  "task.start": on("taskId"),
  "task.complete": on("taskId", {}, refusedByState),
  "task.hold": on("taskId", { reason: "waits" }),
  "task.cancel": on("taskId"),
  "task.archive": on("taskId"),
  "task.restore": on("taskId"),
  "task.delete": on("taskId"),
  "view.list": free(),
  "view.save": placed(({ furniture }) => ({
    name: nameOf(furniture),
    project: furniture.projectId,
  })),
  "view.delete": placed(async ({ world, furniture }) => {
    const name = nameOf(furniture);
    await world.as(ADMIN, "view.save", { name, project: furniture.projectId });
    return { name };
  }),

  "decision.list": inProject,
  "decision.show": on("decisionId"),
  "decision.add": placed(({ furniture }) => ({ title: "New", project: furniture.projectId })),
  "decision.update": on("decisionId", { content: "Because." }),
  "decision.archive": on("decisionId"),
  "decision.restore": on("decisionId"),
  "decision.delete": on("decisionId"),
  "highlight.list": inProject,
  "highlight.show": on("highlightId"),
  "highlight.add": placed(({ furniture }) => ({ content: "New", message: furniture.messageId })),
  "highlight.update": on("highlightId", { label: "word" }),
  "highlight.archive": on("highlightId"),
  "highlight.restore": on("highlightId"),
  "highlight.delete": on("highlightId"),
  "conversation.list": inProject,
  "conversation.show": on("conversationId"),
  "conversation.add": placed(({ furniture }) => ({ title: "New", project: furniture.projectId })),
  "conversation.update": on("conversationId", { title: "Changed" }),
  "conversation.link": placed(({ furniture }) => ({
    conversationId: furniture.conversationId,
    project: furniture.projectId,
  })),
  "conversation.unlink": placed(({ furniture }) => ({
    conversationId: furniture.conversationId,
    project: furniture.projectId,
  })),
  "conversation.archive": on("conversationId"),
  "conversation.restore": on("conversationId"),
  "conversation.delete": on("conversationId", {}, refusedByState),
  "message.reveal": placed(({ furniture }) => ({ messageId: furniture.messageId }), notForAgents),
  "thinking.search": placed(({ furniture }) => ({ text: "leases", project: furniture.projectId })),
  "event.list": inProject,

  "user.me": free(),
  "user.list": free(() => ({ kind: "both" })),
  "user.show": free(() => ({ user: "viewer" })),
  "user.invite": free(({ world }) => ({
    email: `${world.kernel.ids.next()}@example.org`,
    displayName: "New",
  })),
  "user.invite-again": free(() => ({ user: "viewer" })),
  "user.update": free(() => ({ user: "viewer", displayName: "viewer" })),
  "user.archive": free(async (cell) => ({ userId: await somebody(cell, false) })),
  "user.restore": free(async (cell) => ({ userId: await somebody(cell, false) })),
  "user.delete": free(async (cell) => ({ userId: await somebody(cell, false) })),
  "agent.list": free(),
  "agent.show": free(() => ({ agentId: "agent" })),
  "agent.add": free(() => ({ displayName: "New" })),
  "agent.update": free(() => ({ agentId: "agent", agentPrompt: "You try." })),
  "agent.archive": free(async (cell) => ({ agentId: await somebody(cell, true) })),
  "agent.restore": free(async (cell) => ({ agentId: await somebody(cell, true) })),
  "agent.delete": free(async (cell) => ({ agentId: await somebody(cell, true) })),
  "token.list": free(),
  "token.add": free(() => ({ name: "New" }), ownBusiness),
  "token.revoke": free(async (cell) => ({ tokenId: await ownToken(cell) }), ownBusiness),

  "model.list": free(),
  "model.test": free(
    () => ({ model: "other/one" }),
    () => "not_found",
  ),
  "model.add": free(() => ({ name: "local", baseUrl: "http://127.0.0.1:9/v1" })),
  "model.remove": free(() => ({ name: "local" })),
  "model.use": free(() => ({ model: "rehearsal/default" })),
  "lane.list": free(),
  "lane.limit": free(() => ({ name: "model:other/one", maxRunning: 2 })),
  "budget.show": inProject,
  "budget.days": free(),
  "budget.set": placed(({ furniture }) => ({ project: furniture.projectId, usd: 100 })),
  "setting.list": placed(({ furniture }) => ({ scope: "project", project: furniture.projectId })),
  "setting.get": placed(async ({ world, furniture: { projectId } }) => {
    const act = { actor: "test", now: world.kernel.clock.now() };
    await world.kernel.store.write(() =>
      putSetting({ scope: "project", projectId }, { key: "trial.depth", value: 2 }, act),
    );
    return { key: "trial.depth", scope: "project", project: projectId };
  }),
  "setting.set": placed(
    ({ furniture }) => ({
      key: "trial.depth",
      value: 3,
      scope: "project",
      project: furniture.projectId,
    }),
    editors,
  ),
  "setting.unset": placed(
    ({ furniture }) => ({ key: "trial.depth", scope: "project", project: furniture.projectId }),
    editors,
  ),
  "backup.list": free(),
  "backup.make": free(({ world }) => ({ name: `${world.kernel.ids.next()}.db` })),
  "backup.verify": free(async ({ world }) => {
    const [known] = await listBackups(world.kernel);
    const name = known?.name ?? "first.db";
    if (known === undefined) await world.as(ADMIN, "backup.make", { name });
    return { name };
  }),
};

function nameOf({ projectId }: Furniture): string {
  return `of-${projectId}`;
}

async function somebody({ world }: Cell, isAgent: boolean): Promise<string> {
  const { store, ids, clock } = world.kernel;
  const id = ids.next();
  const act = { actor: "test", now: clock.now() };
  await store.write(() => insertUser({ id, displayName: id, role: "viewer", isAgent }, act));
  return id;
}

async function ownToken({ world, who }: Cell): Promise<string> {
  const request = { userId: who.userId, name: "theirs", actor: "test" };
  return (await issueToken(world.kernel, request)).token.id;
}
