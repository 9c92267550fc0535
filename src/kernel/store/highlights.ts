/** Highlights: passages worth keeping, from a conversation or an answer. */

import { notFound } from "../base/errors.ts";
import { type Act, auditedTable } from "./audited-rows.ts";
import { toCells } from "./cells.ts";
import { type DatabaseWork, query, queryFirst } from "./database-work.ts";
import type { HighlightTable, SourceType } from "./noun-tables.ts";
import { afterPlace, type Page, type PageRequest, planPage, toPage } from "./page.ts";
import { changePlaced, deletePlaced, insertPlaced, type PlacedNoun } from "./placed-thoughts.ts";
import { db } from "./query-builder.ts";
import { refuseDependents, requireRow } from "./references.ts";
import {
  checkSpan,
  type NewThoughtSource,
  placeInConversation,
  requireSource,
  type Span,
  sourceCells,
  type ThoughtSource,
  toSource,
} from "./thought-source.ts";
import { seesHighlight, type Viewer } from "./visibility.ts";

export interface Highlight {
  readonly id: string;
  readonly content: string;
  readonly label: string | undefined;
  /** Without one it belongs to its conversation's projects. */
  readonly projectId: string | undefined;
  readonly conversationId: string | undefined;
  readonly messageId: string | undefined;
  readonly span: Span | undefined;
  readonly source: ThoughtSource | undefined;
  readonly isInactive: boolean;
  readonly createdBy: string;
  readonly version: number;
  readonly createdAt: number;
  readonly updatedAt: number;
}

export interface NewHighlight {
  readonly id: string;
  readonly content: string;
  readonly label?: string | undefined;
  readonly projectId?: string | undefined;
  readonly conversationId?: string | undefined;
  readonly messageId?: string | undefined;
  readonly span?: Span | undefined;
  readonly source?: NewThoughtSource | undefined;
}

export interface HighlightPatch {
  readonly content?: string | undefined;
  readonly label?: string | null | undefined;
  readonly projectId?: string | null | undefined;
}

export const HIGHLIGHTS = auditedTable("highlight", { told: ["source_type"] });

export function* insertHighlight(highlight: NewHighlight, act: Act): DatabaseWork<Highlight> {
  const { id, content, label, projectId, span, source } = highlight;
  yield* requireRow("project", projectId);
  yield* requireSource(source);
  const place = yield* placeInConversation(highlight);
  checkSpan(span, place);
  const row = {
    id,
    content,
    label: label ?? null,
    project_id: projectId ?? null,
    conversation_id: place.conversationId,
    message_id: place.messageId,
    span_start: span?.start ?? null,
    span_end: span?.end ?? null,
    ...sourceCells(source),
    is_inactive: 0,
    created_by: act.actor,
    version: 1,
    created_at: act.now,
    updated_at: act.now,
  };
  return yield* insertPlaced(HIGHLIGHT, row, act);
}

export function* findHighlight(id: string, viewer: Viewer): DatabaseWork<Highlight | undefined> {
  const row = yield* queryFirst(
    db.selectFrom("highlight").selectAll().where("id", "=", id).where(seesHighlight(viewer)),
  );
  return row && toHighlight(row);
}

export function* getHighlight(id: string, viewer: Viewer): DatabaseWork<Highlight> {
  const highlight = yield* findHighlight(id, viewer);
  if (highlight === undefined) throw notFound("highlight", id);
  return highlight;
}

export interface HighlightFilter extends PageRequest {
  readonly viewer: Viewer;
  /** Also those that belong to it through a conversation; these are always active. */
  readonly projectId?: string | undefined;
  readonly conversationId?: string | undefined;
  readonly messageId?: string | undefined;
  readonly source?: { readonly type: SourceType; readonly id: string } | undefined;
  readonly isLabelled?: boolean | undefined;
  /** False unless asked; `"both"` shows all. */
  readonly isInactive?: boolean | "both" | undefined;
}

export function* listHighlights(filter: HighlightFilter): DatabaseWork<Page<Highlight>> {
  const plan = planPage(filter);
  const { viewer, projectId, conversationId, messageId, source, isLabelled } = filter;
  const { isInactive = false } = filter;
  let select = db
    .selectFrom("highlight")
    .selectAll("highlight")
    .where(seesHighlight(viewer))
    .limit(plan.limit + 1);
  if (projectId === undefined) {
    select = select
      .where((where) => afterPlace(where, plan, { at: "highlight.created_at", id: "highlight.id" }))
      .orderBy("highlight.created_at", plan.direction)
      .orderBy("highlight.id", plan.direction);
  } else {
    const at = "project_thought.created_at";
    const id = "project_thought.thought_id";
    select = select
      .innerJoin("project_thought", "project_thought.thought_id", "highlight.id")
      .where("project_thought.project_id", "=", projectId)
      .where("project_thought.kind", "=", "highlight")
      .where((where) => afterPlace(where, plan, { at, id }))
      .orderBy(at, plan.direction)
      .orderBy(id, plan.direction);
  }
  if (conversationId !== undefined) select = select.where("conversation_id", "=", conversationId);
  if (messageId !== undefined) select = select.where("message_id", "=", messageId);
  if (source !== undefined) {
    select = select.where("source_type", "=", source.type).where("source_id", "=", source.id);
  }
  if (isLabelled !== undefined) {
    select =
      projectId === undefined
        ? select.where("label", isLabelled ? "is not" : "is", null)
        : select.where(db.dynamic.ref("project_thought.is_labelled"), "=", isLabelled ? 1 : 0);
  }
  if (isInactive !== "both") {
    select = select.where("highlight.is_inactive", "=", isInactive ? 1 : 0);
  }
  const place = (row: HighlightTable) => ({ at: row.created_at, id: row.id });
  return toPage(yield* query(select), plan, place, toHighlight);
}

export function* updateHighlight(
  id: string,
  patch: HighlightPatch,
  act: Act,
  expectedVersion?: number,
): DatabaseWork<Highlight> {
  yield* requireRow("project", patch.projectId);
  return yield* changePlaced(HIGHLIGHT, id, toCells(patch), act, { expectedVersion });
}

export function archiveHighlight(
  id: string,
  act: Act,
  expectedVersion?: number,
): DatabaseWork<Highlight> {
  return changePlaced(HIGHLIGHT, id, { is_inactive: 1 }, act, {
    verb: "archived",
    expectedVersion,
  });
}

export function restoreHighlight(
  id: string,
  act: Act,
  expectedVersion?: number,
): DatabaseWork<Highlight> {
  return changePlaced(HIGHLIGHT, id, { is_inactive: 0 }, act, {
    verb: "restored",
    expectedVersion,
  });
}

/** Refused while tasks or decisions name it as their source. */
export function deleteHighlight(
  id: string,
  act: Act,
  expectedVersion?: number,
): DatabaseWork<void> {
  const where = { source_type: "highlight", source_id: id };
  return deletePlaced(HIGHLIGHT, id, act, expectedVersion, () =>
    refuseDependents(
      "highlight",
      id,
      [
        { what: "tasks drawn from it", table: "task", where },
        { what: "decisions drawn from it", table: "decision", where },
      ],
      "Archive the highlight instead, or delete these first.",
    ),
  );
}

export function toHighlight(row: HighlightTable): Highlight {
  return {
    id: row.id,
    content: row.content,
    label: row.label ?? undefined,
    projectId: row.project_id ?? undefined,
    conversationId: row.conversation_id ?? undefined,
    messageId: row.message_id ?? undefined,
    span:
      row.span_start === null || row.span_end === null
        ? undefined
        : { start: row.span_start, end: row.span_end },
    source: toSource(row),
    isInactive: row.is_inactive === 1,
    createdBy: row.created_by,
    version: row.version,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

const HIGHLIGHT: PlacedNoun<HighlightTable, Highlight> = {
  kind: "highlight",
  table: HIGHLIGHTS,
  toThought: toHighlight,
};
