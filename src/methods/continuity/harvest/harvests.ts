/** Harvests as they are kept: what was proposed, what it was compared with, and what became of it. */

import { type Expression, expressionBuilder, type SqlBool } from "kysely";
import { notFound } from "../../../kernel/base/errors.ts";
import {
  type Act,
  checkVersion,
  getForChange,
  insertAudited,
  updateAudited,
} from "../../../kernel/store/audited-rows.ts";
import { toJsonText } from "../../../kernel/store/cells.ts";
import {
  type DatabaseWork,
  execute,
  query,
  queryFirst,
} from "../../../kernel/store/database-work.ts";
import {
  afterPlace,
  type Page,
  type PageRequest,
  planPage,
  toPage,
} from "../../../kernel/store/page.ts";
import type { Tables } from "../../../kernel/store/tables.ts";
import { type Viewer, visibleProjects } from "../../../kernel/store/visibility.ts";
import { type Candidate, type NewCandidate, newCandidateRow, toCandidate } from "./candidates.ts";
import { HARVESTS } from "./harvest-migration.ts";
import {
  type CandidateTable,
  type HarvestKind,
  type HarvestState,
  type HarvestTable,
  harvests,
} from "./harvest-tables.ts";
import type { TextRange } from "./reading/answer-outline.ts";

export interface Harvest {
  readonly id: string;
  readonly kind: HarvestKind;
  readonly packetId: string | undefined;
  readonly conversationId: string | undefined;
  readonly projectId: string | undefined;
  readonly runId: string | undefined;
  readonly exchangeId: string | undefined;
  readonly answer: string | undefined;
  readonly readBy: string;
  readonly notes: readonly string[];
  readonly advice: TextRange | undefined;
  readonly state: HarvestState;
  readonly counts: HarvestCounts;
  readonly matchedAt: number;
  readonly undoneAt: number | undefined;
  readonly purgedAt: number | undefined;
  readonly createdBy: string;
  readonly version: number;
  readonly createdAt: number;
  readonly updatedAt: number;
}

export interface HarvestCounts {
  readonly proposed: number;
  readonly accepted: number;
  readonly skipped: number;
}

export interface NewHarvest {
  readonly id: string;
  readonly packetId?: string | undefined;
  readonly conversationId?: string | undefined;
  readonly projectId: string | undefined;
  readonly runId?: string | undefined;
  readonly exchangeId?: string | undefined;
  readonly answer?: string | undefined;
  readonly answerHash?: string | undefined;
  readonly readBy: string;
  readonly notes: readonly string[];
  readonly advice?: TextRange | undefined;
  readonly matchedAt: number;
  readonly candidates: readonly NewCandidate[];
}

export function* insertHarvest(harvest: NewHarvest, act: Act): DatabaseWork<Harvest> {
  const { candidates, advice } = harvest;
  const row = {
    id: harvest.id,
    kind: harvest.packetId === undefined ? ("conversation" as const) : ("answer" as const),
    packet_id: harvest.packetId ?? null,
    conversation_id: harvest.conversationId ?? null,
    project_id: harvest.projectId ?? null,
    run_id: harvest.runId ?? null,
    exchange_id: harvest.exchangeId ?? null,
    answer: harvest.answer ?? null,
    answer_hash: harvest.answerHash ?? null,
    read_by: harvest.readBy,
    notes: toJsonText([...harvest.notes]),
    advice_start: advice?.start ?? null,
    advice_end: advice?.end ?? null,
    state: candidates.length === 0 ? ("reviewed" as const) : ("open" as const),
    proposed: candidates.length,
    accepted: 0,
    skipped: 0,
    matched_at: harvest.matchedAt,
    undone_at: null,
    purged_at: null,
    created_by: act.actor,
    version: 1,
    created_at: act.now,
    updated_at: act.now,
  };
  const inserted = yield* insertAudited(HARVESTS, row, act, {
    projectId: row.project_id,
    verb: "read",
  });
  for (const [index, candidate] of candidates.entries()) {
    const cells = newCandidateRow(harvest.id, index + 1, candidate);
    yield* execute(harvests.insertInto("harvest_candidate").values(cells));
  }
  return toHarvest(inserted);
}

/** Of a visible project; without one by whoever read it. */
export function seesHarvest(viewer: Viewer): Expression<SqlBool> {
  const where = expressionBuilder<Tables & { harvest: HarvestTable }, "harvest">();
  if (viewer === "everything" || viewer.role === "admin") return where.and([]);
  return where.or([
    where("harvest.project_id", "in", visibleProjects(viewer)),
    where.and([
      where("harvest.project_id", "is", null),
      where("harvest.created_by", "=", viewer.userId),
    ]),
  ]);
}

export function* getHarvest(id: string, viewer: Viewer): DatabaseWork<Harvest> {
  const row = yield* queryFirst(
    harvests.selectFrom("harvest").selectAll().where("id", "=", id).where(seesHarvest(viewer)),
  );
  if (row === undefined) throw notFound("harvest", id);
  return toHarvest(row);
}

export function* findHarvestOfAnswer(
  packetId: string,
  answerHash: string,
): DatabaseWork<Harvest | undefined> {
  const row = yield* queryFirst(
    harvests
      .selectFrom("harvest")
      .selectAll()
      .where("packet_id", "=", packetId)
      .where("answer_hash", "=", answerHash),
  );
  return row && toHarvest(row);
}

export function* listHarvestsOfPacket(packetId: string): DatabaseWork<readonly Harvest[]> {
  const rows = yield* query(
    harvests.selectFrom("harvest").selectAll().where("packet_id", "=", packetId).orderBy("id"),
  );
  return rows.map(toHarvest);
}

export interface HarvestFilter extends PageRequest {
  readonly viewer: Viewer;
  readonly projectId?: string | undefined;
  readonly packetId?: string | undefined;
  readonly conversationId?: string | undefined;
  readonly state?: HarvestState | undefined;
}

export function* listHarvests(filter: HarvestFilter): DatabaseWork<Page<Harvest>> {
  const plan = planPage(filter);
  const { viewer, projectId, packetId, conversationId, state } = filter;
  let select = harvests
    .selectFrom("harvest")
    .selectAll()
    .where(seesHarvest(viewer))
    .where((where) => afterPlace(where, plan, { at: "created_at", id: "id" }))
    .orderBy("created_at", plan.direction)
    .orderBy("id", plan.direction)
    .limit(plan.limit + 1);
  if (projectId !== undefined) select = select.where("project_id", "=", projectId);
  if (packetId !== undefined) select = select.where("packet_id", "=", packetId);
  if (conversationId !== undefined) select = select.where("conversation_id", "=", conversationId);
  if (state !== undefined) select = select.where("state", "=", state);
  const place = (row: HarvestTable) => ({ at: row.created_at, id: row.id });
  return toPage(yield* query(select), plan, place, toHarvest);
}

export function* listCandidates(harvestId: string): DatabaseWork<readonly Candidate[]> {
  const rows = yield* query(
    harvests
      .selectFrom("harvest_candidate")
      .selectAll()
      .where("harvest_id", "=", harvestId)
      .orderBy("number"),
  );
  return rows.map(toCandidate);
}

/** Others who want to review or undo the same harvest wait until commit. */
export function* lockHarvest(
  id: string,
  viewer: Viewer,
  expectedVersion?: number,
): DatabaseWork<Harvest> {
  const row = yield* getForChange(HARVESTS, id);
  checkVersion("harvest", row, expectedVersion);
  return yield* getHarvest(row.id, viewer);
}

export function* updateCandidate(
  harvestId: string,
  number: number,
  cells: Partial<CandidateTable>,
): DatabaseWork<void> {
  yield* execute(
    harvests
      .updateTable("harvest_candidate")
      .set(cells)
      .where("harvest_id", "=", harvestId)
      .where("number", "=", number),
  );
}

/** Counts its candidates anew and tells of it. */
export function* tellHarvest(
  id: string,
  verb: string,
  act: Act,
  cells: Partial<
    Pick<HarvestTable, "undone_at" | "matched_at" | "answer" | "purged_at" | "notes">
  > = {},
): DatabaseWork<Harvest> {
  const before = yield* getForChange(HARVESTS, id);
  const candidates = yield* listCandidates(id);
  const count = (status: Candidate["status"]) =>
    candidates.filter((candidate) => candidate.status === status).length;
  const proposed = count("proposed");
  const patch = {
    ...cells,
    state: proposed === 0 ? ("reviewed" as const) : ("open" as const),
    proposed,
    accepted: count("accepted"),
    skipped: count("skipped"),
  };
  const place = { projectId: before.project_id, verb };
  return toHarvest(yield* updateAudited(HARVESTS, before, patch, act, place));
}

function toHarvest(row: HarvestTable): Harvest {
  return {
    id: row.id,
    kind: row.kind,
    packetId: row.packet_id ?? undefined,
    conversationId: row.conversation_id ?? undefined,
    projectId: row.project_id ?? undefined,
    runId: row.run_id ?? undefined,
    exchangeId: row.exchange_id ?? undefined,
    answer: row.answer ?? undefined,
    readBy: row.read_by,
    notes: JSON.parse(row.notes) as readonly string[],
    advice:
      row.advice_start === null || row.advice_end === null
        ? undefined
        : { start: row.advice_start, end: row.advice_end },
    state: row.state,
    counts: { proposed: row.proposed, accepted: row.accepted, skipped: row.skipped },
    matchedAt: row.matched_at,
    undoneAt: row.undone_at ?? undefined,
    purgedAt: row.purged_at ?? undefined,
    createdBy: row.created_by,
    version: row.version,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
