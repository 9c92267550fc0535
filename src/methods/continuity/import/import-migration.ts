/** The tables of imports. Times are epoch milliseconds, truth values 0 and 1, JSON is text. */

import type { Migration } from "../../../kernel/store/migrate.ts";
import { quotedWords } from "../quoted-words.ts";
import { IMPORT_STATES, ITEM_OUTCOMES } from "./import-tables.ts";
import { SOURCES } from "./imported-conversation.ts";

export const importTables: Migration = {
  name: "211-imports",
  statements: ({ int, strict }) => [
    `create table import (
      id text not null primary key,
      state text not null check (state in (${quotedWords(IMPORT_STATES)})),
      name text not null,
      bytes ${int} not null,
      branches text not null check (branches in ('visible','all')),
      project_id text references project (id) on delete set null,
      upload_id text not null,
      started_by text not null,
      worker text not null,
      beat_at ${int} not null,
      progress text not null default '{}',
      reason text,
      started_at ${int} not null,
      finished_at ${int},
      check ((state = 'running') = (finished_at is null))
    ${strict}`,
    "create index import_by_age on import (started_at, id)",
    "create index import_running on import (beat_at) where state = 'running'",
    `create table import_item (
      import_id text not null references import (id) on delete cascade,
      conversation_id text not null references conversation (id) on delete cascade,
      outcome text not null check (outcome in (${quotedWords(ITEM_OUTCOMES)})),
      messages_added ${int} not null,
      messages_edited ${int} not null,
      primary key (import_id, conversation_id)
    ${strict}`,
    "create index import_item_by_conversation on import_item (conversation_id)",
    `create table import_problem (
      import_id text not null references import (id) on delete cascade,
      position ${int} not null,
      file text not null,
      byte_offset ${int},
      line ${int},
      code text not null,
      message text not null,
      primary key (import_id, position)
    ${strict}`,
    `create table imported_conversation (
      conversation_id text not null primary key references conversation (id) on delete cascade,
      source text not null check (source in (${quotedWords(SOURCES)})),
      family text not null,
      is_branch ${int} not null check (is_branch in (0, 1)),
      title_hash text not null,
      digest text
    ${strict}`,
    "create index imported_conversation_by_family on imported_conversation (source, family)",
  ],
};
