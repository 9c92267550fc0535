/** The tables of notices. Times are epoch milliseconds, truth values 0 and 1. */

import { ownAuditedTable } from "../../kernel/store/audited-rows.ts";
import type { Migration } from "../../kernel/store/migrate.ts";
import type { NoticeTable } from "./notice-tables.ts";

export const NOTICES = ownAuditedTable<NoticeTable>("notice", {
  told: ["name", "url", "kinds", "secret_version"],
  untold: ["cursor"],
});

export const noticeTables: Migration = {
  name: "120-notices",
  audited: [NOTICES],
  statements: ({ int, strict }) => [
    `create table notice (
      id text not null primary key,
      name text not null,
      url text not null,
      kinds text not null,
      project_id text references project (id),
      is_enabled ${int} not null check (is_enabled in (0, 1)),
      secret_version ${int} not null,
      cursor text not null,
      created_by text not null,
      version ${int} not null,
      created_at ${int} not null,
      updated_at ${int} not null,
      row_hash text not null
    ${strict}`,
    `create table notice_message (
      id text not null primary key,
      notice_id text not null references notice (id) on delete cascade,
      kind text not null,
      body text not null,
      state text not null check (state in ('pending','delivered','failed')),
      attempts ${int} not null,
      next_at ${int},
      last_status ${int},
      last_note text,
      created_at ${int} not null,
      finished_at ${int},
      check ((state = 'pending') = (next_at is not null))
    ${strict}`,
    "create index notice_message_due on notice_message (next_at) where next_at is not null",
    "create index notice_message_by_age on notice_message (notice_id, created_at, id)",
  ],
};
