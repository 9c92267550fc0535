/** The table of packets. Times are epoch milliseconds, JSON is text. */

import { ownAuditedTable } from "../../../kernel/store/audited-rows.ts";
import type { Migration } from "../../../kernel/store/migrate.ts";
import { quotedWords } from "../quoted-words.ts";
import { ORIGIN_TYPES, PACKET_STATUSES, type PacketTable, TARGET_TOOLS } from "./packet-tables.ts";

export const PACKETS = ownAuditedTable<PacketTable>("packet", {
  told: ["name", "origin_type", "intent", "target_tool", "hash", "status"],
  goesAlong: true,
});

export const packetTables: Migration = {
  name: "201-packets",
  audited: [PACKETS],
  statements: ({ int, strict }) => [
    `create table packet (
      id text not null primary key,
      name text not null,
      project_id text references project (id) on delete cascade,
      origin_type text not null check (origin_type in (${quotedWords(ORIGIN_TYPES)})),
      origin_id text not null,
      origin_conversation_id text,
      origin_message_id text,
      title text not null,
      intent text,
      custom_intent text,
      target_tool text not null check (target_tool in (${quotedWords(TARGET_TOOLS)})),
      budget ${int} not null,
      token_budget ${int},
      wishes text not null default '{}',
      text text,
      trace text,
      hash text not null,
      characters ${int} not null,
      tokens ${int} not null,
      counts text not null default '{}',
      status text not null check (status in (${quotedWords(PACKET_STATUSES)})),
      run_id text,
      exchange_id text,
      answer text,
      copied_at ${int},
      answered_at ${int},
      harvested_at ${int},
      abandoned_at ${int},
      purged_at ${int},
      created_by text not null,
      version ${int} not null,
      created_at ${int} not null,
      updated_at ${int} not null,
      row_hash text not null,
      check ((text is null) = (trace is null)),
      check ((text is null) = (purged_at is not null))
    ${strict}`,
    "create index packet_by_age on packet (created_at, id)",
    "create index packet_by_project on packet (project_id, created_at, id) where project_id is not null",
    "create index packet_by_name on packet (name, created_at, id)",
    "create index packet_by_origin on packet (origin_id, created_at, id)",
  ],
};
