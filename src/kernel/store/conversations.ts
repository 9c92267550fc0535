/** Conversations: where thinking comes from. Their messages are in `messages.ts`, their projects in `conversation-links.ts`. */

import { notFound, ProductError } from "../base/errors.ts";
import type { JsonObject } from "../base/json.ts";
import {
  type Act,
  auditedTable,
  checkVersion,
  deleteAudited,
  getForChange,
  insertAudited,
  updateAudited,
} from "./audited-rows.ts";
import { toCells, toJsonText } from "./cells.ts";
import { linkConversation } from "./conversation-links.ts";
import { type DatabaseWork, query, queryFirst } from "./database-work.ts";
import { lockName } from "./lock-name.ts";
import type { ConversationTable } from "./noun-tables.ts";
import { afterPlace, type Page, type PageRequest, planPage, toPage } from "./page.ts";
import { db } from "./query-builder.ts";
import { refuseDependents } from "./references.ts";
import { seesConversation, type Viewer } from "./visibility.ts";

export interface Conversation {
  readonly id: string;
  readonly title: string;
  /** Where it was held: `chatgpt`, `claude`, `markdown`, … */
  readonly source: string;
  /** Its identity there; importing it again finds it by this. */
  readonly sourceId: string | undefined;
  readonly details: JsonObject;
  readonly isInactive: boolean;
  readonly messageCount: number;
  readonly startedAt: number;
  readonly createdBy: string;
  readonly version: number;
  readonly createdAt: number;
  readonly updatedAt: number;
}

export interface NewConversation {
  readonly id: string;
  readonly title: string;
  readonly source: string;
  readonly sourceId?: string | undefined;
  readonly details?: JsonObject | undefined;
  readonly startedAt?: number | undefined;
  readonly projectIds?: readonly string[] | undefined;
}

export interface ConversationPatch {
  readonly title?: string | undefined;
  readonly details?: JsonObject | undefined;
}

export const CONVERSATIONS = auditedTable("conversation", { told: ["source"] });

export function* insertConversation(
  conversation: NewConversation,
  act: Act,
): DatabaseWork<Conversation> {
  const { id, title, source, sourceId, projectIds = [] } = conversation;
  yield* refuseKnownSource(source, sourceId);
  const row = {
    id,
    title,
    source,
    source_id: sourceId ?? null,
    details: toJsonText(conversation.details ?? {}),
    is_inactive: 0,
    message_count: 0,
    started_at: conversation.startedAt ?? act.now,
    created_by: act.actor,
    version: 1,
    created_at: act.now,
    updated_at: act.now,
  };
  const projectId = projectIds.length === 1 ? (projectIds[0] ?? null) : null;
  const inserted = yield* insertAudited(CONVERSATIONS, row, act, { projectId });
  for (const each of projectIds) yield* linkConversation(id, each, act);
  return toConversation(inserted);
}

export function* findConversation(
  id: string,
  viewer: Viewer,
): DatabaseWork<Conversation | undefined> {
  const row = yield* queryFirst(
    db.selectFrom("conversation").selectAll().where("id", "=", id).where(seesConversation(viewer)),
  );
  return row && toConversation(row);
}

export function* getConversation(id: string, viewer: Viewer): DatabaseWork<Conversation> {
  const conversation = yield* findConversation(id, viewer);
  if (conversation === undefined) throw notFound("conversation", id);
  return conversation;
}

export function* findConversationBySource(
  source: string,
  sourceId: string,
): DatabaseWork<Conversation | undefined> {
  const row = yield* queryFirst(
    db
      .selectFrom("conversation")
      .selectAll()
      .where("source", "=", source)
      .where("source_id", "=", sourceId),
  );
  return row && toConversation(row);
}

export interface ConversationFilter extends PageRequest {
  readonly viewer: Viewer;
  readonly projectId?: string | undefined;
  readonly source?: string | undefined;
  /** False unless asked; `"both"` shows all. */
  readonly isInactive?: boolean | "both" | undefined;
}

/** By when they were held within a project, else by when they came in. */
export function* listConversations(filter: ConversationFilter): DatabaseWork<Page<Conversation>> {
  const plan = planPage(filter);
  const { viewer, projectId, source, isInactive = false } = filter;
  const at =
    projectId === undefined ? "conversation.created_at" : "conversation_project.started_at";
  const id = projectId === undefined ? "conversation.id" : "conversation_project.conversation_id";
  let select = db
    .selectFrom("conversation")
    .$if(projectId !== undefined, (from) =>
      from
        .innerJoin(
          "conversation_project",
          "conversation_project.conversation_id",
          "conversation.id",
        )
        .where("conversation_project.project_id", "=", projectId ?? ""),
    )
    .selectAll("conversation")
    .where(seesConversation(viewer))
    .where((where) => afterPlace(where, plan, { at, id }))
    .orderBy(db.dynamic.ref(at), plan.direction)
    .orderBy(db.dynamic.ref(id), plan.direction)
    .limit(plan.limit + 1);
  if (source !== undefined) select = select.where("conversation.source", "=", source);
  if (isInactive !== "both") {
    select = select.where("conversation.is_inactive", "=", isInactive ? 1 : 0);
  }
  const place = (row: ConversationTable) => ({
    at: projectId === undefined ? row.created_at : row.started_at,
    id: row.id,
  });
  return toPage(yield* query(select), plan, place, toConversation);
}

export function* updateConversation(
  id: string,
  patch: ConversationPatch,
  act: Act,
  expectedVersion?: number,
): DatabaseWork<Conversation> {
  return yield* change(id, toCells(patch), act, { expectedVersion });
}

export function* archiveConversation(
  id: string,
  act: Act,
  expectedVersion?: number,
): DatabaseWork<Conversation> {
  return yield* change(id, { is_inactive: 1 }, act, { verb: "archived", expectedVersion });
}

export function* restoreConversation(
  id: string,
  act: Act,
  expectedVersion?: number,
): DatabaseWork<Conversation> {
  return yield* change(id, { is_inactive: 0 }, act, { verb: "restored", expectedVersion });
}

/** Takes its messages, links and redactions along; refused while a thought was drawn from it. */
export function* deleteConversation(
  id: string,
  act: Act,
  expectedVersion?: number,
): DatabaseWork<void> {
  const before = yield* getForChange(CONVERSATIONS, id);
  checkVersion("conversation", before, expectedVersion);
  const source = { source_type: "conversation", source_id: id };
  yield* refuseDependents(
    "conversation",
    id,
    [
      { what: "highlights", table: "highlight", where: { conversation_id: id } },
      { what: "decisions", table: "decision", where: { conversation_id: id } },
      { what: "tasks drawn from it", table: "task", where: source },
      { what: "decisions drawn from it", table: "decision", where: source },
    ],
    "Archive the conversation instead, or delete these first.",
  );
  yield* refuseTasksOfMessages(id);
  const projectId = yield* onlyProjectOf(id);
  yield* deleteAudited(CONVERSATIONS, before, act, { projectId });
}

/** Where a conversation's events are told: in its project when it has exactly one. */
export function* onlyProjectOf(conversationId: string | null): DatabaseWork<string | null> {
  if (conversationId === null) return null;
  const links = yield* query(
    db
      .selectFrom("conversation_project")
      .select("project_id")
      .where("conversation_id", "=", conversationId)
      .limit(2),
  );
  return links.length === 1 ? (links[0]?.project_id ?? null) : null;
}

function* change(
  id: string,
  cells: Partial<ConversationTable>,
  act: Act,
  { verb, expectedVersion }: { verb?: string; expectedVersion: number | undefined },
): DatabaseWork<Conversation> {
  const before = yield* getForChange(CONVERSATIONS, id);
  checkVersion("conversation", before, expectedVersion);
  const place = { projectId: yield* onlyProjectOf(id), verb };
  return toConversation(yield* updateAudited(CONVERSATIONS, before, cells, act, place));
}

function* refuseKnownSource(source: string, sourceId: string | undefined): DatabaseWork<void> {
  if (sourceId === undefined) return;
  yield* lockName(`conversation ${source} ${sourceId}`);
  const known = yield* findConversationBySource(source, sourceId);
  if (known === undefined) return;
  throw new ProductError(
    "conversation_known",
    `The conversation "${sourceId}" from ${source} is already here.`,
    {
      kind: "conflict",
      hint: "Add its new messages to the one that is there.",
      details: { id: known.id },
    },
  );
}

function* refuseTasksOfMessages(conversationId: string): DatabaseWork<void> {
  const task = yield* queryFirst(
    db
      .selectFrom("task")
      .innerJoin("message", "message.id", "task.source_id")
      .select("task.id")
      .where("task.source_type", "=", "message")
      .where("message.conversation_id", "=", conversationId)
      .limit(1),
  );
  if (task === undefined) return;
  throw new ProductError(
    "conversation_in_use",
    `The conversation "${conversationId}" cannot be deleted: task "${task.id}" was drawn from it.`,
    { kind: "conflict", hint: "Archive the conversation instead." },
  );
}

function toConversation(row: ConversationTable): Conversation {
  return {
    id: row.id,
    title: row.title,
    source: row.source,
    sourceId: row.source_id ?? undefined,
    details: JSON.parse(row.details) as JsonObject,
    isInactive: row.is_inactive === 1,
    messageCount: row.message_count,
    startedAt: row.started_at,
    createdBy: row.created_by,
    version: row.version,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
