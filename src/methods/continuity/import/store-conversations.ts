/** Writes what an import brings, many conversations at a time: all of a batch or nothing of it. */

import { hashText } from "../../../kernel/base/hash.ts";
import type { JsonObject } from "../../../kernel/base/json.ts";
import { type Act, insertManyAudited } from "../../../kernel/store/audited-rows.ts";
import { toJsonText } from "../../../kernel/store/cells.ts";
import { CONVERSATION_LINKS, linkConversation } from "../../../kernel/store/conversation-links.ts";
import { CONVERSATIONS, updateConversation } from "../../../kernel/store/conversations.ts";
import { type DatabaseWork, query, writeRows } from "../../../kernel/store/database-work.ts";
import { lockName } from "../../../kernel/store/lock-name.ts";
import {
  appendMessages,
  insertFirstMessages,
  type NewMessage,
} from "../../../kernel/store/messages.ts";
import { db } from "../../../kernel/store/query-builder.ts";
import { insertRedaction } from "../../../kernel/store/redactions.ts";
import { insertText, sqlForRows } from "../../../kernel/store/sql-text.ts";
import type { ItemOutcome } from "./import-tables.ts";
import type { ImportedConversation } from "./imported-conversation.ts";
import {
  type PlaceContext,
  type PlacedConversation,
  placeConversations,
} from "./place-conversations.ts";
import type { PlacedMessage, Placement } from "./place-threads.ts";

export interface StoreContext extends PlaceContext {
  readonly act: Act;
  readonly importId: string;
  readonly projectId: string | undefined;
}

export function* storeConversations(
  conversations: readonly ImportedConversation[],
  context: StoreContext,
): DatabaseWork<readonly PlacedConversation[]> {
  // One import at a time: two that bring the same conversation must not both find it missing.
  yield* lockName("import");
  const placed = yield* placeConversations(conversations, context);
  const fresh = freshOf(placed);
  const digests = digestsOf(placed);
  yield* insertFresh([...fresh.values()], digests, context);
  const grown = yield* extendStored(placed, fresh, context);
  yield* hideBranches([...fresh.values()], context);
  for (const each of placed) {
    yield* renewTitle(each, context);
    yield* linkStored(each, context);
  }
  yield* writeRows(
    REMEMBER_DIGEST,
    [...digests.values()].filter(({ conversation_id }) => !fresh.has(conversation_id)),
  );
  yield* writeRows(COUNT_ITEM, itemsOf(placed, fresh, grown, context.importId));
  return placed;
}

/** A conversation that begins in this batch, with all the batch has of it. */
interface FreshConversation {
  readonly id: string;
  readonly from: PlacedConversation;
  readonly placement: Placement;
  readonly messages: PlacedMessage[];
}

function freshOf(placed: readonly PlacedConversation[]): ReadonlyMap<string, FreshConversation> {
  const fresh = new Map<string, FreshConversation>();
  for (const from of placed) {
    for (const placement of from.placements) {
      const { conversationId: id, begins, messages } = placement;
      if (begins !== undefined) fresh.set(id, { id, from, placement, messages: [...messages] });
      else fresh.get(id)?.messages.push(...messages);
    }
  }
  return fresh;
}

function* insertFresh(
  fresh: readonly FreshConversation[],
  digests: ReadonlyMap<string, Remembered>,
  context: StoreContext,
): DatabaseWork<void> {
  const { act, nextId } = context;
  const projectId = context.projectId ?? null;
  if (fresh.length === 0) return;
  const place = { projectId };
  const rows = fresh.map((each) => ({ row: toRow(each, act), place }));
  yield* insertManyAudited(CONVERSATIONS, rows, act);
  const said = fresh.flatMap(({ id, messages }) =>
    messages.map((message) => ({ ...toNewMessage(message, nextId), conversationId: id })),
  );
  yield* insertFirstMessages(said, act);
  yield* writeRows(
    INSERT_IMPORTED,
    fresh.map(({ id, from: { conversation }, placement }) => ({
      conversation_id: id,
      source: conversation.source,
      family: conversation.id,
      is_branch: placement.begins === "branch" ? 1 : 0,
      title_hash: hashText(titleOf(conversation, placement)),
      digest: digests.get(id)?.digest ?? null,
    })),
  );
  if (projectId === null) return;
  const links = rows.map(({ row }) => ({
    row: {
      conversation_id: row.id,
      project_id: projectId,
      started_at: row.started_at,
      created_at: act.now,
    },
    place: { projectId, verb: "linked" },
  }));
  yield* insertManyAudited(CONVERSATION_LINKS, links, act);
}

function toRow({ id, from, placement, messages }: FreshConversation, act: Act) {
  const { conversation, sourceId } = from;
  const isBranch = placement.begins === "branch";
  const first = messages[0]?.message;
  const startedAt = isBranch ? (first?.at ?? conversation.startedAt) : conversation.startedAt;
  return {
    id,
    title: titleOf(conversation, placement),
    source: conversation.source,
    source_id: isBranch ? `${sourceId}#${first?.id ?? id}` : sourceId,
    details: toJsonText(detailsOf(from, placement)),
    is_inactive: 0,
    message_count: messages.length,
    started_at: startedAt ?? act.now,
    created_by: act.actor,
    version: 1,
    created_at: act.now,
    updated_at: act.now,
  };
}

function titleOf({ title }: ImportedConversation, { begins }: Placement): string {
  return begins === "branch" ? `${title} – another branch` : title;
}

function detailsOf({ conversation, mainId }: PlacedConversation, placement: Placement): JsonObject {
  if (placement.begins !== "branch") return conversation.details;
  return {
    ...conversation.details,
    ...(mainId === undefined ? {} : { branchOf: mainId }),
    ...(placement.after === undefined ? {} : { leavesAfter: placement.after }),
  };
}

/** How many messages each conversation that was there got. */
function* extendStored(
  placed: readonly PlacedConversation[],
  fresh: ReadonlyMap<string, FreshConversation>,
  { act, nextId }: StoreContext,
): DatabaseWork<ReadonlyMap<string, number>> {
  const grown = new Map<string, number>();
  for (const { placements } of placed) {
    for (const { conversationId, messages } of placements) {
      if (fresh.has(conversationId)) continue;
      const added = yield* appendMessages(
        conversationId,
        messages.map((message) => toNewMessage(message, nextId)),
        act,
      );
      grown.set(conversationId, (grown.get(conversationId) ?? 0) + added.length);
    }
  }
  return grown;
}

function toNewMessage({ message, position }: PlacedMessage, nextId: () => string): NewMessage {
  const { id: sourceId, role, content, at } = message;
  return { id: nextId(), role, position, content, at, sourceId };
}

/** Where a project may not show a conversation, it may not show a branch of it either. */
function* hideBranches(
  fresh: readonly FreshConversation[],
  { act, nextId }: StoreContext,
): DatabaseWork<void> {
  for (const { id, from, placement } of fresh) {
    const [main] = from.threads;
    if (placement.begins !== "branch" || main === undefined) continue;
    const hidden = yield* query(
      db
        .selectFrom("redaction")
        .select(["project_id", "reason"])
        .where("conversation_id", "=", main.id)
        .where("kind", "=", "conversation"),
    );
    for (const { project_id: projectId, reason } of hidden) {
      yield* insertRedaction({ id: nextId(), projectId, conversationId: id, reason }, act);
    }
  }
}

function* renewTitle(
  { conversation, mainId, isNew, isTitleOurs, threads }: PlacedConversation,
  { act }: StoreContext,
): DatabaseWork<void> {
  const { title } = conversation;
  const main = threads.find(({ id }) => id === mainId);
  if (isNew || main === undefined || !isTitleOurs || main.title === title) return;
  yield* updateConversation(main.id, { title }, act);
  yield* writeRows(REMEMBER_TITLE, [{ conversation_id: main.id, title_hash: hashText(title) }]);
}

function* linkStored(
  { threads }: PlacedConversation,
  { act, projectId }: StoreContext,
): DatabaseWork<void> {
  if (projectId === undefined) return;
  for (const { id } of threads) yield* linkConversation(id, projectId, act);
}

interface Remembered {
  readonly conversation_id: string;
  readonly source: string;
  readonly family: string;
  readonly is_branch: number;
  readonly title_hash: string;
  readonly digest: string;
}

function digestsOf(placed: readonly PlacedConversation[]): ReadonlyMap<string, Remembered> {
  const digests = new Map<string, Remembered>();
  for (const { conversation, mainId } of placed) {
    const { source, id: family, digest, title } = conversation;
    if (mainId === undefined || digest === undefined) continue;
    const row = { conversation_id: mainId, source, family, is_branch: 0, digest };
    digests.set(mainId, { ...row, title_hash: hashText(title) });
  }
  return digests;
}

interface Item {
  readonly import_id: string;
  readonly conversation_id: string;
  readonly outcome: ItemOutcome;
  readonly messages_added: number;
  readonly messages_edited: number;
}

function itemsOf(
  placed: readonly PlacedConversation[],
  fresh: ReadonlyMap<string, FreshConversation>,
  grown: ReadonlyMap<string, number>,
  importId: string,
): readonly Item[] {
  const items = new Map<string, Item>();
  const count = (id: string, outcome: ItemOutcome, added: number, edited: number) => {
    const before = items.get(id);
    items.set(id, {
      import_id: importId,
      conversation_id: id,
      outcome: before?.outcome ?? outcome,
      messages_added: (before?.messages_added ?? 0) + added,
      messages_edited: (before?.messages_edited ?? 0) + edited,
    });
  };
  for (const { id, messages } of fresh.values()) count(id, "added", messages.length, 0);
  for (const [id, added] of grown) count(id, "extended", added, 0);
  for (const { mainId, edited } of placed) {
    if (mainId !== undefined && edited.length > 0) count(mainId, "edited", 0, edited.length);
  }
  return [...items.values()];
}

const IMPORTED_COLUMNS = {
  conversation_id: "text",
  source: "text",
  family: "text",
  is_branch: "int",
  title_hash: "text",
  digest: "text",
} as const;
const INSERT_IMPORTED = insertText("imported_conversation", IMPORTED_COLUMNS);
const REMEMBER_DIGEST = insertText(
  "imported_conversation",
  IMPORTED_COLUMNS,
  "on conflict (conversation_id) do update set digest = excluded.digest",
);
const REMEMBER_TITLE = sqlForRows(
  { conversation_id: "text", title_hash: "text" },
  "update imported_conversation set title_hash = x.title_hash from {rows} where imported_conversation.conversation_id = x.conversation_id",
);
const COUNT_ITEM = insertText(
  "import_item",
  {
    import_id: "text",
    conversation_id: "text",
    outcome: "text",
    messages_added: "int",
    messages_edited: "int",
  },
  `on conflict (import_id, conversation_id) do update set
     messages_added = import_item.messages_added + excluded.messages_added,
     messages_edited = import_item.messages_edited + excluded.messages_edited`,
);
