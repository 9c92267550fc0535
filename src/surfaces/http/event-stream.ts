/**
 * `GET /api/v1/events`: the event log as it grows, for a page or a program. `Last-Event-ID` or `?after=`
 * resumes without gap or repetition; `?streams=` and `?topics=` (comma-separated) narrow it.
 */

import { authorise } from "../../kernel/operation/authorise.ts";
import { type EventPage, followEvents } from "../../kernel/operation/follow-events.ts";
import { visibleEvents } from "../../kernel/operation/visible-events.ts";
import { type Event, latestCursor, readEvents } from "../../kernel/store/events.ts";
import type { HttpContext, HttpSurface } from "./http-context.ts";
import type { SentEvent } from "./server-sent-events.ts";
import { CONNECTED, createSight, HEARTBEAT_MS, listOf, type StreamDoor } from "./stream-door.ts";

const NEEDED = { name: "events", permission: "read" } as const;

export async function openEventStream(
  surface: HttpSurface,
  door: StreamDoor,
  context: HttpContext,
): Promise<Response> {
  authorise(context.get("who").caller, NEEDED);
  const after = await findBeginning(surface, context);
  return door.open(context, (signal) => toSentEvents(readLog(surface, context, after, signal)));
}

/**
 * Found before the answer begins: whoever has the answer's status misses nothing that happens from then on, and a
 * wrong place is refused in that status.
 */
async function findBeginning({ kernel }: HttpSurface, { req }: HttpContext): Promise<string> {
  const { store } = kernel;
  const after = req.header("last-event-id") ?? req.query("after");
  return store.read(function* () {
    if (after === undefined) return yield* latestCursor(store.dialect);
    yield* readEvents(store.dialect, { after, limit: 1 });
    return after;
  });
}

function readLog(
  surface: HttpSurface,
  context: HttpContext,
  after: string,
  signal: AbortSignal,
): AsyncGenerator<EventPage, void> {
  const { store, clock, changes } = surface.kernel;
  const sight = createSight(surface, context, NEEDED);
  return followEvents({
    store,
    clock,
    changes,
    signal,
    after,
    streams: listOf(context.req.query("streams")),
    topics: listOf(context.req.query("topics")),
    idleMs: HEARTBEAT_MS,
    select: async (events) => {
      const caller = await sight();
      return store.read(() => visibleEvents(events, caller));
    },
  });
}

async function* toSentEvents(
  pages: AsyncGenerator<EventPage, void>,
): AsyncGenerator<readonly SentEvent[], void> {
  yield [CONNECTED];
  for await (const { events, cursor, isCurrent } of pages) {
    const alive = isCurrent || events.length === 0 ? [{ comment: "alive", id: cursor }] : [];
    yield [...events.map(toSentEvent), ...alive];
  }
}

function toSentEvent(event: Event): SentEvent {
  return { id: event.cursor, event: event.type, data: event };
}
