/** What was said in conversations. Messages are only ever added; the conversation's event tells how many. */

import { notFound, ProductError } from "../base/errors.ts";
import { type Act, auditedTable, getForChange, seal, updateAudited } from "./audited-rows.ts";
import { CONVERSATIONS, onlyProjectOf } from "./conversations.ts";
import { type DatabaseWork, query, queryFirst, runRows, writeRows } from "./database-work.ts";
import type { MessageRole, MessageTable } from "./noun-tables.ts";
import { MAX_PAGE } from "./page.ts";
import { db } from "./query-builder.ts";
import { insertText } from "./sql-text.ts";
import { seesMessage, type Viewer } from "./visibility.ts";

export interface Message {
  readonly id: string;
  readonly conversationId: string;
  readonly role: MessageRole;
  /** Grows along the conversation; need not be dense. */
  readonly position: number;
  readonly content: string;
  readonly at: number | undefined;
  readonly sourceId: string | undefined;
  readonly createdAt: number;
}

export interface NewMessage {
  readonly id: string;
  readonly role: MessageRole;
  readonly position: number;
  readonly content: string;
  readonly at?: number | undefined;
  /** A message whose source id is already there is skipped. */
  readonly sourceId?: string | undefined;
}

export const MESSAGES = auditedTable("message", { told: [], goesAlong: true });

/** The ids that were added, which leaves out those already known by their source id. */
export function* appendMessages(
  conversationId: string,
  messages: readonly NewMessage[],
  act: Act,
): DatabaseWork<readonly string[]> {
  if (messages.length === 0) return [];
  const conversation = yield* getForChange(CONVERSATIONS, conversationId);
  const rows = messages.map((message) => toRow(conversationId, message, act));
  const added = yield* runRows<{ id: string }>(INSERT_NEW_MESSAGES, rows);
  if (added.length === 0) return [];
  const cells = { message_count: conversation.message_count + added.length };
  const place = { projectId: yield* onlyProjectOf(conversationId), verb: "extended" };
  yield* updateAudited(CONVERSATIONS, conversation, cells, act, place);
  return added.map(({ id }) => id);
}

/** For conversations that are written in the same work and count these messages already: nothing can be there yet. */
export function* insertFirstMessages(
  messages: readonly (NewMessage & { readonly conversationId: string })[],
  act: Act,
): DatabaseWork<void> {
  const rows = messages.map((message) => toRow(message.conversationId, message, act));
  yield* writeRows(INSERT_MESSAGES, rows);
}

export function* findMessage(id: string, viewer: Viewer): DatabaseWork<Message | undefined> {
  const row = yield* queryFirst(
    db.selectFrom("message").selectAll().where("id", "=", id).where(seesMessage(viewer)),
  );
  return row && toMessage(row);
}

export function* getMessage(id: string, viewer: Viewer): DatabaseWork<Message> {
  const message = yield* findMessage(id, viewer);
  if (message === undefined) throw notFound("message", id);
  return message;
}

export interface MessageFilter {
  readonly viewer: Viewer;
  readonly conversationId: string;
  /** Only those after this place; the last message of a page is the next place. */
  readonly after?: { readonly position: number; readonly id?: string | undefined } | undefined;
  readonly order?: "oldest" | "newest" | undefined;
  readonly limit?: number | undefined;
}

/** In the order they were said. */
export function* listMessages(filter: MessageFilter): DatabaseWork<readonly Message[]> {
  const { viewer, conversationId, after, order = "oldest", limit = 50 } = filter;
  if (!Number.isInteger(limit) || limit < 1 || limit > MAX_PAGE) {
    throw new ProductError("page_limit", `A page holds 1 to ${MAX_PAGE} items, not ${limit}.`, {
      hint: "Ask for fewer and go on after the last one.",
    });
  }
  const past = order === "oldest" ? ">" : "<";
  const direction = order === "oldest" ? "asc" : "desc";
  let select = db
    .selectFrom("message")
    .selectAll()
    .where("conversation_id", "=", conversationId)
    .where(seesMessage(viewer))
    .orderBy("position", direction)
    .orderBy("id", direction)
    .limit(limit);
  if (after !== undefined) {
    select = select.where((where) =>
      where.or([
        where("position", past, after.position),
        ...(after.id === undefined
          ? []
          : [where.and([where("position", "=", after.position), where("id", past, after.id)])]),
      ]),
    );
  }
  return (yield* query(select)).map(toMessage);
}

/** The messages around a position, nearest first chosen, given in the order they were said. */
export function* listMessagesNear(
  conversationId: string,
  position: number,
  count: number,
  viewer: Viewer,
): DatabaseWork<readonly Message[]> {
  const from = { viewer, conversationId, limit: count };
  const before = yield* listMessages({ ...from, order: "newest", after: { position } });
  const later = yield* listMessages({
    ...from,
    order: "oldest",
    after: { position: position - 1 },
  });
  return [...before, ...later]
    .toSorted((a, b) => Math.abs(a.position - position) - Math.abs(b.position - position))
    .slice(0, count)
    .toSorted((a, b) => a.position - b.position || (a.id < b.id ? -1 : 1));
}

const COLUMNS = {
  id: "text",
  conversation_id: "text",
  role: "text",
  position: "int",
  content: "text",
  at: "int",
  source_id: "text",
  created_at: "int",
  row_hash: "text",
} as const;
const INSERT_MESSAGES = insertText("message", COLUMNS);
const INSERT_NEW_MESSAGES = insertText(
  "message",
  COLUMNS,
  "on conflict (conversation_id, source_id) where source_id is not null do nothing",
  "id",
);

function toRow(conversationId: string, message: NewMessage, act: Act) {
  return seal(MESSAGES, {
    id: message.id,
    conversation_id: conversationId,
    role: message.role,
    position: message.position,
    content: message.content,
    at: message.at ?? null,
    source_id: message.sourceId ?? null,
    created_at: act.now,
  });
}

function toMessage(row: MessageTable): Message {
  return {
    id: row.id,
    conversationId: row.conversation_id,
    role: row.role,
    position: row.position,
    content: row.content,
    at: row.at ?? undefined,
    sourceId: row.source_id ?? undefined,
    createdAt: row.created_at,
  };
}
