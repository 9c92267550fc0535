/** What a thought was drawn from: kept with the quote, so that redaction and review can follow it back. */

import { ProductError } from "../base/errors.ts";
import { type DatabaseWork, queryFirst } from "./database-work.ts";
import type { SourceType } from "./noun-tables.ts";
import { db } from "./query-builder.ts";
import { requireRow } from "./references.ts";

export interface ThoughtSource {
  readonly type: SourceType;
  readonly id: string;
  readonly quote: string | undefined;
}

export interface NewThoughtSource {
  readonly type: SourceType;
  readonly id: string;
  readonly quote?: string | undefined;
}

export function sourceCells(source: NewThoughtSource | undefined) {
  return {
    source_type: source?.type ?? null,
    source_id: source?.id ?? null,
    quote: source?.quote ?? null,
  };
}

export function toSource(row: {
  readonly source_type: SourceType | null;
  readonly source_id: string | null;
  readonly quote: string | null;
}): ThoughtSource | undefined {
  if (row.source_type === null || row.source_id === null) return undefined;
  return { type: row.source_type, id: row.source_id, quote: row.quote ?? undefined };
}

/** Packets live with their method; all other sources must be there. */
export function* requireSource(source: NewThoughtSource | undefined): DatabaseWork<void> {
  if (source === undefined || source.type === "packet") return;
  yield* requireRow(source.type, source.id);
}

export interface MessagePlace {
  readonly conversationId: string | null;
  readonly messageId: string | null;
}

/** A message brings its conversation with it; naming another one is a mistake. */
export function* placeInConversation(given: {
  readonly conversationId?: string | undefined;
  readonly messageId?: string | undefined;
}): DatabaseWork<MessagePlace & { readonly contentLength: number }> {
  const { conversationId, messageId } = given;
  if (messageId === undefined) {
    yield* requireRow("conversation", conversationId);
    return { conversationId: conversationId ?? null, messageId: null, contentLength: 0 };
  }
  yield* requireRow("message", messageId);
  const message = yield* queryFirst(
    db.selectFrom("message").select(["conversation_id", "content"]).where("id", "=", messageId),
  );
  const actual = message?.conversation_id ?? null;
  if (conversationId !== undefined && conversationId !== actual) {
    throw new ProductError(
      "message_elsewhere",
      `The message "${messageId}" is not part of the conversation "${conversationId}".`,
      { hint: "Leave the conversation out; the message knows its own." },
    );
  }
  return { conversationId: actual, messageId, contentLength: message?.content.length ?? 0 };
}

/** Offsets are UTF-16 code units, as JavaScript counts them. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

export function checkSpan(
  span: Span | undefined,
  place: { readonly messageId: string | null; readonly contentLength: number },
): void {
  if (span === undefined) return;
  const { start, end } = span;
  const fits =
    place.messageId !== null &&
    Number.isInteger(start) &&
    Number.isInteger(end) &&
    start >= 0 &&
    start < end &&
    end <= place.contentLength;
  if (fits) return;
  throw new ProductError(
    "span_outside",
    place.messageId === null
      ? "A span needs the message it lies in."
      : `The span ${start}–${end} does not lie within the message's ${place.contentLength} characters.`,
  );
}
