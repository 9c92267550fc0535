/** All that is redacted for a set of projects, ready to be held against texts. */

import { type DatabaseWork, query } from "./database-work.ts";
import { db } from "./query-builder.ts";
import {
  findOverlaps,
  findPassages,
  maskSpans,
  SHORTEST_PASSAGE,
  settledLength,
} from "./redacted-text.ts";
import type { Span } from "./thought-source.ts";

export interface RedactionScope {
  readonly conversationIds: ReadonlySet<string>;
  readonly messageIds: ReadonlySet<string>;
  readonly passages: readonly RedactedPassage[];
}

export interface RedactedPassage {
  readonly messageId: string;
  readonly span: Span;
  readonly text: string;
}

/** Where a text comes from, as far as it is known. */
export interface TextOrigin {
  readonly conversationId: string | null;
  readonly messageId: string | null;
}

/** Without projects: what is redacted anywhere. */
export function* loadRedactionScope(
  projectIds: readonly string[] | undefined,
): DatabaseWork<RedactionScope> {
  let select = db
    .selectFrom("redaction")
    .leftJoin("message", (join) =>
      join.onRef("message.id", "=", "redaction.message_id").on("redaction.kind", "=", "span"),
    )
    .select([
      "redaction.kind",
      "redaction.conversation_id",
      "redaction.message_id",
      "redaction.span_start",
      "redaction.span_end",
      "message.content",
    ]);
  if (projectIds !== undefined) {
    select = select.where("redaction.project_id", "in", atLeastOne(projectIds));
  }
  const rows = yield* query(select);
  return {
    conversationIds: new Set(
      rows.flatMap((row) => (row.kind === "conversation" ? [row.conversation_id] : [])),
    ),
    messageIds: new Set(
      rows.flatMap((row) => (row.kind === "message" && row.message_id ? [row.message_id] : [])),
    ),
    passages: rows.flatMap(
      ({ message_id: messageId, span_start: start, span_end: end, content }) =>
        messageId === null || start === null || end === null || content === null
          ? []
          : [{ messageId, span: { start, end }, text: content.slice(start, end) }],
    ),
  };
}

/** True when the text may not be shown at all. */
export function isRedacted(
  scope: RedactionScope,
  { conversationId, messageId }: TextOrigin,
): boolean {
  return (
    (conversationId !== null && scope.conversationIds.has(conversationId)) ||
    (messageId !== null && scope.messageIds.has(messageId))
  );
}

/** The message itself, without its redacted passages and those of others that it repeats. */
export function maskMessage(scope: RedactionScope, messageId: string, content: string): string {
  return maskSpans(content, findInMessage(scope, messageId, content));
}

/** A text drawn from somewhere: parts of its own message's passages go, and whole long ones of any. */
export function maskDrawn(scope: RedactionScope, origin: TextOrigin, text: string): string {
  return maskSpans(text, findInDrawn(scope, origin, text));
}

/** What of a message may not be shown; spans may touch and overlap. */
export function findInMessage(
  scope: RedactionScope,
  messageId: string,
  content: string,
): readonly Span[] {
  const own = scope.passages.filter((passage) => passage.messageId === messageId);
  const spans = own.map(({ span }) => span);
  return [...spans, ...findPassages(content, longPassages(scope))];
}

/**
 * A piece of a text that still grows, without redacted passages. It ends before anything that could yet turn out to
 * be one, so that putting pieces together never shows more than the whole would.
 */
export function maskGrowing(
  scope: RedactionScope,
  text: string,
  { from, isWhole }: { readonly from: number; readonly isWhole: boolean },
): { readonly text: string; readonly next: number } {
  const next = isWhole ? text.length : settledLength(text, longPassages(scope));
  if (next <= from) return { text: "", next: from };
  const spans = findInDrawn(scope, { conversationId: null, messageId: null }, text);
  const inPiece = spans.map(({ start, end }) => ({ start: start - from, end: end - from }));
  return { text: maskSpans(text.slice(from, next), inPiece), next };
}

/** What of a text drawn from somewhere may not be shown; spans may touch and overlap. */
export function findInDrawn(
  scope: RedactionScope,
  origin: TextOrigin,
  text: string,
): readonly Span[] {
  const own = scope.passages
    .filter(({ messageId }) => messageId === origin.messageId)
    .map((passage) => passage.text);
  return [
    ...findOverlaps(text, own),
    ...findPassages(text, own),
    ...findPassages(text, longPassages(scope)),
  ];
}

/** Whether nothing at all is redacted. */
export function isIdle({ conversationIds, messageIds, passages }: RedactionScope): boolean {
  return conversationIds.size + messageIds.size + passages.length === 0;
}

function longPassages(scope: RedactionScope): readonly string[] {
  return scope.passages
    .map(({ text }) => text)
    .filter((text) => text.replaceAll(/\s+/g, " ").trim().length >= SHORTEST_PASSAGE);
}

function atLeastOne(ids: readonly string[]): string[] {
  return ids.length === 0 ? [""] : [...ids];
}
