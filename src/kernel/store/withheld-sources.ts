/**
 * Which things may not be shown because they were drawn from a redacted conversation or message, whatever they say. What
 * was made from such a thing, and tells of it in words of its own, may not be shown either.
 */

import type { Json } from "../base/json.ts";
import { type DatabaseWork, query } from "./database-work.ts";
import type { SourceType } from "./noun-tables.ts";
import { db } from "./query-builder.ts";
import { isIdle, isRedacted, type RedactionScope, type TextOrigin } from "./redaction-scope.ts";
import { originsOf } from "./search-sources.ts";

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

/** Those that were drawn from a redacted conversation or message. */
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

/** Something that is named by what it is and its id. */
export interface NamedSource {
  readonly type: string;
  readonly id: string;
}

/** As `type:id`. What is neither a thought nor said in a conversation is never among them. */
export function* findHidden(
  refs: readonly NamedSource[],
  scope: RedactionScope,
): DatabaseWork<ReadonlySet<string>> {
  const hidden = new Set<string>();
  const idsOf = (type: string): string[] => [
    ...new Set(refs.filter((ref) => ref.type === type).map(({ id }) => id)),
  ];
  for (const type of ["task", "decision", "highlight"] as const) {
    for (const id of yield* findWithheld(type, idsOf(type), scope)) hidden.add(`${type}:${id}`);
  }
  for (const id of idsOf("conversation")) {
    if (scope.conversationIds.has(id)) hidden.add(`conversation:${id}`);
  }
  for (const { id, conversationId } of yield* findTalks(idsOf("message"), scope)) {
    const isHidden = scope.messageIds.has(id) || scope.conversationIds.has(conversationId);
    if (isHidden) hidden.add(`message:${id}`);
  }
  return hidden;
}

/** Of artifacts, those that were made from something hidden: their inputs name it as `{type, id}`. */
export function* findHiddenArtifacts(
  artifacts: readonly { readonly id: string; readonly inputs: readonly Json[] }[],
  scope: RedactionScope,
): DatabaseWork<ReadonlySet<string>> {
  if (scope.conversationIds.size + scope.messageIds.size === 0) return new Set();
  const named = artifacts.map(({ id, inputs }) => ({ id, refs: inputs.flatMap(toSource) }));
  const hidden = yield* findHidden(
    named.flatMap(({ refs }) => refs),
    scope,
  );
  const isHidden = ({ type, id }: NamedSource) => hidden.has(`${type}:${id}`);
  return new Set(named.filter(({ refs }) => refs.some(isHidden)).map(({ id }) => id));
}

function toSource(input: Json): NamedSource[] {
  if (typeof input !== "object" || input === null || Array.isArray(input)) return [];
  const { type, id } = input as { readonly type?: Json; readonly id?: Json };
  return typeof type === "string" && typeof id === "string" ? [{ type, id }] : [];
}

function* findTalks(
  ids: string[],
  { conversationIds, messageIds }: RedactionScope,
): DatabaseWork<readonly { readonly id: string; readonly conversationId: string }[]> {
  if (ids.length === 0 || conversationIds.size + messageIds.size === 0) return [];
  const rows = yield* query(
    db.selectFrom("message").select(["id", "conversation_id"]).where("id", "in", ids),
  );
  return rows.map(({ id, conversation_id }) => ({ id, conversationId: conversation_id }));
}

export interface SourceRow {
  readonly id: string;
  readonly conversation_id: string | null;
  readonly message_id: string | null;
  readonly source_type: SourceType | null;
  readonly source_id: string | null;
}

export function* readSources(
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
