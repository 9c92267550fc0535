/**
 * Redactions hold in everything operations show. Within a project its redactions count, elsewhere all of
 * them: what was drawn from a redacted conversation or message is withheld, redacted passages are masked.
 */

import type { DatabaseWork } from "../store/database-work.ts";
import { REDACTION_MARK } from "../store/redacted-text.ts";
import {
  isIdle,
  isRedacted,
  loadRedactionScope,
  maskDrawn,
  maskMessage,
  type RedactionScope,
  type TextOrigin,
} from "../store/redaction-scope.ts";
import { originOf } from "../store/search-sources.ts";
import type { ThoughtSource } from "../store/thought-source.ts";

/** Something that may have been drawn from a conversation. */
export interface Drawn {
  readonly projectId?: string | undefined;
  readonly conversationId?: string | undefined;
  readonly messageId?: string | undefined;
  readonly source?: ThoughtSource | undefined;
}

/** The same items with redacted text taken out of the named fields, however deep it lies in them, and of the quote. */
export function* withoutRedacted<Item extends Drawn>(
  items: readonly Item[],
  fields: readonly (keyof Item)[],
): DatabaseWork<readonly Item[]> {
  const scopes = new Map<string | undefined, RedactionScope>();
  const shown: Item[] = [];
  for (const item of items) {
    const scope = scopes.get(item.projectId) ?? (yield* loadRedactionScope(toList(item.projectId)));
    scopes.set(item.projectId, scope);
    shown.push(isIdle(scope) ? item : maskItem(item, fields, scope, yield* findOrigin(item)));
  }
  return shown;
}

export interface SaidText {
  readonly id: string;
  readonly conversationId: string;
  readonly content: string;
}

export function* withoutRedactedMessages<Message extends SaidText>(
  messages: readonly Message[],
  projectId: string | undefined,
): DatabaseWork<readonly (Message & { readonly isRedacted: boolean })[]> {
  const scope = yield* loadRedactionScope(toList(projectId));
  return messages.map((message) => {
    const { id: messageId, conversationId } = message;
    const content = isRedacted(scope, { conversationId, messageId })
      ? REDACTION_MARK
      : maskMessage(scope, messageId, message.content);
    return { ...message, content, isRedacted: content !== message.content };
  });
}

/** For prompts, replies and evidence, of which nobody knows any more where each word came from. */
export function* withoutRedactedPassages<Value>(
  value: Value,
  projectId: string | undefined,
): DatabaseWork<Value> {
  const scope = yield* loadRedactionScope(toList(projectId));
  return isIdle(scope) ? value : maskDeep(value, (text) => maskDrawn(scope, NOWHERE, text));
}

/** Events tell short facts; some of them, such as a run's title, in words that somebody chose. */
export function* withReadableData<
  Told extends { readonly projectId: string | null; readonly data?: unknown },
>(events: readonly Told[]): DatabaseWork<readonly Told[]> {
  const scopes = new Map<string | null, RedactionScope>();
  const shown: Told[] = [];
  for (const event of events) {
    const { projectId } = event;
    const scope =
      scopes.get(projectId) ?? (yield* loadRedactionScope(toList(projectId ?? undefined)));
    scopes.set(projectId, scope);
    const mask = (text: string) => maskDrawn(scope, NOWHERE, text);
    shown.push(isIdle(scope) ? event : { ...event, data: maskDeep(event.data, mask) });
  }
  return shown;
}

const NOWHERE: TextOrigin = { conversationId: null, messageId: null };

function toList(projectId: string | undefined): readonly string[] | undefined {
  return projectId === undefined ? undefined : [projectId];
}

function findOrigin({ conversationId, messageId, source }: Drawn): DatabaseWork<TextOrigin> {
  return originOf({
    conversation_id: conversationId ?? null,
    message_id: messageId ?? null,
    source_type: source?.type ?? null,
    source_id: source?.id ?? null,
  });
}

function maskItem<Item extends Drawn>(
  item: Item,
  fields: readonly (keyof Item)[],
  scope: RedactionScope,
  origin: TextOrigin,
): Item {
  const mask = isRedacted(scope, origin)
    ? () => REDACTION_MARK
    : (text: string) => maskDrawn(scope, origin, text);
  const { source } = item;
  const quote = source?.quote === undefined ? undefined : mask(source.quote);
  const masked: Item = { ...item, ...(source && { source: { ...source, quote } }) };
  for (const field of fields) masked[field] = maskDeep(item[field], mask);
  return masked;
}

function maskDeep<Value>(value: Value, mask: (text: string) => string): Value {
  return deep(value, mask) as Value;
}

function deep(value: unknown, mask: (text: string) => string): unknown {
  if (typeof value === "string") return mask(value);
  if (Array.isArray(value)) return value.map((item) => deep(item, mask));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, deep(item, mask)]));
}
