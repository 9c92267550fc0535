/**
 * The thoughts that candidates are compared with: those of the project, as far as they may be seen. What was drawn
 * from redacted conversations and messages is left out, redacted passages are masked.
 */

import { type DatabaseWork, runSql, type SqlText } from "../../../kernel/store/database-work.ts";
import type { SourceType } from "../../../kernel/store/noun-tables.ts";
import {
  isRedacted,
  loadRedactionScope,
  maskDrawn,
  type RedactionScope,
} from "../../../kernel/store/redaction-scope.ts";
import { originsOf } from "../../../kernel/store/search-sources.ts";
import { sqlOverRows, sqlText } from "../../../kernel/store/sql-text.ts";
import type { Store } from "../../../kernel/store/store.ts";
import { contentTokens, type MatchingWords } from "./matching/content-tokens.ts";
import {
  type Existing,
  type ExistingRef,
  type MatchedCandidate,
  type PreparedThought,
  prepareThought,
} from "./matching/match-candidate.ts";
import { CANDIDATE_TYPES, type CandidateType } from "./reading/candidate-types.ts";

/** Without a project: what came of the same packet, or stands in the same conversation. */
export type MatchScope =
  | { readonly in: "project"; readonly id: string }
  | { readonly in: "packet"; readonly id: string }
  | { readonly in: "conversation"; readonly id: string };

export function matchScopeOf(harvest: {
  readonly projectId?: string | undefined;
  readonly packetId?: string | undefined;
  readonly conversationId?: string | undefined;
}): MatchScope {
  const { projectId, packetId, conversationId } = harvest;
  if (projectId !== undefined) return { in: "project", id: projectId };
  if (packetId !== undefined) return { in: "packet", id: packetId };
  return { in: "conversation", id: conversationId ?? "" };
}

/** Page by page, so that a large project keeps nobody waiting. Only those that share a word with a candidate. */
export async function gatherExisting(
  store: Store,
  scope: MatchScope,
  candidates: readonly MatchedCandidate[],
  words: MatchingWords,
): Promise<readonly PreparedThought[]> {
  const isNear = nearnessTo(candidates, words);
  const redactions = await store.read(() => loadRedactions(scope));
  const found: PreparedThought[] = [];
  for (const type of CANDIDATE_TYPES) {
    for (let place: Place | undefined = START; place !== undefined; ) {
      const after: Place = place;
      const page = await store.read(() => readPage(type, scope, redactions, after));
      found.push(...page.thoughts.map((thought) => prepareThought(thought, words)).filter(isNear));
      place = page.next;
    }
  }
  return found;
}

/** Those made since a moment: for a transaction, when the others were compared before it. */
export function* readMadeSince(
  scope: MatchScope,
  since: number,
  words: MatchingWords,
): DatabaseWork<readonly PreparedThought[]> {
  const redactions = yield* loadRedactions(scope);
  const found: PreparedThought[] = [];
  for (const type of CANDIDATE_TYPES) {
    for (let place: Place | undefined = { at: since - 1, id: LAST_ID }; place !== undefined; ) {
      const page: ThoughtPage = yield* readPage(type, scope, redactions, place);
      found.push(...page.thoughts.map((thought) => prepareThought(thought, words)));
      place = page.next;
    }
  }
  return found;
}

/** By id, as they may be shown in the project; without those that are gone or may not be seen. */
export function* readThoughts(
  refs: readonly ExistingRef[],
  projectId: string | undefined,
): DatabaseWork<ReadonlyMap<string, Existing>> {
  const redactions = yield* loadRedactionScope(projectId === undefined ? undefined : [projectId]);
  const found = new Map<string, Existing>();
  for (const type of CANDIDATE_TYPES) {
    const ids = [...new Set(refs.filter((ref) => ref.type === type).map(({ id }) => id))];
    if (ids.length === 0) continue;
    const rows = yield* runSql<ThoughtRow>(BY_ID[type], [
      JSON.stringify(ids.map((id) => ({ id }))),
    ]);
    for (const thought of yield* readable(type, rows, redactions)) found.set(thought.id, thought);
  }
  return found;
}

function* loadRedactions(scope: MatchScope): DatabaseWork<RedactionScope> {
  return yield* loadRedactionScope(scope.in === "project" ? [scope.id] : undefined);
}

interface Place {
  readonly at: number;
  readonly id: string;
}

const START: Place = { at: -1, id: "" };
/** Sorts behind every id. */
const LAST_ID = "z";
const PAGE = 500;

interface ThoughtPage {
  readonly thoughts: readonly Existing[];
  readonly next: Place | undefined;
}

interface ThoughtRow {
  readonly id: string;
  readonly title: string | null;
  readonly body: string | null;
  readonly status: string | null;
  readonly conversation_id: string | null;
  readonly message_id: string | null;
  readonly source_type: SourceType | null;
  readonly source_id: string | null;
  readonly created_at: number;
}

function* readPage(
  type: CandidateType,
  scope: MatchScope,
  redactions: RedactionScope,
  { at, id }: Place,
): DatabaseWork<ThoughtPage> {
  const rows = yield* runSql<ThoughtRow>(IN_SCOPE[type][scope.in], [scope.id, at, id, PAGE]);
  const last = rows.length < PAGE ? undefined : rows.at(-1);
  return {
    thoughts: yield* readable(type, rows, redactions),
    next: last && { at: last.created_at, id: last.id },
  };
}

function* readable(
  type: CandidateType,
  rows: readonly ThoughtRow[],
  redactions: RedactionScope,
): DatabaseWork<readonly Existing[]> {
  const origins = yield* originsOf(rows);
  return rows.flatMap((row, i) => {
    const origin = origins[i] ?? { conversationId: null, messageId: null };
    if (isRedacted(redactions, origin)) return [];
    const mask = (text: string | null) => maskDrawn(redactions, origin, text ?? "");
    const [title, text] = [mask(row.title), mask(row.body)];
    const isMasked = title !== (row.title ?? "") || text !== (row.body ?? "");
    return [{ type, id: row.id, title, text, status: row.status ?? undefined, isMasked }];
  });
}

/** By whole words or their beginnings: cheap, and wider than what counts as a match. */
function nearnessTo(
  candidates: readonly MatchedCandidate[],
  words: MatchingWords,
): (thought: PreparedThought) => boolean {
  const known = new Set(
    candidates.flatMap(({ title, text, replaces }) =>
      contentTokens(`${title ?? ""} ${text} ${replaces ?? ""}`, words).map(beginningOf),
    ),
  );
  return ({ subject }) => subject.some((token) => known.has(beginningOf(token)));
}

const BEGINNING = 3;

function beginningOf(token: string): string {
  return token.slice(0, BEGINNING);
}

const TASK = `select t.id, t.title, t.description as body, t.status, null as conversation_id, null as message_id,
  t.source_type, t.source_id, t.created_at from task t`;
const DECISION = `select t.id, t.title, t.content as body, null as status, t.conversation_id, t.message_id,
  t.source_type, t.source_id, t.created_at from decision t`;
const HIGHLIGHT = `select t.id, t.label as title, t.content as body, null as status, t.conversation_id, t.message_id,
  t.source_type, t.source_id, t.created_at from highlight t`;
const PAGED =
  "and t.is_inactive = 0 and (t.created_at, t.id) > (?, ?) order by t.created_at, t.id limit ?";
const OF_PACKET = `where t.source_type = 'packet' and t.source_id = ? ${PAGED}`;
const OF_TALK = `where t.conversation_id = ? ${PAGED}`;

/** In the order of `project_thought`, whose index holds it. */
const throughProject = (select: string, kind: string): SqlText =>
  sqlText(`${select} join project_thought p on p.thought_id = t.id
    where p.project_id = ? and p.kind = '${kind}' and t.is_inactive = 0
    and (p.created_at, p.thought_id) > (?, ?) order by p.created_at, p.thought_id limit ?`);

const IN_SCOPE: Readonly<Record<CandidateType, Readonly<Record<MatchScope["in"], SqlText>>>> = {
  task: {
    project: sqlText(`${TASK} where t.project_id = ? ${PAGED}`),
    packet: sqlText(`${TASK} ${OF_PACKET}`),
    conversation: sqlText(
      `${TASK} where t.source_type = 'message' and t.source_id in (select id from message where conversation_id = ?) ${PAGED}`,
    ),
  },
  decision: {
    project: throughProject(DECISION, "decision"),
    packet: sqlText(`${DECISION} ${OF_PACKET}`),
    conversation: sqlText(`${DECISION} ${OF_TALK}`),
  },
  highlight: {
    project: throughProject(HIGHLIGHT, "highlight"),
    packet: sqlText(`${HIGHLIGHT} ${OF_PACKET}`),
    conversation: sqlText(`${HIGHLIGHT} ${OF_TALK}`),
  },
};

function byIds(select: string): SqlText {
  return sqlOverRows({ id: "text" }, `${select} where t.id in (select id from {rows})`);
}

const BY_ID: Readonly<Record<CandidateType, SqlText>> = {
  task: byIds(TASK),
  decision: byIds(DECISION),
  highlight: byIds(HIGHLIGHT),
};
