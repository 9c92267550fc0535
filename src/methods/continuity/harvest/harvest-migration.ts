/** The tables of harvests. Times are epoch milliseconds, truth values 0 and 1, JSON is text. */

import { ownAuditedTable } from "../../../kernel/store/audited-rows.ts";
import type { Migration } from "../../../kernel/store/migrate.ts";
import { quotedWords } from "../quoted-words.ts";
import {
  CANDIDATE_STATUSES,
  HARVEST_KINDS,
  HARVEST_STATES,
  type HarvestTable,
  OUTCOMES,
} from "./harvest-tables.ts";
import { MATCH_KINDS } from "./matching/match-kinds.ts";
import { CANDIDATE_TYPES } from "./reading/candidate-types.ts";

export const HARVESTS = ownAuditedTable<HarvestTable>("harvest", {
  told: ["kind", "answer_hash", "read_by", "state"],
  goesAlong: true,
});

export const harvestTables: Migration = {
  name: "221-harvests",
  audited: [HARVESTS],
  statements: ({ int, strict }) => [
    `create table harvest (
      id text not null primary key,
      kind text not null check (kind in (${quotedWords(HARVEST_KINDS)})),
      packet_id text references packet (id) on delete cascade,
      conversation_id text references conversation (id) on delete cascade,
      project_id text references project (id) on delete cascade,
      run_id text,
      exchange_id text,
      answer text,
      answer_hash text,
      read_by text not null,
      notes text not null default '[]',
      advice_start ${int},
      advice_end ${int},
      state text not null check (state in (${quotedWords(HARVEST_STATES)})),
      proposed ${int} not null,
      accepted ${int} not null,
      skipped ${int} not null,
      matched_at ${int} not null,
      undone_at ${int},
      purged_at ${int},
      created_by text not null,
      version ${int} not null,
      created_at ${int} not null,
      updated_at ${int} not null,
      row_hash text not null,
      check ((kind = 'answer') = (packet_id is not null)),
      check ((kind = 'conversation') = (conversation_id is not null)),
      check ((state = 'reviewed') = (proposed = 0))
    ${strict}`,
    "create index harvest_by_age on harvest (created_at, id)",
    "create index harvest_by_project on harvest (project_id, created_at, id) where project_id is not null",
    "create unique index harvest_by_answer on harvest (packet_id, answer_hash) where packet_id is not null",
    "create index harvest_by_conversation on harvest (conversation_id, created_at, id) where conversation_id is not null",
    `create table harvest_candidate (
      harvest_id text not null references harvest (id) on delete cascade,
      number ${int} not null,
      type text not null check (type in (${quotedWords(CANDIDATE_TYPES)})),
      title text,
      body text not null,
      is_blocker ${int} not null check (is_blocker in (0, 1)),
      is_open_loop ${int} not null check (is_open_loop in (0, 1)),
      quote text not null,
      quote_start ${int} not null,
      quote_end ${int} not null,
      message_id text references message (id) on delete cascade,
      replaces text,
      match_kind text not null check (match_kind in (${quotedWords(MATCH_KINDS)})),
      match_type text check (match_type in (${quotedWords(CANDIDATE_TYPES)})),
      match_id text,
      match_reason text not null,
      status text not null check (status in (${quotedWords(CANDIDATE_STATUSES)})),
      outcome text check (outcome in (${quotedWords(OUTCOMES)})),
      made_type text check (made_type in (${quotedWords(CANDIDATE_TYPES)})),
      made_id text,
      made_hash text,
      undo text,
      decided_by text,
      decided_at ${int},
      primary key (harvest_id, number),
      check ((match_type is null) = (match_id is null)),
      check ((status = 'accepted') = (outcome is not null)),
      check ((outcome is null) = (made_id is null))
    ${strict}`,
    "create index harvest_candidate_by_message on harvest_candidate (message_id) where message_id is not null",
    "create index harvest_candidate_by_match on harvest_candidate (match_id) where match_id is not null",
  ],
};
