/** Packets as they are kept: what was compiled, where it stands, and the answer that came back. */

import { type Expression, expressionBuilder, type SqlBool } from "kysely";
import { notFound, ProductError } from "../../../kernel/base/errors.ts";
import type { Json } from "../../../kernel/base/json.ts";
import type { CompiledPrompt } from "../../../kernel/prompt/compiled-prompt.ts";
import { type PromptTrace, packTrace, unpackTrace } from "../../../kernel/prompt/prompt-trace.ts";
import {
  type Act,
  checkVersion,
  deleteAudited,
  getForChange,
  insertAudited,
  updateAudited,
} from "../../../kernel/store/audited-rows.ts";
import { toJsonText } from "../../../kernel/store/cells.ts";
import { type DatabaseWork, query, queryFirst } from "../../../kernel/store/database-work.ts";
import {
  afterPlace,
  type Page,
  type PageRequest,
  planPage,
  toPage,
} from "../../../kernel/store/page.ts";
import type { TextOrigin } from "../../../kernel/store/redaction-scope.ts";
import { type Viewer, visibleProjects } from "../../../kernel/store/visibility.ts";
import type { CompiledPacket, PacketBudget, PacketCounts } from "./compile-packet.ts";
import type { PacketWishes } from "./packet-context.ts";
import { PACKETS } from "./packet-migration.ts";
import { checkTransition, type TransitionOptions } from "./packet-states.ts";
import type { TargetTool } from "./packet-tables.ts";
import {
  type OriginType,
  type PacketStatus,
  type PacketTable,
  type PacketTables,
  packets,
} from "./packet-tables.ts";

/** All of a packet but its words. */
export interface PacketHead {
  readonly id: string;
  readonly name: string;
  readonly projectId: string | undefined;
  readonly originType: OriginType;
  readonly originId: string;
  readonly originSource: TextOrigin;
  readonly title: string;
  readonly intent: string | undefined;
  readonly customIntent: string | undefined;
  readonly targetTool: TargetTool;
  readonly budget: PacketBudget;
  readonly wishes: PacketWishes;
  readonly hash: string;
  readonly characters: number;
  readonly tokens: number;
  readonly counts: PacketCounts;
  readonly status: PacketStatus;
  readonly runId: string | undefined;
  readonly exchangeId: string | undefined;
  readonly copiedAt: number | undefined;
  readonly answeredAt: number | undefined;
  readonly harvestedAt: number | undefined;
  readonly abandonedAt: number | undefined;
  readonly purgedAt: number | undefined;
  readonly createdBy: string;
  readonly version: number;
  readonly createdAt: number;
  readonly updatedAt: number;
}

export interface Packet extends PacketHead {
  /** Undefined once purged. */
  readonly prompt: CompiledPrompt | undefined;
  /** The whole reply of the model it was sent to, continuations joined. */
  readonly answer: string | undefined;
}

export interface NewPacket {
  readonly id: string;
  readonly projectId: string | undefined;
  readonly originType: OriginType;
  readonly originId: string;
  readonly originSource: TextOrigin;
  readonly title: string;
  readonly intent: string | undefined;
  readonly customIntent: string | undefined;
  readonly targetTool: TargetTool;
  readonly budget: PacketBudget;
  readonly wishes: PacketWishes;
  readonly compiled: CompiledPacket;
}

export function* insertPacket(packet: NewPacket, act: Act): DatabaseWork<Packet> {
  const { compiled, originSource, budget, wishes } = packet;
  const { prompt } = compiled;
  const row = {
    id: packet.id,
    name: compiled.name,
    project_id: packet.projectId ?? null,
    origin_type: packet.originType,
    origin_id: packet.originId,
    origin_conversation_id: originSource.conversationId,
    origin_message_id: originSource.messageId,
    title: packet.title,
    intent: packet.intent ?? null,
    custom_intent: packet.customIntent ?? null,
    target_tool: packet.targetTool,
    budget: budget.characters,
    token_budget: budget.tokens ?? null,
    wishes: toJsonText(wishes as unknown as Json),
    text: prompt.text,
    trace: toJsonText(packTrace(prompt)),
    hash: prompt.hash,
    characters: prompt.characters,
    tokens: compiled.tokens,
    counts: toJsonText(compiled.counts as unknown as Json),
    status: "drafted" as const,
    run_id: null,
    exchange_id: null,
    answer: null,
    copied_at: null,
    answered_at: null,
    harvested_at: null,
    abandoned_at: null,
    purged_at: null,
    created_by: act.actor,
    version: 1,
    created_at: act.now,
    updated_at: act.now,
  };
  const place = { projectId: row.project_id, verb: "compiled" };
  return toPacket(yield* insertAudited(PACKETS, row, act, place));
}

/** Of a visible project; without one by whoever compiled it. */
export function seesPacket(viewer: Viewer): Expression<SqlBool> {
  const where = expressionBuilder<PacketTables, "packet">();
  if (viewer === "everything" || viewer.role === "admin") return where.and([]);
  return where.or([
    where("packet.project_id", "in", visibleProjects(viewer)),
    where.and([
      where("packet.project_id", "is", null),
      where("packet.created_by", "=", viewer.userId),
    ]),
  ]);
}

export function* findPacket(id: string, viewer: Viewer): DatabaseWork<Packet | undefined> {
  const row = yield* queryFirst(
    packets.selectFrom("packet").selectAll().where("id", "=", id).where(seesPacket(viewer)),
  );
  return row && toPacket(row);
}

export function* getPacket(id: string, viewer: Viewer): DatabaseWork<Packet> {
  const packet = yield* findPacket(id, viewer);
  if (packet === undefined) throw notFound("packet", id);
  return packet;
}

/** The newest of that name; an answer says no more than the name. */
export function* findPacketByName(name: string, viewer: Viewer): DatabaseWork<Packet | undefined> {
  const row = yield* queryFirst(
    packets
      .selectFrom("packet")
      .selectAll()
      .where("name", "=", name)
      .where(seesPacket(viewer))
      .orderBy("created_at", "desc")
      .orderBy("id", "desc")
      .limit(1),
  );
  return row && toPacket(row);
}

export interface PacketFilter extends PageRequest {
  readonly viewer: Viewer;
  readonly projectId?: string | undefined;
  readonly originId?: string | undefined;
  readonly statuses?: readonly PacketStatus[] | undefined;
}

export function* listPackets(filter: PacketFilter): DatabaseWork<Page<PacketHead>> {
  const plan = planPage(filter);
  const { viewer, projectId, originId, statuses } = filter;
  let select = packets
    .selectFrom("packet")
    .select(HEAD_COLUMNS)
    .where(seesPacket(viewer))
    .where((where) => afterPlace(where, plan, { at: "created_at", id: "id" }))
    .orderBy("created_at", plan.direction)
    .orderBy("id", plan.direction)
    .limit(plan.limit + 1);
  if (projectId !== undefined) select = select.where("project_id", "=", projectId);
  if (originId !== undefined) select = select.where("origin_id", "=", originId);
  if (statuses !== undefined) select = select.where("status", "in", [...statuses]);
  const place = (row: HeadRow) => ({ at: row.created_at, id: row.id });
  return toPage(yield* query(select), plan, place, toHead);
}

const HEAD_COLUMNS = [
  "id",
  "name",
  "project_id",
  "origin_type",
  "origin_id",
  "origin_conversation_id",
  "origin_message_id",
  "title",
  "intent",
  "custom_intent",
  "target_tool",
  "budget",
  "token_budget",
  "wishes",
  "hash",
  "characters",
  "tokens",
  "counts",
  "status",
  "run_id",
  "exchange_id",
  "copied_at",
  "answered_at",
  "harvested_at",
  "abandoned_at",
  "purged_at",
  "created_by",
  "version",
  "created_at",
  "updated_at",
] as const;

type HeadRow = Pick<PacketTable, (typeof HEAD_COLUMNS)[number]>;

export interface PacketMove extends TransitionOptions {
  readonly expectedVersion?: number | undefined;
}

/** Throws `packet_transition` where the status may not change so. */
export function* movePacket(
  id: string,
  status: PacketStatus,
  act: Act,
  { expectedVersion, ...options }: PacketMove = {},
): DatabaseWork<Packet> {
  const before = yield* getForChange(PACKETS, id);
  checkVersion("packet", before, expectedVersion);
  checkTransition(before.status, status, options);
  const isHarvest = status === "harvested" || status === "partially_harvested";
  const cells = {
    status,
    copied_at: status === "copied" ? (before.copied_at ?? act.now) : before.copied_at,
    harvested_at: isHarvest ? act.now : options.isUndo ? null : before.harvested_at,
    abandoned_at: status === "abandoned" ? act.now : before.abandoned_at,
  };
  const verb = options.isUndo ? "harvest-undone" : status.replace("_", "-");
  const place = { projectId: before.project_id, verb };
  return toPacket(yield* updateAudited(PACKETS, before, cells, act, place));
}

/** Which run an answer will come from, so that it can be watched while it arrives. One that has its answer keeps it. */
export function* rememberSending(id: string, runId: string, act: Act): DatabaseWork<void> {
  const before = yield* getForChange(PACKETS, id);
  if (before.answer !== null) return;
  const place = { projectId: before.project_id, verb: "sent" };
  yield* updateAudited(PACKETS, before, { run_id: runId }, act, place);
}

export interface PacketAnswer {
  readonly runId: string;
  readonly exchangeId: string;
  readonly text: string;
}

/** A later answer takes the place of an earlier one; every exchange is still on record. */
export function* keepAnswer(
  id: string,
  { runId, exchangeId, text }: PacketAnswer,
  act: Act,
): DatabaseWork<Packet> {
  const before = yield* getForChange(PACKETS, id);
  const cells = { run_id: runId, exchange_id: exchangeId, answer: text, answered_at: act.now };
  const place = { projectId: before.project_id, verb: "answered" };
  return toPacket(yield* updateAudited(PACKETS, before, cells, act, place));
}

/**
 * Forgets the words and keeps the hash; also the words of its title, unless that is a project's name, which holds
 * nothing drawn from anywhere.
 */
export function* purgePacket(
  id: string,
  act: Act,
  isHeld: (text: string) => boolean,
): DatabaseWork<Packet> {
  const before = yield* getForChange(PACKETS, id);
  const isName = before.origin_type === "project" && !isHeld(before.title);
  const cells = {
    title: isName ? before.title : PURGED,
    custom_intent: before.custom_intent === null ? null : PURGED,
    text: null,
    trace: null,
    answer: null,
    purged_at: before.purged_at ?? act.now,
  };
  const place = { projectId: before.project_id, verb: "purged" };
  return toPacket(yield* updateAudited(PACKETS, before, cells, act, place));
}

const PURGED = "[redacted]";

export function* deletePacket(id: string, act: Act): DatabaseWork<void> {
  const before = yield* getForChange(PACKETS, id);
  yield* deleteAudited(PACKETS, before, act, { projectId: before.project_id });
}

/** The prompt of a packet that must still have it. */
export function requirePrompt({ id, prompt, purgedAt }: Packet): CompiledPrompt {
  if (prompt !== undefined) return prompt;
  throw new ProductError("packet_purged", `The words of packet "${id}" were purged.`, {
    kind: "conflict",
    hint: "They held something that was redacted. Compile a new packet.",
    details: { id, purgedAt },
  });
}

function toPacket(row: PacketTable): Packet {
  return { ...toHead(row), prompt: toPrompt(row), answer: row.answer ?? undefined };
}

function toHead(row: HeadRow): PacketHead {
  return {
    id: row.id,
    name: row.name,
    projectId: row.project_id ?? undefined,
    originType: row.origin_type,
    originId: row.origin_id,
    originSource: { conversationId: row.origin_conversation_id, messageId: row.origin_message_id },
    title: row.title,
    intent: row.intent ?? undefined,
    customIntent: row.custom_intent ?? undefined,
    targetTool: row.target_tool,
    budget: { characters: row.budget, tokens: row.token_budget ?? undefined },
    wishes: JSON.parse(row.wishes) as PacketWishes,
    hash: row.hash,
    characters: row.characters,
    tokens: row.tokens,
    counts: JSON.parse(row.counts) as PacketCounts,
    status: row.status,
    runId: row.run_id ?? undefined,
    exchangeId: row.exchange_id ?? undefined,
    copiedAt: row.copied_at ?? undefined,
    answeredAt: row.answered_at ?? undefined,
    harvestedAt: row.harvested_at ?? undefined,
    abandonedAt: row.abandoned_at ?? undefined,
    purgedAt: row.purged_at ?? undefined,
    createdBy: row.created_by,
    version: row.version,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

function toPrompt({ text, trace }: PacketTable): CompiledPrompt | undefined {
  if (text === null || trace === null) return undefined;
  const kept = unpackTrace(JSON.parse(trace) as Json) as unknown as PromptTrace;
  const { blocks, ...rest } = kept;
  return { ...rest, text, messages: [{ role: "user", text, blocks: blocks[0] ?? [] }] };
}
