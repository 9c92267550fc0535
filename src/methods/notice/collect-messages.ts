/**
 * From the event log to messages. A notice remembers its place in the log; its new messages and its new place are one
 * commit, so nothing is missed and nothing told twice, whenever the process dies.
 */

import type { Json, JsonObject } from "../../kernel/base/json.ts";
import type { Kernel } from "../../kernel/operation/kernel.ts";
import { type DatabaseWork, execute, query } from "../../kernel/store/database-work.ts";
import { type Event, latestCursor, readEvents } from "../../kernel/store/events.ts";
import type { Store } from "../../kernel/store/store.ts";
import { messageBody, messageId, notableIn } from "./notice-message.ts";
import { type NoticeTable, notices } from "./notice-tables.ts";

const PAGE = 500;
const KEPT_MS = 30 * 24 * 60 * 60_000;

/** Says whether there was anything; then there may be more. */
export async function collectMessages({
  store,
  clock,
}: Pick<Kernel, "store" | "clock">): Promise<boolean> {
  const waiting = await store.read(() => findBehind(store));
  if (waiting.length === 0) return false;
  await store.write(function* () {
    for (const { id } of waiting) yield* collectFor(store, id, clock.now());
    yield* forgetOld(clock.now());
  });
  return true;
}

/** Those that are enabled and not at the end of the log. */
function* findBehind({ dialect }: Store): DatabaseWork<readonly NoticeTable[]> {
  const enabled = yield* query(
    notices.selectFrom("notice").selectAll().where("is_enabled", "=", 1),
  );
  if (enabled.length === 0) return [];
  const end = yield* latestCursor(dialect);
  return enabled.filter(({ cursor }) => cursor !== end);
}

function* collectFor({ dialect }: Store, id: string, now: number): DatabaseWork<void> {
  const [notice] = yield* query(notices.selectFrom("notice").selectAll().where("id", "=", id));
  if (notice === undefined) return;
  const end = yield* latestCursor(dialect);
  // A workspace that came from another database has a log with other numbers: what was before is told already.
  const isLost = compareCursors(notice.cursor, end) > 0;
  const events = isLost ? [] : yield* readEvents(dialect, { after: notice.cursor, limit: PAGE });
  const place = isLost ? end : (events.at(-1)?.cursor ?? notice.cursor);
  yield* insertMessages(notice, events, now);
  yield* execute(notices.updateTable("notice").set({ cursor: place }).where("id", "=", id));
}

function* insertMessages(
  notice: NoticeTable,
  events: readonly Event[],
  now: number,
): DatabaseWork<void> {
  const wanted = JSON.parse(notice.kinds) as readonly string[];
  const told = events
    .filter(({ projectId }) => notice.project_id === null || projectId === notice.project_id)
    .flatMap((event) => {
      const notable = notableIn(event);
      return notable !== undefined && wanted.includes(notable.kind) ? [{ event, notable }] : [];
    });
  if (told.length === 0) return;
  const runs = yield* describeRuns(told.map(({ event }) => event.stream));
  for (const { event, notable } of told) {
    const run = runs.get(event.stream) ?? { runId: event.stream };
    yield* execute(
      notices
        .insertInto("notice_message")
        .values({
          id: messageId(notice.id, event),
          notice_id: notice.id,
          kind: notable.kind,
          body: messageBody(notable, event.at, run),
          state: "pending",
          attempts: 0,
          next_at: now,
          last_status: null,
          last_note: null,
          created_at: now,
          finished_at: null,
        })
        .onConflict((conflict) => conflict.column("id").doNothing()),
    );
  }
}

function* describeRuns(ids: readonly string[]): DatabaseWork<ReadonlyMap<string, JsonObject>> {
  const rows = yield* query(
    notices
      .selectFrom("run")
      .select(["id", "method", "project_id", "reason", "parent_run_id"])
      .where("id", "in", [...new Set(ids)]),
  );
  return new Map(
    rows.map(({ id, method, project_id, reason, parent_run_id }) => [
      id,
      {
        runId: id,
        method,
        projectId: project_id,
        parentRunId: parent_run_id,
        ...(reason === null ? {} : { code: codeOf(reason) }),
      },
    ]),
  );
}

function codeOf(reason: string): Json {
  return (JSON.parse(reason) as { readonly code?: string }).code ?? null;
}

function* forgetOld(now: number): DatabaseWork<void> {
  yield* execute(notices.deleteFrom("notice_message").where("finished_at", "<", now - KEPT_MS));
}

function compareCursors(one: string, other: string): number {
  const [a = 0, b = 0] = one.split(".").map(Number);
  const [c = 0, d = 0] = other.split(".").map(Number);
  return a - c || b - d;
}
