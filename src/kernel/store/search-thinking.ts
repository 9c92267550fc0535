/**
 * Search over all thinking: every word must occur, the last one may be unfinished.
 *
 * Redactions hold here too: what is redacted, and what was drawn from it, is not found; a passage that is
 * redacted shows as a mark, and a word that stands only inside it does not count.
 */

import { type Expression, type SqlBool, sql } from "kysely";
import { ProductError } from "../base/errors.ts";
import type { Json } from "../base/json.ts";
import { type DatabaseWork, query } from "./database-work.ts";
import { SEARCH_KINDS, type SearchKind } from "./noun-tables.ts";
import { MAX_PAGE } from "./page.ts";
import { db } from "./query-builder.ts";
import {
  isIdle,
  loadRedactionScope,
  maskDrawn,
  maskMessage,
  type RedactionScope,
} from "./redaction-scope.ts";
import { listHitPlaces } from "./search-hit-places.ts";
import { countPending } from "./search-index.ts";
import { makeSnippet, type Snippet } from "./search-snippet.ts";
import { listSearchSources, type SearchSourceText } from "./search-sources.ts";
import { matches, parseSearch, type SearchQuery, termsOf } from "./search-terms.ts";
import type { Dialect } from "./store.ts";
import {
  seesArtifact,
  seesConversation,
  seesDecision,
  seesHighlight,
  seesTask,
  type Viewer,
} from "./visibility.ts";
import { findHiddenArtifacts } from "./withheld-sources.ts";

export interface SearchRequest {
  readonly viewer: Viewer;
  readonly text: string;
  readonly kinds?: readonly SearchKind[] | undefined;
  /** Only within these; their redactions hold. Without, everything the viewer sees and every redaction. */
  readonly projectIds?: readonly string[] | undefined;
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
}

export interface SearchHit {
  readonly kind: SearchKind;
  readonly id: string;
  readonly title: string;
  readonly snippet: Snippet;
  readonly projectId: string | undefined;
  readonly conversationId: string | undefined;
  readonly createdAt: number;
  /** Higher is better; comparable within one answer only. */
  readonly score: number;
}

export interface SearchPage {
  readonly hits: readonly SearchHit[];
  readonly nextCursor?: string;
  /** Changes the index has not caught up with; see `refreshSearch`. */
  readonly pending: number;
}

export function* searchThinking(
  dialect: Dialect,
  request: SearchRequest,
): DatabaseWork<SearchPage> {
  const { limit = 20, projectIds } = request;
  if (!Number.isInteger(limit) || limit < 1 || limit > MAX_PAGE) {
    throw new ProductError("page_limit", `A page holds 1 to ${MAX_PAGE} items, not ${limit}.`);
  }
  const wanted = parseSearch(request.text);
  const scope = yield* loadRedactionScope(projectIds);
  const hits: SearchHit[] = [];
  let offset = parseOffset(request.cursor);
  let isOver = false;
  while (hits.length < limit && !isOver) {
    const found = yield* findEntries(dialect, wanted, request, offset, limit + 1);
    const shown = yield* showEntries(found, wanted, scope, request);
    for (const [i, hit] of shown.entries()) {
      if (hits.length === limit) break;
      offset += 1;
      if (hit !== undefined) hits.push(hit);
      isOver = i === found.length - 1 && found.length <= limit;
    }
    if (found.length === 0) isOver = true;
  }
  const pending = yield* countPending();
  return isOver ? { hits, pending } : { hits, pending, nextCursor: `${offset}` };
}

interface Entry {
  readonly id: number;
  readonly kind: SearchKind;
  readonly item_id: string;
  readonly score: number;
}

function* findEntries(
  dialect: Dialect,
  wanted: SearchQuery,
  { viewer, kinds = SEARCH_KINDS, projectIds }: SearchRequest,
  offset: number,
  count: number,
): DatabaseWork<readonly Entry[]> {
  return yield* query(
    db
      .selectFrom("search_entry")
      .innerJoin(matching(dialect, wanted), "found.entry_id", "search_entry.id")
      .select(["search_entry.id", "search_entry.kind", "search_entry.item_id", "found.score"])
      .where((where) => where.or(kinds.map((kind) => isShown(kind, viewer, projectIds))))
      .where(notRedacted(projectIds))
      .orderBy("found.score", "desc")
      .orderBy("search_entry.created_at", "desc")
      .orderBy("search_entry.id", "desc")
      .limit(count)
      .offset(offset),
  );
}

function matching(dialect: Dialect, { words, prefix }: SearchQuery) {
  const found =
    dialect === "sqlite"
      ? sql<{ entry_id: number; score: number }>`(
          select rowid as entry_id, -bm25(search_document, 4.0, 1.0) as score
          from search_document where search_document match ${ftsQuery(words, prefix)})`
      : sql<{ entry_id: number; score: number }>`(
          select entry_id, max(ts_rank(words, ${textQuery(words, prefix)}::tsquery)) as score
          from search_document where words @@ ${textQuery(words, prefix)}::tsquery group by entry_id)`;
  return found.as<"found">("found");
}

/** Terms are letters and digits only, so quoting them is enough. */
function ftsQuery(words: readonly string[], prefix: string | undefined): string {
  const parts = words.map((word) => `"${word}"`);
  return [...parts, ...(prefix === undefined ? [] : [`"${prefix}"*`])].join(" AND ");
}

function textQuery(words: readonly string[], prefix: string | undefined): string {
  const parts = words.map((word) => `'${word}'`);
  return [...parts, ...(prefix === undefined ? [] : [`'${prefix}':*`])].join(" & ");
}

interface ShownBy {
  /** The table whose row decides, and the entry's column that names it. */
  readonly table: string;
  readonly entryColumn: "item_id" | "conversation_id";
  readonly inactive: "is_inactive" | "is_archived";
  readonly sees: (viewer: Viewer) => Expression<SqlBool>;
  readonly projects: { readonly table: string; readonly column: string };
}

const LINKS = { table: "conversation_project", column: "conversation_id" };
const THOUGHTS = { table: "project_thought", column: "thought_id" };
const ACTIVE = { entryColumn: "item_id", inactive: "is_inactive" } as const;
const TALK = {
  table: "conversation",
  entryColumn: "conversation_id",
  inactive: "is_inactive",
  sees: seesConversation,
  projects: LINKS,
} as const;

const SHOWN_BY: Readonly<Record<SearchKind, ShownBy>> = {
  conversation: TALK,
  message: TALK,
  highlight: { ...ACTIVE, table: "highlight", sees: seesHighlight, projects: THOUGHTS },
  decision: { ...ACTIVE, table: "decision", sees: seesDecision, projects: THOUGHTS },
  task: { ...ACTIVE, table: "task", sees: seesTask, projects: { table: "task", column: "id" } },
  artifact: {
    table: "artifact",
    entryColumn: "item_id",
    inactive: "is_archived",
    sees: seesArtifact,
    projects: { table: "artifact", column: "id" },
  },
};

/** Looks each candidate up by its id, so that the cost follows the number of matches, not of things. */
function isShown(
  kind: SearchKind,
  viewer: Viewer,
  projectIds: readonly string[] | undefined,
): Expression<SqlBool> {
  const { table, entryColumn, inactive, sees, projects } = SHOWN_BY[kind];
  const id = sql.ref(`search_entry.${entryColumn}`);
  const inProjects =
    projectIds === undefined
      ? sql`1 = 1`
      : sql`exists (select 1 from ${sql.table(projects.table)} as p
          where ${sql.ref(`p.${projects.column}`)} = ${id} and p.project_id in (${listOf(projectIds)}))`;
  return sql`${sql.ref("search_entry.kind")} = ${kind} and exists (select 1 from ${sql.table(table)}
    where ${sql.ref(`${table}.id`)} = ${id} and ${sql.ref(`${table}.${inactive}`)} = 0 and ${sees(viewer)})
    and ${inProjects}`;
}

function listOf(ids: readonly string[]) {
  return sql.join(ids.length === 0 ? [""] : [...ids]);
}

function notRedacted(projectIds: readonly string[] | undefined): Expression<SqlBool> {
  const scope = projectIds === undefined ? sql`` : sql`and r.project_id in (${listOf(projectIds)})`;
  return sql`not exists (select 1 from redaction r
    where r.kind = 'conversation' and r.conversation_id = ${sql.ref("search_entry.conversation_id")} ${scope})
    and not exists (select 1 from redaction r
    where r.kind = 'message' and r.message_id = ${sql.ref("search_entry.message_id")} ${scope})`;
}

/** Undefined for an entry that no longer matches once redacted passages are taken out. */
function* showEntries(
  entries: readonly Entry[],
  wanted: SearchQuery,
  scope: RedactionScope,
  request: SearchRequest,
): DatabaseWork<readonly (SearchHit | undefined)[]> {
  const sources = new Map<string, SearchSourceText>();
  for (const source of yield* listSearchSources(entries)) {
    sources.set(`${source.kind} ${source.itemId}`, source);
  }
  const places = yield* listHitPlaces([...sources.values()], request);
  const hidden = yield* hiddenArtifacts(entries, scope);
  return entries.map(({ kind, item_id: id, score }) => {
    const source = sources.get(`${kind} ${id}`);
    if (source === undefined || (kind === "artifact" && hidden.has(id))) return undefined;
    const title = maskDrawn(scope, source, source.title);
    const body =
      kind === "message"
        ? maskMessage(scope, id, source.body)
        : maskDrawn(scope, source, source.body);
    if (!matches([...termsOf(title), ...termsOf(body)], wanted)) return undefined;
    const place = places.get(`${kind} ${id}`);
    return {
      kind,
      id,
      title: kind === "message" ? maskDrawn(scope, source, place?.conversationTitle ?? "") : title,
      snippet: makeSnippet(body === "" ? title : body, wanted),
      projectId: place?.projectId,
      conversationId: source.conversationId ?? undefined,
      createdAt: source.createdAt,
      score,
    };
  });
}

/** Those that tell of something that may not be shown. */
function* hiddenArtifacts(
  entries: readonly Entry[],
  scope: RedactionScope,
): DatabaseWork<ReadonlySet<string>> {
  const ids = entries.flatMap(({ kind, item_id }) => (kind === "artifact" ? [item_id] : []));
  if (ids.length === 0 || isIdle(scope)) return new Set();
  const rows = yield* query(
    db.selectFrom("artifact").select(["id", "inputs"]).where("id", "in", ids),
  );
  return yield* findHiddenArtifacts(
    rows.map(({ id, inputs }) => ({ id, inputs: JSON.parse(inputs) as readonly Json[] })),
    scope,
  );
}

function parseOffset(cursor: string | undefined): number {
  if (cursor === undefined) return 0;
  if (/^\d{1,9}$/.test(cursor)) return Number(cursor);
  throw new ProductError("cursor_invalid", `"${cursor}" is not a place in this list.`, {
    hint: "Leave it out to read from the beginning, or use the cursor the last page came with.",
  });
}
