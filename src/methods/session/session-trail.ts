/** What belongs to a session: its intents and what happened to it, in order. */

import type { Json } from "../../kernel/base/json.ts";
import { toJsonText } from "../../kernel/store/cells.ts";
import { type DatabaseWork, execute, query, queryFirst } from "../../kernel/store/database-work.ts";
import { appendEvents, WORKSPACE_STREAM } from "../../kernel/store/events.ts";
import { type IntentSource, type SessionIntentTable, sessionDb } from "./session-tables.ts";

export interface Intent {
  readonly changeId: string;
  readonly what: string;
  readonly source: IntentSource;
  readonly jobId: string | undefined;
  readonly duplicateId: string | undefined;
  readonly at: number;
}

export type NewIntent = Pick<Intent, "changeId" | "what" | "source"> & {
  readonly jobId?: string | undefined;
};

export function* listIntents(sessionId: string): DatabaseWork<readonly Intent[]> {
  const rows = yield* query(
    sessionDb
      .selectFrom("session_intent")
      .selectAll()
      .where("session_id", "=", sessionId)
      .orderBy("position"),
  );
  return rows.map(toIntent);
}

/** By change id, which session of the repository it belongs to. */
export function* listClaims(repository: string): DatabaseWork<ReadonlyMap<string, string>> {
  const rows = yield* query(
    sessionDb
      .selectFrom("session_intent")
      .innerJoin("session", "session.id", "session_intent.session_id")
      .select(["session_intent.change_id", "session_intent.session_id"])
      .where("session.repository", "=", repository),
  );
  return new Map(rows.map((row) => [row.change_id, row.session_id]));
}

/** What was there before a session and was recorded for its sake: it belongs to nobody's work. */
export function* listExisting(repository: string): DatabaseWork<ReadonlyMap<string, undefined>> {
  const rows = yield* query(
    sessionDb
      .selectFrom("session_entry")
      .innerJoin("session", "session.id", "session_entry.session_id")
      .select("session_entry.data")
      .where("session.repository", "=", repository)
      .where("session_entry.kind", "=", "existing_recorded"),
  );
  return new Map(
    rows.map(({ data }) => [(JSON.parse(data) as { change: string }).change, undefined]),
  );
}

export function* appendIntents(
  sessionId: string,
  intents: readonly NewIntent[],
  now: number,
): DatabaseWork<void> {
  if (intents.length === 0) return;
  const first = (yield* listIntents(sessionId)).length;
  const rows = intents.map(({ changeId, what, source, jobId }, i) => ({
    session_id: sessionId,
    position: first + i,
    change_id: changeId,
    what,
    source,
    job_id: jobId ?? null,
    duplicate_id: null,
    at: now,
  }));
  yield* execute(sessionDb.insertInto("session_intent").values(rows));
}

export function* setDuplicates(
  sessionId: string,
  duplicates: ReadonlyMap<string, string>,
): DatabaseWork<void> {
  for (const [changeId, duplicateId] of duplicates) {
    yield* execute(
      sessionDb
        .updateTable("session_intent")
        .set({ duplicate_id: duplicateId })
        .where("session_id", "=", sessionId)
        .where("change_id", "=", changeId),
    );
  }
}

export interface Entry {
  readonly kind: string;
  readonly data: Json;
  readonly actor: string;
  readonly at: number;
}

export function* listEntries(sessionId: string): DatabaseWork<readonly Entry[]> {
  const rows = yield* query(
    sessionDb
      .selectFrom("session_entry")
      .selectAll()
      .where("session_id", "=", sessionId)
      .orderBy("position"),
  );
  return rows.map(({ kind, data, actor, at }) => ({
    kind,
    data: JSON.parse(data) as Json,
    actor,
    at,
  }));
}

export interface NewEntry {
  readonly kind: EntryKind;
  readonly data?: Json;
}

export const ENTRY_KINDS = [
  "started",
  "existing_recorded",
  "secret_allowed",
  "intent_recorded",
  "intent_found",
  "relied_on",
  "run_bound",
  "turn_unrecorded",
  "report_written",
  "finish_begun",
  "taken_back",
  "composed",
  "synthesised",
  "finish_failed",
  "pushed",
  "push_failed",
  "push_left_out",
  "finished",
  "abandoned",
] as const;
export type EntryKind = (typeof ENTRY_KINDS)[number];

export function* appendEntry(
  sessionId: string,
  { kind, data = {} }: NewEntry,
  { actor, now }: { readonly actor: string; readonly now: number },
): DatabaseWork<void> {
  const position = (yield* listEntries(sessionId)).length;
  yield* execute(
    sessionDb
      .insertInto("session_entry")
      .values({ session_id: sessionId, position, kind, data: toJsonText(data), actor, at: now }),
  );
  if (TOLD_HERE.has(kind)) yield* tellEvent(sessionId, kind, { actor, now });
}

/** What changes no cell of the session itself, and would be heard of by nobody. */
const TOLD_HERE: ReadonlySet<EntryKind> = new Set([
  "intent_recorded",
  "run_bound",
  "turn_unrecorded",
  "report_written",
]);

function* tellEvent(
  sessionId: string,
  kind: EntryKind,
  { actor, now }: { readonly actor: string; readonly now: number },
): DatabaseWork<void> {
  const session = yield* queryFirst(
    sessionDb.selectFrom("session").select("project_id").where("id", "=", sessionId),
  );
  const projectId = session?.project_id ?? null;
  const stream = projectId ?? WORKSPACE_STREAM;
  const event = { stream, type: `session_trail.${kind}`, projectId, actor, data: { sessionId } };
  yield* appendEvents([event], now);
}

function toIntent(row: SessionIntentTable): Intent {
  return {
    changeId: row.change_id,
    what: row.what,
    source: row.source,
    jobId: row.job_id ?? undefined,
    duplicateId: row.duplicate_id ?? undefined,
    at: row.at,
  };
}
