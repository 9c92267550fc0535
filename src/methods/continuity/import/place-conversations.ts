/** What an import would do to the store: reads what is there of each conversation and places what is new. Writes nothing. */

import { ProductError } from "../../../kernel/base/errors.ts";
import { hashText } from "../../../kernel/base/hash.ts";
import type { Caller } from "../../../kernel/operation/caller.ts";
import { requireRight } from "../../../kernel/operation/project-rights.ts";
import { listProjectsOfConversation } from "../../../kernel/store/conversation-links.ts";
import { type DatabaseWork, runSql } from "../../../kernel/store/database-work.ts";
import { findProject } from "../../../kernel/store/projects.ts";
import { sqlOverRows } from "../../../kernel/store/sql-text.ts";
import type { ImportedConversation } from "./imported-conversation.ts";
import { type FamilyDraft, type PlacedThreads, placeThreads } from "./place-threads.ts";

export interface PlacedConversation extends PlacedThreads {
  readonly conversation: ImportedConversation;
  /** Undefined when none of its messages could be stored. */
  readonly mainId: string | undefined;
  /** The conversation was not there before this batch. */
  readonly isNew: boolean;
  /** What its id at the source is here: another's copy of the same conversation is not ours to add to. */
  readonly sourceId: string;
  /** Threads that were there, the visible one first. */
  readonly threads: readonly StoredThread[];
  /** The visible thread's title, where it is still the one that was imported. */
  readonly isTitleOurs: boolean;
}

export interface StoredThread {
  readonly id: string;
  readonly title: string;
  readonly isBranch: boolean;
}

export interface PlaceContext {
  readonly caller: Caller;
  readonly nextId: () => string;
}

export function* placeConversations(
  conversations: readonly ImportedConversation[],
  context: PlaceContext,
): DatabaseWork<readonly PlacedConversation[]> {
  const families = yield* loadFamilies(conversations, context.caller);
  return conversations.map((conversation) => {
    const family = families.get(keyOf(conversation));
    if (family === undefined) throw new TypeError(`${conversation.id} was not looked up.`);
    const isNew = family.draft.main === undefined;
    const placed = placeThreads(conversation.threads, family.draft, context.nextId);
    const { threads, sourceId, isTitleOurs } = family;
    return {
      conversation,
      ...placed,
      mainId: family.draft.main,
      isNew,
      sourceId,
      threads,
      isTitleOurs,
    };
  });
}

interface Family {
  readonly draft: FamilyDraft;
  readonly sourceId: string;
  readonly threads: readonly StoredThread[];
  readonly isTitleOurs: boolean;
}

interface ThreadRow {
  readonly source: string;
  readonly family: string;
  readonly id: string;
  readonly title: string;
  readonly created_by: string;
  readonly is_branch: number | null;
  readonly title_hash: string | null;
  readonly last: number | null;
}

interface MessageRow {
  readonly conversation_id: string;
  readonly source_id: string;
  readonly position: number;
  readonly content: string;
}

function* loadFamilies(
  conversations: readonly ImportedConversation[],
  caller: Caller,
): DatabaseWork<ReadonlyMap<string, Family>> {
  const wanted = new Map(conversations.map((each) => [keyOf(each), each]));
  const rows = yield* runSql<ThreadRow>(LIST_THREADS, [
    JSON.stringify([...wanted.values()].map(({ source, id }) => ({ source, family: id }))),
  ]);
  const byFamily = Map.groupBy(rows, ({ source, family }) => `${source} ${family}`);
  const families = new Map<string, Family>();
  for (const [key, { id }] of wanted) {
    const all = byFamily.get(key) ?? [];
    const ours = yield* ownThreads(all, caller);
    families.set(key, toFamily(ours, sourceIdFor(id, all, ours, caller)));
  }
  yield* loadMessages(conversations, families);
  return families;
}

/**
 * The threads this import may add to: one's own, else those in a project in which one may edit. What somebody else
 * imported for themselves is neither shown nor touched.
 */
function* ownThreads(
  rows: readonly ThreadRow[],
  caller: Caller,
): DatabaseWork<readonly ThreadRow[]> {
  const own = rows.filter((row) => row.created_by === caller.userId);
  if (own.length > 0) return own;
  const shared: ThreadRow[] = [];
  for (const row of rows) if (yield* mayEdit(row.id, caller)) shared.push(row);
  const makers = new Set(shared.map((row) => row.created_by));
  return makers.size > 1
    ? shared.filter((row) => row.created_by === shared[0]?.created_by)
    : shared;
}

function* mayEdit(conversationId: string, caller: Caller): DatabaseWork<boolean> {
  for (const projectId of yield* listProjectsOfConversation(conversationId)) {
    if ((yield* findProject(projectId, caller)) === undefined) continue;
    try {
      yield* requireRight(caller, projectId, "edit");
      return true;
    } catch (error) {
      if (!(error instanceof ProductError) || error.kind !== "not_allowed") throw error;
    }
  }
  return false;
}

function toFamily(rows: readonly ThreadRow[], sourceId: string): Family {
  const ordered = rows.toSorted((a, b) => (a.is_branch ?? 0) - (b.is_branch ?? 0));
  const main = ordered.find((row) => row.is_branch !== 1) ?? ordered[0];
  return {
    draft: {
      main: main?.id,
      known: new Map(),
      last: new Map(rows.map((row) => [row.id, row.last ?? 0])),
    },
    sourceId,
    threads: ordered.map(({ id, title, is_branch }) => ({ id, title, isBranch: is_branch === 1 })),
    isTitleOurs: main !== undefined && main.title_hash === hashText(main.title),
  };
}

/** Ids at the source are unique in the store; a second copy for somebody else carries whose it is. */
function sourceIdFor(
  id: string,
  all: readonly ThreadRow[],
  ours: readonly ThreadRow[],
  caller: Caller,
): string {
  return all.length > 0 && ours.length === 0 ? `${id}@${caller.userId}` : id;
}

/** Only of families that are there; most of an import is new. */
function* loadMessages(
  conversations: readonly ImportedConversation[],
  families: ReadonlyMap<string, Family>,
): DatabaseWork<void> {
  const owners = new Map<string, Family>();
  const sought: { conversation_id: string; source_id: string }[] = [];
  for (const conversation of conversations) {
    const family = families.get(keyOf(conversation));
    for (const { id } of family?.threads ?? []) {
      if (family === undefined) continue;
      owners.set(id, family);
      for (const source_id of messageIds(conversation))
        sought.push({ conversation_id: id, source_id });
    }
  }
  if (sought.length === 0) return;
  const rows = yield* runSql<MessageRow>(LIST_MESSAGES, [JSON.stringify(sought)]);
  for (const { conversation_id, source_id, position, content } of rows) {
    const stored = { conversationId: conversation_id, position, content };
    owners.get(conversation_id)?.draft.known.set(source_id, stored);
  }
}

function messageIds({ threads }: ImportedConversation): readonly string[] {
  return threads.flatMap(({ after, messages }) => [
    ...(after === undefined ? [] : [after]),
    ...messages.map(({ id }) => id),
  ]);
}

function keyOf({ source, id }: ImportedConversation): string {
  return `${source} ${id}`;
}

/** Also conversations that bear the source's id without having been imported: there is one place for each id. */
const LIST_THREADS = sqlOverRows(
  { source: "text", family: "text" },
  `with wanted as (select x.source, x.family from {rows}),
     found as (
       select w.source, w.family, i.conversation_id from wanted w
         join imported_conversation i on i.source = w.source and i.family = w.family
       union select w.source, w.family, c.id from wanted w
         join conversation c on c.source = w.source and c.source_id = w.family)
   select f.source, f.family, c.id, c.title, c.created_by, i.is_branch, i.title_hash,
     (select max(m.position) from message m where m.conversation_id = c.id) as last
   from found f join conversation c on c.id = f.conversation_id
     left join imported_conversation i on i.conversation_id = c.id
   order by c.id`,
);
const LIST_MESSAGES = sqlOverRows(
  { conversation_id: "text", source_id: "text" },
  `select m.conversation_id, m.source_id, m.position, m.content
   from {rows} join message m on m.conversation_id = x.conversation_id and m.source_id = x.source_id`,
);
