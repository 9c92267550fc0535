/**
 * `GET /api/v1/replies?exchanges=ID,ID:OFFSET`: replies of models as they arrive. `exchange.progressed` brings a
 * piece with the place where it begins and where the next one will; a reader that lost the connection names the
 * exchange with that place and misses nothing. `exchange.finished` is the last of each, and the stream ends with them.
 */

import { ProductError } from "../../kernel/base/errors.ts";
import { authorise } from "../../kernel/operation/authorise.ts";
import {
  followReplies,
  type ReplyNews,
  type ReplyPlace,
  resolveReplies,
} from "../../kernel/operation/follow-replies.ts";
import type { HttpContext, HttpSurface } from "./http-context.ts";
import type { SentEvent } from "./server-sent-events.ts";
import { CONNECTED, createSight, HEARTBEAT_MS, listOf, type StreamDoor } from "./stream-door.ts";

/** As for `exchange.show`: the words of a model need more than looking at a run does. */
const NEEDED = { name: "replies", permission: "answer" } as const;
const MAX_EXCHANGES = 20;

export async function openReplyStream(
  surface: HttpSurface,
  door: StreamDoor,
  context: HttpContext,
): Promise<Response> {
  const { store, clock } = surface.kernel;
  const { caller } = context.get("who");
  authorise(caller, NEEDED);
  const asked = placesIn(context.req.query("exchanges"));
  const places = await store.read(() => resolveReplies(asked, caller));
  const reader = createSight(surface, context, NEEDED);
  return door.open(context, (signal) =>
    toSentEvents(followReplies({ store, clock, signal, places, reader, idleMs: HEARTBEAT_MS })),
  );
}

function placesIn(text: string | undefined): readonly ReplyPlace[] {
  const items = listOf(text) ?? [];
  if (items.length === 0 || items.length > MAX_EXCHANGES) {
    throw new ProductError(
      "exchanges_invalid",
      `Name 1 to ${MAX_EXCHANGES} exchanges, not ${items.length}.`,
      { hint: "Write them as ?exchanges=ID,ID:OFFSET; `exchange list` shows those of a run." },
    );
  }
  return items.map(placeIn);
}

function placeIn(item: string): ReplyPlace {
  const [, exchangeId, offset = "0"] = /^([\w-]{1,100})(?::(\d{1,9}))?$/.exec(item) ?? [];
  if (exchangeId !== undefined) return { exchangeId, offset: Number(offset) };
  throw new ProductError("exchanges_invalid", `"${item.slice(0, 200)}" names no exchange.`, {
    hint: "Write ID or ID:OFFSET, where the offset is the `next` of the last piece.",
  });
}

async function* toSentEvents(
  pages: AsyncGenerator<readonly ReplyNews[], void>,
): AsyncGenerator<readonly SentEvent[], void> {
  yield [CONNECTED];
  for await (const news of pages) {
    yield news.length === 0
      ? [{ comment: "alive" }]
      : news.map(({ kind, ...data }) => ({ event: `exchange.${kind}`, data }));
  }
}
