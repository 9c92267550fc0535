/** The rows of harvests, as the database holds them; `harvest-migration.ts` makes them. */

import { tablesOf } from "../../../kernel/store/query-builder.ts";
import type { PacketTable } from "../packet/packet-tables.ts";
import type { MatchKind } from "./matching/match-kinds.ts";
import type { CandidateType } from "./reading/candidate-types.ts";

/** Out of an answer to a packet, or out of a conversation. */
export const HARVEST_KINDS = ["answer", "conversation"] as const;
export type HarvestKind = (typeof HARVEST_KINDS)[number];

export const HARVEST_STATES = ["open", "reviewed"] as const;
export type HarvestState = (typeof HARVEST_STATES)[number];

export const CANDIDATE_STATUSES = ["proposed", "accepted", "skipped"] as const;
export type CandidateStatus = (typeof CANDIDATE_STATUSES)[number];

/** What became of an accepted candidate: `linked` was there already. */
export const OUTCOMES = ["created", "updated", "superseded", "linked"] as const;
export type Outcome = (typeof OUTCOMES)[number];

export interface HarvestTable {
  id: string;
  kind: HarvestKind;
  packet_id: string | null;
  conversation_id: string | null;
  project_id: string | null;
  /** The run and the exchange that the words came from, where a model was called. */
  run_id: string | null;
  exchange_id: string | null;
  /** As it was read, without what is redacted; null for a conversation, and once purged. */
  answer: string | null;
  /** Of the answer as it was given, so that the same one is recognised. */
  answer_hash: string | null;
  read_by: string;
  /** What a reviewer should know about the reading, as a JSON list of sentences. */
  notes: string;
  /** What the answer recommends: where in it that stands. */
  advice_start: number | null;
  advice_end: number | null;
  state: HarvestState;
  proposed: number;
  accepted: number;
  skipped: number;
  /** Thoughts made since then have not been compared. */
  matched_at: number;
  undone_at: number | null;
  purged_at: number | null;
  created_by: string;
  version: number;
  created_at: number;
  updated_at: number;
  row_hash: string;
}

export interface CandidateTable {
  harvest_id: string;
  number: number;
  type: CandidateType;
  /** A highlight's label. */
  title: string | null;
  body: string;
  is_blocker: number;
  is_open_loop: number;
  quote: string;
  /** In the answer, or in the message. */
  quote_start: number;
  quote_end: number;
  message_id: string | null;
  replaces: string | null;
  match_kind: MatchKind;
  match_type: CandidateType | null;
  match_id: string | null;
  match_reason: string;
  status: CandidateStatus;
  outcome: Outcome | null;
  made_type: CandidateType | null;
  made_id: string | null;
  /** Of the thought's row right after, so that a later change is noticed. */
  made_hash: string | null;
  /** What has to be put back to take it back, as JSON. */
  undo: string | null;
  decided_by: string | null;
  decided_at: number | null;
}

interface OwnTables {
  harvest: HarvestTable;
  harvest_candidate: CandidateTable;
  packet: PacketTable;
}

export const harvests = tablesOf<OwnTables>();
