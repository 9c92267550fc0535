/** The rows of packets, as the database holds them; `packet-migration.ts` makes them. */

import { tablesOf } from "../../../kernel/store/query-builder.ts";
import type { Tables } from "../../../kernel/store/tables.ts";

export const TARGET_TOOLS = ["chatgpt", "claude", "cursor", "other"] as const;
export type TargetTool = (typeof TARGET_TOOLS)[number];

export const PACKET_STATUSES = [
  "drafted",
  "copied",
  "harvested",
  "partially_harvested",
  "abandoned",
] as const;
export type PacketStatus = (typeof PACKET_STATUSES)[number];

export const ORIGIN_TYPES = ["project", "task", "decision"] as const;
export type OriginType = (typeof ORIGIN_TYPES)[number];

export interface PacketTable {
  id: string;
  /** What the text itself calls the packet: taken from what it says, so equal packets share it. */
  name: string;
  project_id: string | null;
  origin_type: OriginType;
  origin_id: string;
  /** What the origin was drawn from, so that a redaction reaches the title. */
  origin_conversation_id: string | null;
  origin_message_id: string | null;
  /** The origin's title or name when it was compiled. */
  title: string;
  intent: string | null;
  custom_intent: string | null;
  target_tool: TargetTool;
  budget: number;
  token_budget: number | null;
  /** What had to be in and out, as JSON. */
  wishes: string;
  /** Null once purged; the hash stays. */
  text: string | null;
  /** Why it says what it says, packed; null once purged. */
  trace: string | null;
  hash: string;
  characters: number;
  tokens: number;
  counts: string;
  status: PacketStatus;
  /** The run that sent it to a model, the exchange with the reply, and the whole reply. */
  run_id: string | null;
  exchange_id: string | null;
  answer: string | null;
  copied_at: number | null;
  answered_at: number | null;
  harvested_at: number | null;
  abandoned_at: number | null;
  purged_at: number | null;
  created_by: string;
  version: number;
  created_at: number;
  updated_at: number;
  row_hash: string;
}

interface OwnTables {
  packet: PacketTable;
}

export type PacketTables = Tables & OwnTables;

export const packets = tablesOf<OwnTables>();
