/** The words of everything that can be found, and where each thing was drawn from. */

import { type DatabaseWork, query } from "./database-work.ts";
import type { SearchKind, SourceType } from "./noun-tables.ts";
import { db } from "./query-builder.ts";

export interface SearchSourceText {
  readonly kind: SearchKind;
  readonly itemId: string;
  readonly title: string;
  readonly body: string;
  readonly conversationId: string | null;
  readonly messageId: string | null;
  readonly createdAt: number;
}

/** What is gone, archived or not text is left out. */
export function* listSearchSources(
  items: readonly { readonly kind: SearchKind; readonly item_id: string }[],
): DatabaseWork<readonly SearchSourceText[]> {
  const found: SearchSourceText[] = [];
  for (const kind of new Set(items.map((item) => item.kind))) {
    const ids = items.filter((item) => item.kind === kind).map((item) => item.item_id);
    found.push(...(yield* READERS[kind](ids)));
  }
  return found;
}

const READERS: Readonly<
  Record<SearchKind, (ids: string[]) => DatabaseWork<readonly SearchSourceText[]>>
> = {
  conversation: readConversations,
  message: readMessages,
  highlight: readHighlights,
  task: readTasks,
  decision: readDecisions,
  artifact: readArtifacts,
};

function* readConversations(ids: string[]): DatabaseWork<readonly SearchSourceText[]> {
  const rows = yield* query(
    db
      .selectFrom("conversation")
      .select(["id", "title", "created_at"])
      .where("id", "in", ids)
      .where("is_inactive", "=", 0),
  );
  return rows.map((row) => ({
    kind: "conversation",
    itemId: row.id,
    title: row.title,
    body: "",
    conversationId: row.id,
    messageId: null,
    createdAt: row.created_at,
  }));
}

function* readMessages(ids: string[]): DatabaseWork<readonly SearchSourceText[]> {
  const rows = yield* query(
    db
      .selectFrom("message")
      .select(["id", "conversation_id", "content", "at", "created_at"])
      .where("id", "in", ids),
  );
  return rows.map((row) => ({
    kind: "message",
    itemId: row.id,
    title: "",
    body: row.content,
    conversationId: row.conversation_id,
    messageId: row.id,
    createdAt: row.at ?? row.created_at,
  }));
}

function* readHighlights(ids: string[]): DatabaseWork<readonly SearchSourceText[]> {
  const rows = yield* query(
    db.selectFrom("highlight").selectAll().where("id", "in", ids).where("is_inactive", "=", 0),
  );
  const found: SearchSourceText[] = [];
  for (const row of rows) {
    const origin = yield* originOf(row);
    found.push({
      kind: "highlight",
      itemId: row.id,
      title: row.label ?? "",
      body: row.content,
      ...origin,
      createdAt: row.created_at,
    });
  }
  return found;
}

function* readTasks(ids: string[]): DatabaseWork<readonly SearchSourceText[]> {
  const rows = yield* query(
    db
      .selectFrom("task")
      .select(["id", "title", "summary", "description", "created_at", "source_type", "source_id"])
      .where("id", "in", ids)
      .where("is_inactive", "=", 0),
  );
  const found: SearchSourceText[] = [];
  for (const row of rows) {
    const origin = yield* originOf({ ...row, conversation_id: null, message_id: null });
    const body = [row.summary, row.description].filter((text) => text !== null).join("\n\n");
    found.push({
      kind: "task",
      itemId: row.id,
      title: row.title,
      body,
      ...origin,
      createdAt: row.created_at,
    });
  }
  return found;
}

function* readDecisions(ids: string[]): DatabaseWork<readonly SearchSourceText[]> {
  const rows = yield* query(
    db.selectFrom("decision").selectAll().where("id", "in", ids).where("is_inactive", "=", 0),
  );
  const found: SearchSourceText[] = [];
  for (const row of rows) {
    const origin = yield* originOf(row);
    found.push({
      kind: "decision",
      itemId: row.id,
      title: row.title,
      body: row.content,
      ...origin,
      createdAt: row.created_at,
    });
  }
  return found;
}

function* readArtifacts(ids: string[]): DatabaseWork<readonly SearchSourceText[]> {
  const rows = yield* query(
    db
      .selectFrom("artifact")
      .select(["id", "path", "media_type", "created_at", "body"])
      .where("id", "in", ids)
      .where("is_archived", "=", 0)
      .where("state", "<>", "superseded"),
  );
  return rows
    .filter((row) => /^text\/|json|xml|yaml|markdown|mermaid/i.test(row.media_type))
    .map((row) => ({
      kind: "artifact",
      itemId: row.id,
      title: row.path,
      body: row.body ?? "",
      conversationId: null,
      messageId: null,
      createdAt: row.created_at,
    }));
}

interface Sourced {
  readonly conversation_id: string | null;
  readonly message_id: string | null;
  readonly source_type: SourceType | null;
  readonly source_id: string | null;
}

type Origin = Pick<SearchSourceText, "conversationId" | "messageId">;

/** A redaction of the message reaches what was drawn from it, also by way of a highlight. */
export function* originOf(row: Sourced): DatabaseWork<Origin> {
  const own = { conversationId: row.conversation_id, messageId: row.message_id };
  if (own.messageId !== null || row.source_id === null) return own;
  switch (row.source_type) {
    case "conversation":
      return { conversationId: own.conversationId ?? row.source_id, messageId: null };
    case "message":
      return (yield* messageOrigin(row.source_id)) ?? own;
    case "highlight": {
      const [highlight] = yield* query(
        db
          .selectFrom("highlight")
          .select(["conversation_id", "message_id", "source_type", "source_id"])
          .where("id", "=", row.source_id),
      );
      return highlight === undefined ? own : yield* originOf(highlight);
    }
    default:
      return own;
  }
}

function* messageOrigin(messageId: string): DatabaseWork<Origin | undefined> {
  const [message] = yield* query(
    db.selectFrom("message").select("conversation_id").where("id", "=", messageId),
  );
  return message && { conversationId: message.conversation_id, messageId };
}
