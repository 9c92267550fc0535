/**
 * The event log: append-only facts `noun.past`, numbered without gaps per stream and hash-chained.
 * A stream is a run's id, a project's id, or `workspace`.
 *
 * Readers follow the whole store with one cursor and see every event once, in order. On PostgreSQL numbers
 * are drawn before commit, so readers stop below the oldest open transaction; else one would be skipped.
 */

import { sql } from "kysely";
import { ProductError } from "../base/errors.ts";
import { hashText } from "../base/hash.ts";
import { canonicalJson, type Json } from "../base/json.ts";
import {
  type DatabaseWork,
  query,
  type RowsStatement,
  runRows,
  runSql,
  writeRows,
} from "./database-work.ts";
import { db } from "./query-builder.ts";
import { insertText, sqlForRows } from "./sql-text.ts";
import type { Dialect } from "./store.ts";

export interface NewEvent {
  readonly stream: string;
  readonly type: string;
  readonly projectId: string | null;
  /** Who did it: a user's id, or `engine`. */
  readonly actor: string;
  readonly data: Json;
}

export interface Event extends Omit<NewEvent, "data"> {
  /** Opaque, grows with the log; resume reading after it. */
  readonly cursor: string;
  readonly seq: number;
  /** Undefined once pruned. */
  readonly data: Json | undefined;
  readonly at: number;
  readonly hash: string;
}

export const WORKSPACE_STREAM = "workspace";
export const CHAIN_START = "0".repeat(64);

export interface DatedEvent extends NewEvent {
  readonly at: number;
}

export function* appendEvents(events: readonly NewEvent[], now: number): DatabaseWork<void> {
  if (events.length > 0) yield { kind: "append", events: dated(events, now) };
}

/** What stores do with what was appended: last of all, because on PostgreSQL it locks the streams until the commit. */
export function* writeAppended(events: readonly DatedEvent[]): DatabaseWork<void> {
  yield* runSql(LOCK_STREAMS, [JSON.stringify(streamsOf(events))]);
  yield* writeToLocked(events, new Map());
}

function dated(events: readonly NewEvent[], at: number): readonly DatedEvent[] {
  return events.map((event) => ({ ...event, at }));
}

/**
 * For callers that hold the rows of the runs whose streams these are: nobody else can append there.
 * `known` are heads that were read since the rows were locked.
 */
export function* appendToLocked(
  events: readonly NewEvent[],
  now: number,
  known: StreamHeads = new Map(),
): DatabaseWork<void> {
  if (events.length > 0) yield* writeToLocked(dated(events, now), known);
}

function* writeToLocked(events: readonly DatedEvent[], known: StreamHeads): DatabaseWork<void> {
  const unknown = events.filter(({ stream }) => !known.has(stream));
  const heads = new Map(known);
  if (unknown.length > 0) {
    const rows = yield* runRows<HeadRow>(LIST_HEADS, streamsOf(unknown));
    for (const [stream, head] of toHeads(rows)) heads.set(stream, head);
  }
  yield* writeRows(INSERT_EVENTS, chain(events, heads));
}

export type StreamHeads = ReadonlyMap<string, Head>;

/** Asks for the ends of streams along with something else. */
export function headsStatement(streams: Iterable<string>): RowsStatement {
  return { kind: "rows", sql: LIST_HEADS, rows: Array.from(new Set(streams), (id) => ({ id })) };
}

export function toHeads(rows: readonly unknown[]): StreamHeads {
  return new Map((rows as readonly HeadRow[]).map((row) => [row.id, row]));
}

function streamsOf(events: readonly NewEvent[]): readonly { readonly id: string }[] {
  return Array.from(new Set(events.map(({ stream }) => stream)), (id) => ({ id }));
}

export interface EventFilter {
  readonly after?: string | undefined;
  readonly streams?: readonly string[] | undefined;
  readonly projectIds?: readonly string[] | undefined;
  readonly limit: number;
}

export function* readEvents(dialect: Dialect, filter: EventFilter): DatabaseWork<readonly Event[]> {
  const { transactionId, id } = parseCursor(filter.after);
  const rows = yield* query(
    db
      .selectFrom("event")
      .selectAll()
      .$if(dialect === "sqlite", (select) =>
        // All are of transaction 0: whoever was further in another database has nothing left to read.
        select.where("id", ">", id).where("transaction_id", ">=", transactionId).orderBy("id"),
      )
      .$if(dialect === "postgres", (select) =>
        select
          .where((where) =>
            where.or([
              where.and([where("transaction_id", "=", transactionId), where("id", ">", id)]),
              where("transaction_id", ">", transactionId),
            ]),
          )
          .where("transaction_id", "<", OLDEST_UNDER_WAY)
          .orderBy("transaction_id")
          .orderBy("id"),
      )
      .$if(filter.streams !== undefined, (select) =>
        select.where("stream", "in", [...(filter.streams ?? [])]),
      )
      .$if(filter.projectIds !== undefined, (select) =>
        select.where("project_id", "in", [...(filter.projectIds ?? [])]),
      )
      .limit(filter.limit),
  );
  return rows.map(toEvent);
}

/** PostgreSQL gives numbers before it commits: only what is older than everything under way may be read. */
const OLDEST_UNDER_WAY = sql<number>`(pg_snapshot_xmin(pg_current_snapshot())::text::bigint)`;

/** The place after the newest event that readers may see now. */
export function* latestCursor(dialect: Dialect): DatabaseWork<string> {
  const rows = yield* query(
    db
      .selectFrom("event")
      .select(["transaction_id", "id"])
      .$if(dialect === "postgres", (select) =>
        select.where("transaction_id", "<", OLDEST_UNDER_WAY).orderBy("transaction_id", "desc"),
      )
      .orderBy("id", "desc")
      .limit(1),
  );
  const row = rows[0];
  return row === undefined ? "0.0" : `${row.transaction_id}.${row.id}`;
}

/** What an event's hash covers; `doctor` recomputes it. */
export function eventHash(event: {
  readonly previousHash: string;
  readonly stream: string;
  readonly seq: number;
  readonly type: string;
  readonly projectId: string | null;
  readonly actor: string;
  readonly dataHash: string;
  readonly at: number;
}): string {
  const { previousHash, stream, seq, type, projectId, actor, dataHash, at } = event;
  return hashText(
    [previousHash, stream, seq, type, projectId ?? "", actor, dataHash, at].join("\n"),
  );
}

export interface Head {
  readonly seq: number;
  readonly hash: string;
}

export const START_OF_STREAM: Head = { seq: 0, hash: CHAIN_START };

interface HeadRow extends Head {
  readonly id: string;
}

const LOCK_STREAMS = {
  // SQLite has one writer at a time: nothing to lock.
  sqlite: "select 1 where ? is null",
  postgres:
    "select pg_advisory_xact_lock(hashtextextended(id, 72)) from (select id from json_to_recordset($1::json) as x(id text) order by id) as ordered",
};
const LIST_HEADS = sqlForRows(
  { id: "text" },
  `select x.id, head.seq, head.hash from {rows} cross join lateral
     (select e.seq, e.hash from event e where e.stream = x.id order by e.seq desc limit 1) as head`,
  {
    sqlite:
      "select stream as id, seq, hash from event where stream = x.id order by seq desc limit 1",
  },
);
const INSERT_EVENTS = insertText("event", {
  stream: "text",
  seq: "int",
  type: "text",
  project_id: "text",
  actor: "text",
  data: "text",
  data_hash: "text",
  at: "int",
  previous_hash: "text",
  hash: "text",
});

function chain(events: readonly DatedEvent[], heads: ReadonlyMap<string, Head>) {
  const links = new Map<string, { seq: number; hash: string }>();
  return events.map(({ stream, type, projectId, actor, data, at }) => {
    const stored = heads.get(stream);
    const last = links.get(stream) ?? stored ?? START_OF_STREAM;
    const seq = last.seq + 1;
    const text = canonicalJson(data);
    const dataHash = hashText(text);
    const hash = eventHash({
      previousHash: last.hash,
      stream,
      seq,
      type,
      projectId,
      actor,
      dataHash,
      at,
    });
    links.set(stream, { seq, hash });
    return {
      stream,
      seq,
      type,
      project_id: projectId,
      actor,
      data: text,
      data_hash: dataHash,
      at,
      previous_hash: last.hash,
      hash,
    };
  });
}

function parseCursor(cursor: string | undefined): { transactionId: number; id: number } {
  if (cursor === undefined) return { transactionId: -1, id: 0 };
  const match = /^(\d{1,15})\.(\d{1,15})$/.exec(cursor);
  if (!match) {
    throw new ProductError("cursor_invalid", `"${cursor}" is not a place in the event log.`, {
      hint: "Leave it out to read from the beginning, or use the cursor of an event you have seen.",
    });
  }
  return { transactionId: Number(match[1]), id: Number(match[2]) };
}

function toEvent(row: {
  id: number;
  transaction_id: number;
  stream: string;
  seq: number;
  type: string;
  project_id: string | null;
  actor: string;
  data: string | null;
  at: number;
  hash: string;
}): Event {
  return {
    cursor: `${row.transaction_id}.${row.id}`,
    stream: row.stream,
    seq: row.seq,
    type: row.type,
    projectId: row.project_id,
    actor: row.actor,
    data: row.data === null ? undefined : (JSON.parse(row.data) as Json),
    at: row.at,
    hash: row.hash,
  };
}
