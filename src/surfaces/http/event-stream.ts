/**
 * `GET /api/v1/events`: the event log as it grows, for a page or a program. `Last-Event-ID` or `?after=`
 * resumes without gap or repetition; `?streams=` and `?topics=` (comma-separated) narrow it.
 */

import { ProductError } from "../../kernel/base/errors.ts";
import type { Authenticated } from "../../kernel/operation/authenticate.ts";
import { authorise } from "../../kernel/operation/authorise.ts";
import { type EventPage, followEvents } from "../../kernel/operation/follow-events.ts";
import { visibleEvents } from "../../kernel/operation/visible-events.ts";
import { type Event, readEvents } from "../../kernel/store/events.ts";
import { type HttpContext, type HttpSurface, logFailure } from "./http-context.ts";
import { authenticateRequest } from "./request-credentials.ts";
import { EVENT_STREAM, type SentEvent, sentEventStream } from "./server-sent-events.ts";

export const HEARTBEAT_MS = 15_000;
const RETRY_MS = 1000;
const MAX_STREAMS = 20;

export interface EventStreams {
  open(context: HttpContext): Promise<Response>;
}

export function createEventStreams(surface: HttpSurface): EventStreams {
  const open = new Map<string, number>();
  return {
    async open(context) {
      const { caller, credential } = context.get("who");
      authorise(caller, { name: "events", permission: "read" });
      await checkCursor(surface, cursorOf(context));
      const count = open.get(credential.id) ?? 0;
      if (count >= MAX_STREAMS) throw tooMany();
      open.set(credential.id, count + 1);
      const stop = new AbortController();
      const signal = AbortSignal.any([stop.signal, surface.stopping, context.req.raw.signal]);
      const close = once((error: unknown) => {
        stop.abort();
        decrement(open, credential.id);
        if (error !== undefined) logEnd(surface, context, error);
      });
      const body = sentEventStream(toSentEvents(readLog(surface, context, signal)), close);
      return new Response(body, {
        headers: { "content-type": `${EVENT_STREAM}; charset=utf-8`, "x-accel-buffering": "no" },
      });
    },
  };
}

function cursorOf({ req }: HttpContext): string | undefined {
  return req.header("last-event-id") ?? req.query("after");
}

/** A wrong place is refused in the answer's status, which an answer already begun could not. */
async function checkCursor({ kernel }: HttpSurface, after: string | undefined): Promise<void> {
  const { store } = kernel;
  await store.read(() => readEvents(store.dialect, { after, limit: 1 }));
}

function readLog(
  surface: HttpSurface,
  context: HttpContext,
  signal: AbortSignal,
): AsyncGenerator<EventPage, void> {
  const { store, clock, changes } = surface.kernel;
  const sight = createSight(surface, context);
  return followEvents({
    store,
    clock,
    changes,
    signal,
    after: cursorOf(context),
    streams: listOf(context.req.query("streams")),
    topics: listOf(context.req.query("topics")),
    idleMs: HEARTBEAT_MS,
    select: async (events) => {
      const { caller } = await sight();
      return store.read(() => visibleEvents(events, caller));
    },
  });
}

/** A stream outlives the request's check: whoever was signed out or demoted meanwhile must not go on reading. */
function createSight(surface: HttpSurface, context: HttpContext): () => Promise<Authenticated> {
  const { clock } = surface.kernel;
  let who = context.get("who");
  let checkedAt = clock.elapsed();
  return async () => {
    if (clock.elapsed() - checkedAt > RECHECK_MS) {
      who = await authenticateRequest(surface, context);
      authorise(who.caller, { name: "events", permission: "read" });
      checkedAt = clock.elapsed();
    }
    return who;
  };
}

const RECHECK_MS = 1000;

async function* toSentEvents(
  pages: AsyncGenerator<EventPage, void>,
): AsyncGenerator<readonly SentEvent[], void> {
  // At once, so that the reader knows it is connected.
  yield [{ comment: "connected", retryMs: RETRY_MS }];
  for await (const { events, cursor } of pages) {
    yield events.length === 0 ? [{ comment: "alive", id: cursor }] : events.map(toSentEvent);
  }
}

function toSentEvent(event: Event): SentEvent {
  return { id: event.cursor, event: event.type, data: event };
}

function listOf(text: string | undefined): readonly string[] | undefined {
  const items = text?.split(",").filter((item) => item !== "");
  return items === undefined || items.length === 0 ? undefined : items;
}

function logEnd(surface: HttpSurface, context: HttpContext, error: unknown): void {
  // Being signed out ends a stream as it should.
  if (error instanceof ProductError && error.kind !== "internal" && error.kind !== "unavailable")
    return;
  logFailure(surface, "event_stream.failed", context.get("requestId"), error);
}

function decrement(counts: Map<string, number>, key: string): void {
  const count = (counts.get(key) ?? 1) - 1;
  if (count === 0) counts.delete(key);
  else counts.set(key, count);
}

function once(action: (error: unknown) => void): (error: unknown) => void {
  let isDone = false;
  return (error) => {
    if (!isDone) action(error);
    isDone = true;
  };
}

function tooMany(): ProductError {
  return new ProductError(
    "event_streams_too_many",
    `At most ${MAX_STREAMS} event streams per login.`,
    {
      kind: "limit",
      hint: "One stream can carry all topics; close the others.",
    },
  );
}
