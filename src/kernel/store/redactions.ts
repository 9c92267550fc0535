/**
 * What a project may not show: a whole conversation, one message, or a passage of a message.
 * A redaction is made and lifted, never edited.
 */

import { notFound, ProductError } from "../base/errors.ts";
import {
  type Act,
  auditedTable,
  deleteAudited,
  getForChange,
  insertAudited,
} from "./audited-rows.ts";
import { type DatabaseWork, query, queryFirst } from "./database-work.ts";
import type { RedactionKind, RedactionTable } from "./noun-tables.ts";
import { afterPlace, type Page, type PageRequest, planPage, toPage } from "./page.ts";
import { db } from "./query-builder.ts";
import { requireRow } from "./references.ts";
import { checkSpan, placeInConversation, type Span } from "./thought-source.ts";
import { seesRedaction, type Viewer } from "./visibility.ts";

export interface Redaction {
  readonly id: string;
  readonly projectId: string;
  readonly kind: RedactionKind;
  readonly conversationId: string;
  readonly messageId: string | undefined;
  readonly span: Span | undefined;
  readonly reason: string;
  readonly createdBy: string;
  readonly createdAt: number;
}

/** Without a message the whole conversation, without a span the whole message. */
export interface NewRedaction {
  readonly id: string;
  readonly projectId: string;
  readonly conversationId?: string | undefined;
  readonly messageId?: string | undefined;
  readonly span?: Span | undefined;
  readonly reason: string;
}

export const REDACTIONS = auditedTable("redaction", { told: ["kind"], goesAlong: true });

export function* insertRedaction(redaction: NewRedaction, act: Act): DatabaseWork<Redaction> {
  const { id, projectId, span, reason } = redaction;
  yield* requireRow("project", projectId);
  const place = yield* placeInConversation(redaction);
  checkSpan(span, place);
  if (place.conversationId === null) {
    throw new ProductError("redaction_of_nothing", "Say which conversation or message to redact.");
  }
  const row = {
    id,
    project_id: projectId,
    kind: kindOf(place.messageId, span),
    conversation_id: place.conversationId,
    message_id: place.messageId,
    span_start: span?.start ?? null,
    span_end: span?.end ?? null,
    reason,
    created_by: act.actor,
    created_at: act.now,
  };
  return toRedaction(yield* insertAudited(REDACTIONS, row, act, { projectId }));
}

/** Lifts it: what it covered may be shown again. */
export function* deleteRedaction(id: string, act: Act): DatabaseWork<void> {
  const before = yield* getForChange(REDACTIONS, id);
  yield* deleteAudited(REDACTIONS, before, act, { projectId: before.project_id, verb: "lifted" });
}

export function* getRedaction(id: string, viewer: Viewer): DatabaseWork<Redaction> {
  const row = yield* queryFirst(
    db.selectFrom("redaction").selectAll().where("id", "=", id).where(seesRedaction(viewer)),
  );
  if (row === undefined) throw notFound("redaction", id);
  return toRedaction(row);
}

export interface RedactionFilter extends PageRequest {
  readonly viewer: Viewer;
  readonly projectId?: string | undefined;
  readonly conversationId?: string | undefined;
}

export function* listRedactions(filter: RedactionFilter): DatabaseWork<Page<Redaction>> {
  const plan = planPage(filter);
  let select = db
    .selectFrom("redaction")
    .selectAll()
    .where(seesRedaction(filter.viewer))
    .where((where) => afterPlace(where, plan, { at: "created_at", id: "id" }))
    .orderBy("created_at", plan.direction)
    .orderBy("id", plan.direction)
    .limit(plan.limit + 1);
  if (filter.projectId !== undefined) select = select.where("project_id", "=", filter.projectId);
  if (filter.conversationId !== undefined) {
    select = select.where("conversation_id", "=", filter.conversationId);
  }
  const place = (row: RedactionTable) => ({ at: row.created_at, id: row.id });
  return toPage(yield* query(select), plan, place, toRedaction);
}

function kindOf(messageId: string | null, span: Span | undefined): RedactionKind {
  if (messageId === null) return "conversation";
  return span === undefined ? "message" : "span";
}

function toRedaction(row: RedactionTable): Redaction {
  return {
    id: row.id,
    projectId: row.project_id,
    kind: row.kind,
    conversationId: row.conversation_id,
    messageId: row.message_id ?? undefined,
    span:
      row.span_start === null || row.span_end === null
        ? undefined
        : { start: row.span_start, end: row.span_end },
    reason: row.reason,
    createdBy: row.created_by,
    createdAt: row.created_at,
  };
}
