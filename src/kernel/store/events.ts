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
  insertRows,
  query,
  runSql,
  type SqlStatement,
} from "./database-work.ts";
import { db } from "./query-builder.ts";
import { insertText, sqlOverRows } from "./sql-text.ts";
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

/** Call it last in a transaction: on PostgreSQL it locks the streams until commit. */
export function* appendEvents(events: readonly NewEvent[], now: number): DatabaseWork<void> {
  if (events.length === 0) return;
  yield* runSql(LOCK_STREAMS, [streamsOf(events)]);
  yield* appendToLocked(events, now);
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
  if (events.length === 0) return;
  const unknown = events.filter(({ stream }) => !known.has(stream));
  const heads = new Map(known);
  if (unknown.length > 0) {
    const rows = yield* runSql<HeadRow>(LIST_HEADS, [streamsOf(unknown)]);
    for (const [stream, head] of toHeads(rows)) heads.set(stream, head);
  }
  yield* insertRows(INSERT_EVENTS, chain(events, heads, now));
}

export type StreamHeads = ReadonlyMap<string, Head>;

/** Asks for the ends of streams along with something else. */
export function headsStatement(streams: Iterable<string>): SqlStatement {
  const rows = JSON.stringify([...new Set(streams)].map((id) => ({ id })));
  return { kind: "sql", sql: LIST_HEADS, parameters: [rows] };
}

export function toHeads(rows: readonly unknown[]): StreamHeads {
  return new Map((rows as readonly HeadRow[]).map((row) => [row.id, row]));
}

function streamsOf(events: readonly NewEvent[]): string {
  return JSON.stringify([...new Set(events.map(({ stream }) => stream))].map((id) => ({ id })));
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
      .where((where) =>
        where.or([
          where.and([where("transaction_id", "=", transactionId), where("id", ">", id)]),
          where("transaction_id", ">", transactionId),
        ]),
      )
      .$if(dialect === "postgres", (select) =>
        select.where(
          "transaction_id",
          "<",
          sql<number>`(pg_snapshot_xmin(pg_current_snapshot())::text::bigint)`,
        ),
      )
      .$if(filter.streams !== undefined, (select) =>
        select.where("stream", "in", [...(filter.streams ?? [])]),
      )
      .$if(filter.projectIds !== undefined, (select) =>
        select.where("project_id", "in", [...(filter.projectIds ?? [])]),
      )
      .orderBy("transaction_id")
      .orderBy("id")
      .limit(filter.limit),
  );
  return rows.map(toEvent);
}

/** The place after the newest event that readers may see now. */
export function* latestCursor(dialect: Dialect): DatabaseWork<string> {
  const rows = yield* query(
    db
      .selectFrom("event")
      .select(["transaction_id", "id"])
      .$if(dialect === "postgres", (select) =>
        select.where(
          "transaction_id",
          "<",
          sql<number>`(pg_snapshot_xmin(pg_current_snapshot())::text::bigint)`,
        ),
      )
      .orderBy("transaction_id", "desc")
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
  readonly seq: number | null;
  readonly hash: string | null;
}

interface HeadRow extends Head {
  readonly id: string;
}

const LOCK_STREAMS = {
  // SQLite has one writer at a time: nothing to lock.
  sqlite: "select 1 where ? is null",
  postgres:
    "select pg_advisory_xact_lock(hashtextextended(id, 72)) from (select id from json_to_recordset($1::json) as x(id text) order by id) as ordered",
};
const LIST_HEADS = sqlOverRows(
  { id: "text" },
  `select x.id, (select e.seq from event e where e.stream = x.id order by e.seq desc limit 1) as seq,
     (select e.hash from event e where e.stream = x.id order by e.seq desc limit 1) as hash from {rows}`,
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

function chain(events: readonly NewEvent[], heads: ReadonlyMap<string, Head>, now: number) {
  const links = new Map<string, { seq: number; hash: string }>();
  return events.map(({ stream, type, projectId, actor, data }) => {
    const stored = heads.get(stream);
    const last = links.get(stream) ?? { seq: stored?.seq ?? 0, hash: stored?.hash ?? CHAIN_START };
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
      at: now,
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
      at: now,
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
