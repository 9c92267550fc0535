/** What a decision packet is made of: the decision, the project around it, and what was said when it was made. */

import { notFound } from "../../../kernel/base/errors.ts";
import { listProjectsOfConversation } from "../../../kernel/store/conversation-links.ts";
import { findConversation } from "../../../kernel/store/conversations.ts";
import { type DatabaseWork, queryFirst } from "../../../kernel/store/database-work.ts";
import { type Decision, getDecision } from "../../../kernel/store/decisions.ts";
import { findMessage, listMessagesNear, type Message } from "../../../kernel/store/messages.ts";
import { findProject, type Project } from "../../../kernel/store/projects.ts";
import { db } from "../../../kernel/store/query-builder.ts";
import {
  findInMessage,
  loadRedactionScope,
  type RedactionScope,
} from "../../../kernel/store/redaction-scope.ts";
import type { Viewer } from "../../../kernel/store/visibility.ts";
import { findWithheld } from "../../../kernel/store/withheld-sources.ts";
import { readNewestOfConversation } from "./candidate-reads.ts";
import {
  conversationTitle,
  type GatherRequest,
  passagesOf,
  toPacketProject,
} from "./gather-project.ts";
import {
  chooseHighlights,
  gatherDecisions,
  gatherHighlights,
  gatherTasks,
} from "./gather-thoughts.ts";
import { originRedacted } from "./origin-refusals.ts";
import { banRefused, type GatherContext, pinRefused } from "./packet-context.ts";
import type { DecisionMaterial, PacketDecision, PacketMessage } from "./packet-material.ts";
import { hiddenIn } from "./redacted-sources.ts";
import { isReadable, lineOf } from "./source-text.ts";
import { readDecisions } from "./thought-reader.ts";

const ITSELF = { value: 1 };
const TASK = { value: 0.7 };
const OTHER_DECISION = { value: 0.6 };
const HIGHLIGHT = { value: 0.5 };
const MOST_HIGHLIGHTS = 10;
const MESSAGES_READ = 10;
const MESSAGES_SHOWN = 5;

export function* gatherDecision(request: GatherRequest): DatabaseWork<DecisionMaterial> {
  const { id, viewer, now, pins, bans } = request;
  const decision = yield* getDecision(id, viewer);
  if (decision.isInactive) throw notFound("decision", id);
  for (const ban of bans) if (ban.id === id) throw banRefused(ban);
  const project = yield* projectOf(decision, viewer);
  const scope = yield* loadRedactionScope(project && [project.id]);
  const context = { viewer, now, scope, pins, bans };
  const origin = yield* readOrigin(id, scope);
  const around =
    project === undefined
      ? yield* gatherLoose(decision, context)
      : yield* gatherAround(project.id, id, context);
  return {
    origin: "decision",
    projectId: project?.id,
    decision: origin,
    project: project && toPacketProject(project, scope),
    ...around,
    conversation: yield* gatherConversation(decision, context),
    passages: passagesOf(scope),
    pins: new Set(pins.map((pin) => pin.id)),
  };
}

type Around = Pick<DecisionMaterial, "tasks" | "decisions" | "highlights" | "withheld">;

function* gatherAround(
  projectId: string,
  decisionId: string,
  context: GatherContext,
): DatabaseWork<Around> {
  const pin = context.pins.find((wish) => wish.id === decisionId);
  if (pin !== undefined) throw pinRefused(pin, "the packet is about it");
  const tasks = yield* gatherTasks(projectId, context);
  const decisions = yield* gatherDecisions(projectId, context, decisionId);
  const highlights = yield* gatherHighlights(projectId, context, MOST_HIGHLIGHTS);
  return {
    tasks: tasks.top.map((task) => ({ ...task, score: TASK })),
    decisions: decisions.top.map((other) => ({ ...other, score: OTHER_DECISION })),
    highlights: highlights.top.map((highlight) => ({ ...highlight, score: HIGHLIGHT })),
    withheld: [...tasks.withheld, ...decisions.withheld, ...highlights.withheld],
  };
}

/** Without a project only its own conversation is around it. */
function* gatherLoose({ conversationId }: Decision, context: GatherContext): DatabaseWork<Around> {
  const [pin] = context.pins;
  if (pin !== undefined) throw pinRefused(pin, "the decision belongs to no project");
  const none: Around = { tasks: [], decisions: [], highlights: [], withheld: [] };
  if (conversationId === undefined) return none;
  if ((yield* findConversation(conversationId, context.viewer)) === undefined) return none;
  const { top, withheld } = yield* chooseHighlights(context, MOST_HIGHLIGHTS, [], (limit) =>
    readNewestOfConversation(conversationId, limit),
  );
  const highlights = top.map((highlight) => ({ ...highlight, score: HIGHLIGHT }));
  return { ...none, highlights, withheld };
}

/** Its own, or the first of its conversation's that the caller sees. */
function* projectOf(
  { projectId, conversationId }: Decision,
  viewer: Viewer,
): DatabaseWork<Project | undefined> {
  if (projectId !== undefined) return yield* findProject(projectId, viewer);
  if (conversationId === undefined) return undefined;
  for (const id of yield* listProjectsOfConversation(conversationId)) {
    const project = yield* findProject(id, viewer);
    if (project !== undefined) return project;
  }
  return undefined;
}

function* readOrigin(id: string, scope: RedactionScope): DatabaseWork<PacketDecision> {
  const withheld = yield* findWithheld("decision", [id], scope);
  const decision = (yield* readDecisions([{ id, score: ITSELF }], scope, "block")).get(id);
  if (decision === undefined || withheld.has(id) || !isReadable(decision.title)) {
    throw originRedacted("decision", id);
  }
  return decision;
}

function* gatherConversation(
  decision: Decision,
  { viewer, scope }: GatherContext,
): DatabaseWork<DecisionMaterial["conversation"]> {
  const id = decision.conversationId;
  if (id === undefined || scope.conversationIds.has(id)) return undefined;
  const conversation = yield* findConversation(id, viewer);
  if (conversation === undefined || conversation.isInactive) return undefined;
  const position = yield* positionOf(decision, id, viewer);
  if (position === undefined) return undefined;
  const read = yield* listMessagesNear(id, position, MESSAGES_READ, viewer);
  return {
    id,
    title: conversationTitle(id, conversation.title, scope),
    messages: nearest(read, position, scope),
  };
}

/** Of its message; without one, of the last thing said before it was made, else of the end. */
function* positionOf(
  { messageId, createdAt }: Decision,
  conversationId: string,
  viewer: Viewer,
): DatabaseWork<number | undefined> {
  if (messageId !== undefined) return (yield* findMessage(messageId, viewer))?.position;
  const backwards = db
    .selectFrom("message")
    .select("position")
    .where("conversation_id", "=", conversationId)
    .orderBy("position", "desc")
    .orderBy("id", "desc")
    .limit(1);
  const before = yield* queryFirst(backwards.where("at", "<=", createdAt));
  return (before ?? (yield* queryFirst(backwards)))?.position;
}

function nearest(
  messages: readonly Message[],
  position: number,
  scope: RedactionScope,
): PacketMessage[] {
  return messages
    .filter(({ id }) => !scope.messageIds.has(id))
    .map(({ id, role, content, position: place }) => ({
      id,
      role,
      content: lineOf({ type: "message", id, field: "content" }, content, [
        ...hiddenIn(scope, undefined, content),
        ...findInMessage(scope, id, content),
      ]),
      away: Math.abs(place - position),
      place,
    }))
    .filter(({ content }) => isReadable(content))
    .toSorted((a, b) => a.away - b.away || a.place - b.place || (a.id < b.id ? -1 : 1))
    .slice(0, MESSAGES_SHOWN)
    .map(({ id, role, content, place }, distance) => ({ id, role, content, distance, place }))
    .toSorted((a, b) => a.place - b.place || (a.id < b.id ? -1 : 1));
}
