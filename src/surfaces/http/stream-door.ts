/** Lets readers of endless answers in, as many at a time as a login may have, and looks after them while they read. */

import { ProductError } from "../../kernel/base/errors.ts";
import { authorise } from "../../kernel/operation/authorise.ts";
import type { Caller, Permission } from "../../kernel/operation/caller.ts";
import { type HttpContext, type HttpSurface, logFailure } from "./http-context.ts";
import { authenticateRequest } from "./request-credentials.ts";
import { EVENT_STREAM, type SentEvent, sentEventStream } from "./server-sent-events.ts";

export const HEARTBEAT_MS = 15_000;
const RETRY_MS = 1000;
const MAX_STREAMS = 20;

/** At once, so that the reader knows it is connected. */
export const CONNECTED: SentEvent = { comment: "connected", retryMs: RETRY_MS };

export interface StreamDoor {
  open(
    context: HttpContext,
    read: (signal: AbortSignal) => AsyncGenerator<readonly SentEvent[], void>,
  ): Response;
}

export function createStreamDoor(surface: HttpSurface): StreamDoor {
  const open = new Map<string, number>();
  return {
    open(context, read) {
      const { credential } = context.get("who");
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
      return new Response(sentEventStream(read(signal), close), {
        headers: { "content-type": `${EVENT_STREAM}; charset=utf-8`, "x-accel-buffering": "no" },
      });
    },
  };
}

/** A stream outlives the request's check: whoever was signed out or demoted meanwhile must not go on reading. */
export function createSight(
  surface: HttpSurface,
  context: HttpContext,
  needed: { readonly name: string; readonly permission: Permission },
): () => Promise<Caller> {
  const { clock } = surface.kernel;
  let { caller } = context.get("who");
  let checkedAt = clock.elapsed();
  return async () => {
    if (clock.elapsed() - checkedAt > RECHECK_MS) {
      ({ caller } = await authenticateRequest(surface, context));
      authorise(caller, needed);
      checkedAt = clock.elapsed();
    }
    return caller;
  };
}

const RECHECK_MS = 1000;

export function listOf(text: string | undefined): readonly string[] | undefined {
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
