/** Pages of the event log: one stream by its numbers, or all that a caller may see, newest or oldest first. */

import { type Expression, expressionBuilder, type Selectable, type SqlBool } from "kysely";
import type { z } from "zod";
import { ProductError } from "../../kernel/base/errors.ts";
import type { Json } from "../../kernel/base/json.ts";
import type { Caller } from "../../kernel/operation/caller.ts";
import { nameOf, userNames } from "../../kernel/operation/names.ts";
import { withReadableData } from "../../kernel/operation/redacted-view.ts";
import { type DatabaseWork, query } from "../../kernel/store/database-work.ts";
import type { EventTable } from "../../kernel/store/engine-tables.ts";
import { db } from "../../kernel/store/query-builder.ts";
import type { Dialect } from "../../kernel/store/store.ts";
import type { Tables } from "../../kernel/store/tables.ts";
import { seesItsRun, visibleProjects } from "../../kernel/store/visibility.ts";
import type { eventShape } from "./run-shape.ts";

type ShownEvent = z.input<typeof eventShape>;

export interface EventPage {
  readonly items: ShownEvent[];
  readonly nextCursor?: string | undefined;
}

export interface EventPageRequest {
  readonly order: "newest" | "oldest";
  readonly limit: number;
  readonly cursor?: string | undefined;
}

/** The caller must have been let in to the stream before. */
export function* listStream(stream: string, request: EventPageRequest): DatabaseWork<EventPage> {
  const { order, limit, cursor } = request;
  if (cursor !== undefined && !/^\d{1,15}$/.test(cursor)) throw cursorInvalid(cursor);
  let select = db
    .selectFrom("event")
    .selectAll()
    .where("stream", "=", stream)
    .orderBy("seq", order === "newest" ? "desc" : "asc")
    .limit(limit + 1);
  if (cursor !== undefined)
    select = select.where("seq", order === "newest" ? "<" : ">", Number(cursor));
  return yield* toEventPage(yield* query(select), limit, ({ seq }) => String(seq));
}

export interface EventSelection extends EventPageRequest {
  readonly stream?: string | undefined;
  readonly projectId?: string | undefined;
  readonly actor?: string | undefined;
  /** Whole types (`task.created`) or their nouns (`task`). */
  readonly types?: readonly string[] | undefined;
  readonly since?: number | undefined;
}

export function* listVisibleEvents(
  dialect: Dialect,
  selection: EventSelection,
  caller: Caller,
): DatabaseWork<EventPage> {
  const { order, limit, stream, projectId, actor, types, since } = selection;
  const direction = order === "newest" ? "desc" : "asc";
  let select = db
    .selectFrom("event")
    .selectAll()
    .where(seesEvent(caller))
    .where((where) => afterEvent(where, dialect, selection))
    .$if(dialect === "postgres", (events) => events.orderBy("event.transaction_id", direction))
    .orderBy("event.id", direction)
    .limit(limit + 1);
  if (stream !== undefined) select = select.where("event.stream", "=", stream);
  if (projectId !== undefined) select = select.where("event.project_id", "=", projectId);
  if (actor !== undefined) select = select.where("event.actor", "=", actor);
  if (since !== undefined) select = select.where("event.at", ">=", since);
  if (types !== undefined && types.length > 0) {
    select = select.where((where) =>
      where.or(
        types.map((type) =>
          type.includes(".")
            ? where("event.type", "=", type)
            : where("event.type", "like", `${type}.%`),
        ),
      ),
    );
  }
  const place = ({ transaction_id, id }: EventRow) => `${transaction_id}.${id}`;
  return yield* toEventPage(yield* query(select), limit, place);
}

type EventRow = Selectable<EventTable>;

/** As `visibleEvents` decides it, inside the query: pages stay full. */
function seesEvent(caller: Caller): Expression<SqlBool> {
  const where = expressionBuilder<Tables, "event">();
  if (caller.role === "admin") return where.and([]);
  return where.or([
    where("event.project_id", "in", visibleProjects(caller)),
    where.and([
      where("event.project_id", "is", null),
      where.or([where("event.actor", "=", caller.userId), seesItsRun(caller, "event.stream")]),
    ]),
  ]);
}

function afterEvent(
  where: ReturnType<typeof expressionBuilder<Tables, "event">>,
  dialect: Dialect,
  { cursor, order }: EventPageRequest,
): Expression<SqlBool> {
  if (cursor === undefined) return where.and([]);
  const match = /^(\d{1,15})\.(\d{1,15})$/.exec(cursor);
  if (match === null) throw cursorInvalid(cursor);
  const [transactionId, id] = [Number(match[1]), Number(match[2])];
  const past = order === "newest" ? "<" : ">";
  // SQLite commits in the order of the ids.
  if (dialect === "sqlite") return where("event.id", past, id);
  return where.or([
    where("event.transaction_id", past, transactionId),
    where.and([where("event.transaction_id", "=", transactionId), where("event.id", past, id)]),
  ]);
}

function* toEventPage(
  rows: readonly EventRow[],
  limit: number,
  place: (row: EventRow) => string,
): DatabaseWork<EventPage> {
  const shown = rows.slice(0, limit);
  const names = yield* userNames(shown.map(({ actor }) => actor));
  const last = shown.at(-1);
  const events = shown.map((row) => ({
    cursor: `${row.transaction_id}.${row.id}`,
    stream: row.stream,
    seq: row.seq,
    type: row.type,
    projectId: row.project_id,
    actor: row.actor,
    actorName: nameOf(names, row.actor),
    data: row.data === null ? undefined : (JSON.parse(row.data) as Json),
    at: row.at,
    hash: row.hash,
  }));
  return {
    items: [...(yield* withReadableData(events))],
    nextCursor: rows.length > limit && last !== undefined ? place(last) : undefined,
  };
}

function cursorInvalid(cursor: string): ProductError {
  return new ProductError("cursor_invalid", `"${cursor}" is not a place in the event log.`, {
    hint: "Leave it out to read from the beginning, or use the cursor the last page came with.",
  });
}
