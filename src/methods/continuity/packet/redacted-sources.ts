/** Which thoughts were drawn from what is redacted, and which words of a thought may not be seen. */

import { createRedactor, type Redactor } from "../../../kernel/prompt/redactor.ts";
import { type DatabaseWork, query } from "../../../kernel/store/database-work.ts";
import type { SourceType } from "../../../kernel/store/noun-tables.ts";
import { db } from "../../../kernel/store/query-builder.ts";
import {
  findInDrawn,
  isIdle,
  isRedacted,
  type RedactionScope,
  type TextOrigin,
} from "../../../kernel/store/redaction-scope.ts";
import { originsOf } from "../../../kernel/store/search-sources.ts";
import type { Span } from "../../../kernel/store/thought-source.ts";

export type ThoughtType = "task" | "decision" | "highlight";

/** What it stands in itself, and where following its sources leads. */
export interface ThoughtOrigin {
  readonly own: TextOrigin;
  readonly followed: TextOrigin;
}

/** Nothing is read where nothing is redacted. */
export function* findOrigins(
  type: ThoughtType,
  ids: readonly string[],
  scope: RedactionScope,
): DatabaseWork<ReadonlyMap<string, ThoughtOrigin>> {
  const origins = new Map<string, ThoughtOrigin>();
  if (isIdle(scope)) return origins;
  for (let from = 0; from < ids.length; from += IDS_AT_ONCE) {
    const rows = yield* readSources(type, ids.slice(from, from + IDS_AT_ONCE));
    const followed = yield* originsOf(rows);
    for (const [i, row] of rows.entries()) {
      const own = { conversationId: row.conversation_id, messageId: row.message_id };
      origins.set(row.id, { own, followed: followed[i] ?? own });
    }
  }
  return origins;
}

/** Well under the number of parameters either database takes. */
const IDS_AT_ONCE = 5000;

/** Those that were drawn from a redacted conversation or message, whatever they say. */
export function* findWithheld(
  type: ThoughtType,
  ids: readonly string[],
  scope: RedactionScope,
): DatabaseWork<ReadonlySet<string>> {
  const { conversationIds, messageIds } = scope;
  if (conversationIds.size + messageIds.size === 0) return new Set();
  const origins = yield* findOrigins(type, ids, scope);
  return new Set(
    [...origins].flatMap(([id, { own, followed }]) =>
      isRedacted(scope, own) || isRedacted(scope, followed) ? [id] : [],
    ),
  );
}

export function hiddenIn(
  scope: RedactionScope,
  origin: ThoughtOrigin | undefined,
  text: string,
): readonly Span[] {
  if (scope.passages.length === 0) return [];
  const { own, followed } = origin ?? { own: NOWHERE, followed: NOWHERE };
  return [
    ...hunterOf(scope).find(text),
    ...findInDrawn(scope, followed, text),
    ...(own.messageId === followed.messageId ? [] : findInDrawn(scope, own, text)),
  ];
}

const hunters = new WeakMap<RedactionScope, Redactor>();

/** The same rules as hold for the finished text, so that what they would leave nothing of is known beforehand. */
function hunterOf(scope: RedactionScope): Redactor {
  const known = hunters.get(scope);
  if (known !== undefined) return known;
  const hunter = createRedactor({ texts: scope.passages.map(({ text }) => text), finders: [] });
  hunters.set(scope, hunter);
  return hunter;
}

const NOWHERE: TextOrigin = { conversationId: null, messageId: null };

interface SourceRow {
  readonly id: string;
  readonly conversation_id: string | null;
  readonly message_id: string | null;
  readonly source_type: SourceType | null;
  readonly source_id: string | null;
}

function* readSources(
  type: ThoughtType,
  ids: readonly string[],
): DatabaseWork<readonly SourceRow[]> {
  if (type === "task") {
    const rows = yield* query(
      db
        .selectFrom("task")
        .select(["id", "source_type", "source_id"])
        .where("id", "in", [...ids]),
    );
    return rows.map((row) => ({ ...row, conversation_id: null, message_id: null }));
  }
  return yield* query(
    db
      .selectFrom(type as "decision")
      .select(["id", "conversation_id", "message_id", "source_type", "source_id"])
      .where("id", "in", [...ids]),
  );
}

/** What a packet's origin was drawn from. */
export function* findOriginSource(
  type: ThoughtType | "project",
  id: string,
): DatabaseWork<TextOrigin> {
  if (type === "project") return NOWHERE;
  const [origin] = yield* originsOf(yield* readSources(type, [id]));
  return origin ?? NOWHERE;
}
