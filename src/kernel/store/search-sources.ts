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
  const origins = yield* originsOf(rows);
  return rows.map((row, i) => ({
    kind: "highlight",
    itemId: row.id,
    title: row.label ?? "",
    body: row.content,
    ...(origins[i] ?? NOWHERE),
    createdAt: row.created_at,
  }));
}

function* readTasks(ids: string[]): DatabaseWork<readonly SearchSourceText[]> {
  const rows = yield* query(
    db
      .selectFrom("task")
      .select(["id", "title", "summary", "description", "created_at", "source_type", "source_id"])
      .where("id", "in", ids)
      .where("is_inactive", "=", 0),
  );
  const origins = yield* originsOf(
    rows.map((row) => ({ ...row, conversation_id: null, message_id: null })),
  );
  return rows.map((row, i) => ({
    kind: "task",
    itemId: row.id,
    title: row.title,
    body: [row.summary, row.description].filter((text) => text !== null).join("\n\n"),
    ...(origins[i] ?? NOWHERE),
    createdAt: row.created_at,
  }));
}

function* readDecisions(ids: string[]): DatabaseWork<readonly SearchSourceText[]> {
  const rows = yield* query(
    db.selectFrom("decision").selectAll().where("id", "in", ids).where("is_inactive", "=", 0),
  );
  const origins = yield* originsOf(rows);
  return rows.map((row, i) => ({
    kind: "decision",
    itemId: row.id,
    title: row.title,
    body: row.content,
    ...(origins[i] ?? NOWHERE),
    createdAt: row.created_at,
  }));
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
  const [origin] = yield* originsOf([row]);
  return origin ?? ownOrigin(row);
}

/** For each row where it was drawn from; a query or two for all of them together. */
export function* originsOf(rows: readonly Sourced[]): DatabaseWork<readonly Origin[]> {
  const messages = yield* findMessageOrigins(sourceIds(rows, "message"));
  const highlights = yield* findHighlightOrigins(sourceIds(rows, "highlight"));
  return rows.map((row) => {
    const own = ownOrigin(row);
    if (own.messageId !== null || row.source_id === null) return own;
    switch (row.source_type) {
      case "conversation":
        return { conversationId: own.conversationId ?? row.source_id, messageId: null };
      case "message":
        return messages.get(row.source_id) ?? own;
      case "highlight":
        return highlights.get(row.source_id) ?? own;
      default:
        return own;
    }
  });
}

function ownOrigin({ conversation_id, message_id }: Sourced): Origin {
  return { conversationId: conversation_id, messageId: message_id };
}

/** A row that stands in a message itself need not be followed. */
function sourceIds(rows: readonly Sourced[], type: SourceType): string[] {
  const ids = rows.flatMap(({ message_id, source_type, source_id }) =>
    message_id === null && source_type === type && source_id !== null ? [source_id] : [],
  );
  return [...new Set(ids)];
}

function* findMessageOrigins(ids: string[]): DatabaseWork<ReadonlyMap<string, Origin>> {
  if (ids.length === 0) return new Map();
  const rows = yield* query(
    db.selectFrom("message").select(["id", "conversation_id"]).where("id", "in", ids),
  );
  return new Map(
    rows.map(({ id, conversation_id }) => [id, { conversationId: conversation_id, messageId: id }]),
  );
}

function* findHighlightOrigins(ids: string[]): DatabaseWork<ReadonlyMap<string, Origin>> {
  if (ids.length === 0) return new Map();
  const rows = yield* query(
    db
      .selectFrom("highlight")
      .select(["id", "conversation_id", "message_id", "source_type", "source_id"])
      .where("id", "in", ids),
  );
  const origins = yield* originsOf(rows);
  return new Map(rows.map(({ id }, i) => [id, origins[i] ?? NOWHERE]));
}

const NOWHERE: Origin = { conversationId: null, messageId: null };
