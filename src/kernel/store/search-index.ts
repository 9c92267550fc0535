/** Brings the search index up to what triggers noted as changed. Any process may do it; one at a time does. */

import { sql } from "kysely";
import type { Clock } from "../base/clock.ts";
import { type DatabaseWork, executeSql, query, runRows, runSql } from "./database-work.ts";
import { lockName } from "./lock-name.ts";
import { db } from "./query-builder.ts";
import { listSearchSources, type SearchSourceText } from "./search-sources.ts";
import { termsOf } from "./search-terms.ts";
import { insertText, sqlOverRows } from "./sql-text.ts";
import type { Dialect, Store } from "./store.ts";
import { textVectors } from "./text-vector.ts";

/** Indexes up to `limit` noted changes; gives how many it took. 0 means the index is up to date. */
export function* indexPending(dialect: Dialect, limit = 50): DatabaseWork<number> {
  yield* lockName("search index");
  const noted = yield* query(db.selectFrom("search_queue").selectAll().orderBy("id").limit(limit));
  if (noted.length === 0) return 0;
  const items = new Map(
    noted.map(({ kind, item_id }) => [`${kind} ${item_id}`, { kind, item_id }]),
  );
  yield* executeSql(DELETE_NOTED, [JSON.stringify(noted.map(({ id }) => ({ id })))]);
  yield* removeEntries([...items.values()]);
  const sources = yield* listSearchSources([...items.values()]);
  if (sources.length > 0) yield* insertEntries(dialect, sources);
  return noted.length;
}

export function* countPending(): DatabaseWork<number> {
  const [row] = yield* query(db.selectFrom("search_queue").select(sql<number>`count(*)`.as("n")));
  return row?.n ?? 0;
}

/** Catches up for as long as allowed; false when something is still left. */
export async function refreshSearch(
  store: Store,
  { clock, budgetMs }: { readonly clock: Clock; readonly budgetMs: number },
): Promise<boolean> {
  // Looking first keeps searches from taking the write lock when there is nothing to do.
  if ((await store.read(countPending)) === 0) return true;
  const deadline = clock.elapsed() + budgetMs;
  for (;;) {
    if ((await store.write(() => indexPending(store.dialect))) === 0) return true;
    if (clock.elapsed() > deadline) return false;
  }
}

interface Item {
  readonly kind: string;
  readonly item_id: string;
}

function* removeEntries(items: readonly Item[]): DatabaseWork<void> {
  const entries = yield* runSql<{ id: number }>(LIST_ENTRIES, [JSON.stringify(items)]);
  if (entries.length === 0) return;
  const ids = JSON.stringify(entries.map(({ id }) => ({ id })));
  yield* executeSql(DELETE_DOCUMENTS, [ids]);
  yield* executeSql(DELETE_ENTRIES, [ids]);
}

function* insertEntries(
  dialect: Dialect,
  sources: readonly SearchSourceText[],
): DatabaseWork<void> {
  const rows = sources.map((source) => ({
    kind: source.kind,
    item_id: source.itemId,
    conversation_id: source.conversationId,
    message_id: source.messageId,
    created_at: source.createdAt,
  }));
  const inserted = yield* runRows<Item & { id: number }>(INSERT_ENTRIES, rows);
  const ids = new Map(inserted.map(({ kind, item_id, id }) => [`${kind} ${item_id}`, id]));
  const documents: object[] = [];
  for (const source of sources) {
    const entry_id = ids.get(`${source.kind} ${source.itemId}`);
    const title = termsOf(source.title);
    const body = termsOf(source.body);
    if (dialect === "sqlite") {
      documents.push({ entry_id, title: title.join(" "), body: body.join(" ") });
    } else {
      for (const words of textVectors(title, body)) documents.push({ entry_id, words });
    }
  }
  yield* executeSql(INSERT_DOCUMENTS, [JSON.stringify(documents)]);
}

const DELETE_NOTED = sqlOverRows(
  { id: "int" },
  "delete from search_queue where id in (select id from {rows})",
);
const LIST_ENTRIES = sqlOverRows(
  { kind: "text", item_id: "text" },
  "select e.id from {rows} join search_entry e on e.kind = x.kind and e.item_id = x.item_id",
);
const DELETE_ENTRIES = sqlOverRows(
  { id: "int" },
  "delete from search_entry where id in (select id from {rows})",
);
const DELETE_DOCUMENTS = {
  sqlite: sqlOverRows(
    { id: "int" },
    "delete from search_document where rowid in (select id from {rows})",
  ).sqlite,
  postgres: sqlOverRows(
    { id: "int" },
    "delete from search_document where entry_id in (select id from {rows})",
  ).postgres,
};
const INSERT_ENTRIES = insertText(
  "search_entry",
  {
    kind: "text",
    item_id: "text",
    conversation_id: "text",
    message_id: "text",
    created_at: "int",
  },
  "returning id, kind, item_id",
);
const INSERT_DOCUMENTS = {
  sqlite: sqlOverRows(
    { entry_id: "int", title: "text", body: "text" },
    "insert into search_document (rowid, title, body) select entry_id, title, body from {rows}",
  ).sqlite,
  postgres: sqlOverRows(
    { entry_id: "int", words: "text" },
    "insert into search_document (entry_id, words) select entry_id, words::tsvector from {rows}",
  ).postgres,
};
