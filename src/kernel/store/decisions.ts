/** Decisions: what was settled. One that supersedes another puts the other to rest in the same step. */

import { notFound } from "../base/errors.ts";
import { type Act, auditedTable } from "./audited-rows.ts";
import { toCells } from "./cells.ts";
import { type DatabaseWork, query, queryFirst } from "./database-work.ts";
import type { DecisionTable, SourceType } from "./noun-tables.ts";
import { afterPlace, type Page, type PageRequest, planPage, toPage } from "./page.ts";
import { changePlaced, deletePlaced, insertPlaced, type PlacedNoun } from "./placed-thoughts.ts";
import { db } from "./query-builder.ts";
import { refuseDependents, requireRow } from "./references.ts";
import {
  type NewThoughtSource,
  placeInConversation,
  requireSource,
  sourceCells,
  type ThoughtSource,
  toSource,
} from "./thought-source.ts";
import { seesDecision, type Viewer } from "./visibility.ts";

export interface Decision {
  readonly id: string;
  readonly title: string;
  readonly content: string;
  /** Without one it belongs to its conversation's projects. */
  readonly projectId: string | undefined;
  readonly conversationId: string | undefined;
  readonly messageId: string | undefined;
  readonly supersedesId: string | undefined;
  readonly source: ThoughtSource | undefined;
  readonly isInactive: boolean;
  readonly createdBy: string;
  readonly version: number;
  readonly createdAt: number;
  readonly updatedAt: number;
}

export interface NewDecision {
  readonly id: string;
  readonly title: string;
  readonly content?: string | undefined;
  readonly projectId?: string | undefined;
  readonly conversationId?: string | undefined;
  readonly messageId?: string | undefined;
  readonly supersedesId?: string | undefined;
  readonly source?: NewThoughtSource | undefined;
}

export interface DecisionPatch {
  readonly title?: string | undefined;
  readonly content?: string | undefined;
  readonly projectId?: string | null | undefined;
}

export const DECISIONS = auditedTable("decision", { told: ["source_type"] });

export function* insertDecision(decision: NewDecision, act: Act): DatabaseWork<Decision> {
  const { id, title, content = "", projectId, supersedesId, source } = decision;
  yield* requireRow("project", projectId);
  yield* requireRow("decision", supersedesId);
  yield* requireSource(source);
  const { conversationId, messageId } = yield* placeInConversation(decision);
  const row = {
    id,
    title,
    content,
    project_id: projectId ?? null,
    conversation_id: conversationId,
    message_id: messageId,
    supersedes_id: supersedesId ?? null,
    ...sourceCells(source),
    is_inactive: 0,
    created_by: act.actor,
    version: 1,
    created_at: act.now,
    updated_at: act.now,
  };
  const inserted = yield* insertPlaced(DECISION, row, act);
  if (supersedesId !== undefined) {
    yield* changePlaced(DECISION, supersedesId, { is_inactive: 1 }, act, { verb: "superseded" });
  }
  return inserted;
}

export function* findDecision(id: string, viewer: Viewer): DatabaseWork<Decision | undefined> {
  const row = yield* queryFirst(
    db.selectFrom("decision").selectAll().where("id", "=", id).where(seesDecision(viewer)),
  );
  return row && toDecision(row);
}

export function* getDecision(id: string, viewer: Viewer): DatabaseWork<Decision> {
  const decision = yield* findDecision(id, viewer);
  if (decision === undefined) throw notFound("decision", id);
  return decision;
}

export interface DecisionFilter extends PageRequest {
  readonly viewer: Viewer;
  /** Also those that belong to it through a conversation; these are always active. */
  readonly projectId?: string | undefined;
  readonly conversationId?: string | undefined;
  readonly source?: { readonly type: SourceType; readonly id: string } | undefined;
  /** False unless asked; `"both"` shows all. */
  readonly isInactive?: boolean | "both" | undefined;
}

export function* listDecisions(filter: DecisionFilter): DatabaseWork<Page<Decision>> {
  const plan = planPage(filter);
  const { viewer, projectId, conversationId, source, isInactive = false } = filter;
  let select = db
    .selectFrom("decision")
    .selectAll("decision")
    .where(seesDecision(viewer))
    .limit(plan.limit + 1);
  if (projectId === undefined) {
    select = select
      .where((where) => afterPlace(where, plan, { at: "decision.created_at", id: "decision.id" }))
      .orderBy("decision.created_at", plan.direction)
      .orderBy("decision.id", plan.direction);
  } else {
    const at = "project_thought.created_at";
    const id = "project_thought.thought_id";
    select = select
      .innerJoin("project_thought", "project_thought.thought_id", "decision.id")
      .where("project_thought.project_id", "=", projectId)
      .where("project_thought.kind", "=", "decision")
      .where((where) => afterPlace(where, plan, { at, id }))
      .orderBy(at, plan.direction)
      .orderBy(id, plan.direction);
  }
  if (conversationId !== undefined) select = select.where("conversation_id", "=", conversationId);
  if (source !== undefined) {
    select = select.where("source_type", "=", source.type).where("source_id", "=", source.id);
  }
  if (isInactive !== "both") {
    select = select.where("decision.is_inactive", "=", isInactive ? 1 : 0);
  }
  const place = (row: DecisionTable) => ({ at: row.created_at, id: row.id });
  return toPage(yield* query(select), plan, place, toDecision);
}

export function* updateDecision(
  id: string,
  patch: DecisionPatch,
  act: Act,
  expectedVersion?: number,
): DatabaseWork<Decision> {
  yield* requireRow("project", patch.projectId);
  return yield* changePlaced(DECISION, id, toCells(patch), act, { expectedVersion });
}

export function archiveDecision(
  id: string,
  act: Act,
  expectedVersion?: number,
): DatabaseWork<Decision> {
  return changePlaced(DECISION, id, { is_inactive: 1 }, act, { verb: "archived", expectedVersion });
}

export function restoreDecision(
  id: string,
  act: Act,
  expectedVersion?: number,
): DatabaseWork<Decision> {
  return changePlaced(DECISION, id, { is_inactive: 0 }, act, { verb: "restored", expectedVersion });
}

/** Refused while another decision supersedes it: the history would lose its middle. */
export function deleteDecision(id: string, act: Act, expectedVersion?: number): DatabaseWork<void> {
  return deletePlaced(DECISION, id, act, expectedVersion, () =>
    refuseDependents(
      "decision",
      id,
      [{ what: "decisions that supersede it", table: "decision", where: { supersedes_id: id } }],
      "It is put to rest already; leave it, or delete the later ones first.",
    ),
  );
}

export function toDecision(row: DecisionTable): Decision {
  return {
    id: row.id,
    title: row.title,
    content: row.content,
    projectId: row.project_id ?? undefined,
    conversationId: row.conversation_id ?? undefined,
    messageId: row.message_id ?? undefined,
    supersedesId: row.supersedes_id ?? undefined,
    source: toSource(row),
    isInactive: row.is_inactive === 1,
    createdBy: row.created_by,
    version: row.version,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

const DECISION: PlacedNoun<DecisionTable, Decision> = {
  kind: "decision",
  table: DECISIONS,
  toThought: toDecision,
};
