/**
 * The tables of people and of thinking. Times are epoch milliseconds, truth values 0 and 1, JSON is text.
 * `"user"` is quoted: PostgreSQL reads the bare word as the database user.
 */

import type { ColumnWords, Migration } from "./migrate.ts";

export const nounTables: Migration = {
  name: "002-nouns",
  statements: (words) => [
    ...peopleTables(words),
    ...projectTables(words),
    ...conversationTables(words),
    ...thoughtTables(words),
    ...redactionAndTeamTables(words),
  ],
};

const ROLE = "check (role in ('viewer','reviewer','operator','admin'))";
const SOURCE = `source_type text check (source_type in ('highlight','packet','message','conversation','run')),
      source_id text,
      quote text`;

function truth(name: string, { int }: ColumnWords): string {
  return `${name} ${int} not null default 0 check (${name} in (0, 1))`;
}

function peopleTables(words: ColumnWords): readonly string[] {
  const { int, strict } = words;
  return [
    `create table "user" (
      id text not null primary key,
      email text,
      display_name text not null,
      role text not null ${ROLE},
      is_active ${int} not null check (is_active in (0, 1)),
      ${truth("is_agent", words)},
      agent_prompt text,
      model text,
      groups text not null default '[]',
      preferences text not null default '{}',
      password_hash text,
      version ${int} not null,
      created_at ${int} not null,
      updated_at ${int} not null,
      row_hash text not null,
      check (is_agent = 0 or (role <> 'admin' and password_hash is null))
    ${strict}`,
    `create unique index user_email on "user" (email) where email is not null`,
    `create table token (
      id text not null primary key,
      user_id text not null references "user" (id) on delete cascade,
      name text not null,
      token_hash text not null unique,
      prefix text not null,
      scopes text,
      created_at ${int} not null,
      expires_at ${int},
      last_used_at ${int},
      revoked_at ${int},
      row_hash text not null
    ${strict}`,
    "create index token_by_user on token (user_id, created_at)",
    `create table login (
      id text not null primary key,
      user_id text not null references "user" (id) on delete cascade,
      label text,
      cookie_hash text not null unique,
      origin_secret_hash text not null,
      created_at ${int} not null,
      last_seen_at ${int} not null,
      expires_at ${int} not null,
      revoked_at ${int},
      row_hash text not null
    ${strict}`,
    "create index login_by_user on login (user_id, created_at)",
    `create table login_code (
      code_hash text not null primary key,
      user_id text not null references "user" (id) on delete cascade,
      created_at ${int} not null,
      expires_at ${int} not null,
      used_at ${int}
    ${strict}`,
    `create table idempotency (
      principal text not null,
      route text not null,
      key text not null,
      request_hash text not null,
      state text not null check (state in ('running','done')),
      owner text not null,
      leased_until ${int} not null,
      has_effect ${int} not null check (has_effect in (0, 1)),
      status_code ${int},
      response text,
      created_at ${int} not null,
      finished_at ${int},
      primary key (principal, route, key)
    ${strict}`,
    "create index idempotency_by_age on idempotency (created_at)",
    `create table setting (
      scope text not null check (scope in ('workspace','project','user')),
      scope_id text not null,
      key text not null,
      value text not null,
      version ${int} not null,
      created_at ${int} not null,
      updated_at ${int} not null,
      row_hash text not null,
      primary key (scope, scope_id, key),
      check ((scope = 'workspace') = (scope_id = ''))
    ${strict}`,
  ];
}

function projectTables(words: ColumnWords): readonly string[] {
  const { int, strict } = words;
  return [
    `create table project (
      id text not null primary key,
      name text not null,
      description text not null default '',
      glossary text not null default '[]',
      owner_id text not null references "user" (id),
      visibility text not null check (visibility in ('private','workspace')),
      repository text,
      ${truth("is_archived", words)},
      version ${int} not null,
      created_at ${int} not null,
      updated_at ${int} not null,
      row_hash text not null
    ${strict}`,
    "create index project_by_age on project (created_at, id)",
    "create index project_by_owner on project (owner_id)",
    `create table project_member (
      project_id text not null references project (id) on delete cascade,
      user_id text not null references "user" (id) on delete cascade,
      role text not null ${ROLE},
      created_at ${int} not null,
      updated_at ${int} not null,
      row_hash text not null,
      primary key (project_id, user_id)
    ${strict}`,
    "create index project_member_by_user on project_member (user_id, project_id)",
  ];
}

function conversationTables(words: ColumnWords): readonly string[] {
  const { int, strict } = words;
  return [
    `create table conversation (
      id text not null primary key,
      title text not null,
      source text not null,
      source_id text,
      details text not null default '{}',
      ${truth("is_inactive", words)},
      message_count ${int} not null default 0,
      started_at ${int} not null,
      created_by text not null,
      version ${int} not null,
      created_at ${int} not null,
      updated_at ${int} not null,
      row_hash text not null
    ${strict}`,
    "create unique index conversation_source on conversation (source, source_id) where source_id is not null",
    "create index conversation_by_age on conversation (created_at, id)",
    `create table message (
      id text not null primary key,
      conversation_id text not null references conversation (id) on delete cascade,
      role text not null check (role in ('user','assistant','system','tool','other')),
      position ${int} not null,
      content text not null,
      at ${int},
      source_id text,
      created_at ${int} not null,
      row_hash text not null
    ${strict}`,
    "create index message_in_order on message (conversation_id, position, id)",
    "create unique index message_source on message (conversation_id, source_id) where source_id is not null",
    `create table conversation_project (
      conversation_id text not null references conversation (id) on delete cascade,
      project_id text not null references project (id) on delete cascade,
      started_at ${int} not null,
      created_at ${int} not null,
      row_hash text not null,
      primary key (conversation_id, project_id)
    ${strict}`,
    "create index conversation_newest_of_project on conversation_project (project_id, started_at, conversation_id)",
  ];
}

function thoughtTables(words: ColumnWords): readonly string[] {
  const { int, real, strict } = words;
  return [
    `create table highlight (
      id text not null primary key,
      content text not null,
      label text,
      project_id text references project (id),
      conversation_id text references conversation (id),
      message_id text references message (id),
      span_start ${int},
      span_end ${int},
      ${SOURCE},
      ${truth("is_inactive", words)},
      created_by text not null,
      version ${int} not null,
      created_at ${int} not null,
      updated_at ${int} not null,
      row_hash text not null,
      check ((span_start is null) = (span_end is null)),
      check (span_start is null or (message_id is not null and span_start >= 0 and span_end > span_start))
    ${strict}`,
    "create index highlight_by_age on highlight (created_at, id)",
    "create index highlight_by_project on highlight (project_id, created_at, id) where project_id is not null",
    "create index highlight_by_conversation on highlight (conversation_id, created_at, id) where conversation_id is not null",
    "create index highlight_by_message on highlight (message_id) where message_id is not null",
    `create table task (
      id text not null primary key,
      title text not null,
      summary text,
      description text,
      extra_prompt text,
      additional_info text,
      status text not null check (status in ('pending','in_progress','waiting','on_hold','completed','failed','cancelled')),
      urgency text not null check (urgency in ('low','normal','high','urgent')),
      parent_id text references task (id),
      project_id text references project (id),
      run_id text,
      workflow_id text,
      workflow_version ${int},
      stage text,
      assignee_id text references "user" (id),
      tags text not null default '[]',
      input text,
      output text,
      confidence ${real} check (confidence >= 0 and confidence <= 1),
      questions text not null default '[]',
      ${truth("is_blocker", words)},
      ${truth("is_open_loop", words)},
      ${truth("has_blocker", words)},
      ${truth("has_open_loop", words)},
      ${truth("is_pressing", words)},
      ${SOURCE},
      ${truth("is_inactive", words)},
      hold_reason text,
      started_at ${int},
      finished_at ${int},
      created_by text not null,
      version ${int} not null,
      created_at ${int} not null,
      updated_at ${int} not null,
      row_hash text not null
    ${strict}`,
    "create index task_by_age on task (created_at, id)",
    "create index task_by_project on task (project_id, created_at, id) where project_id is not null",
    "create index task_newest_of_class on task (project_id, status, has_blocker, has_open_loop, is_pressing, created_at, id) where is_inactive = 0",
    "create index task_last_completed on task (project_id, finished_at, id) where status = 'completed' and is_inactive = 0",
    "create index task_by_assignee on task (assignee_id, status, created_at, id) where assignee_id is not null",
    "create index task_by_run on task (run_id, created_at, id) where run_id is not null",
    "create index task_by_parent on task (parent_id, created_at, id) where parent_id is not null",
    "create index task_by_source on task (source_type, source_id) where source_id is not null",
    `create table decision (
      id text not null primary key,
      title text not null,
      content text not null,
      project_id text references project (id),
      conversation_id text references conversation (id),
      message_id text references message (id),
      supersedes_id text references decision (id),
      ${SOURCE},
      ${truth("is_inactive", words)},
      created_by text not null,
      version ${int} not null,
      created_at ${int} not null,
      updated_at ${int} not null,
      row_hash text not null,
      check (supersedes_id is null or supersedes_id <> id)
    ${strict}`,
    "create index decision_by_age on decision (created_at, id)",
    "create index decision_by_project on decision (project_id, created_at, id) where project_id is not null",
    "create index decision_by_conversation on decision (conversation_id, created_at, id) where conversation_id is not null",
    "create index decision_by_message on decision (message_id) where message_id is not null",
    "create index decision_superseded on decision (supersedes_id) where supersedes_id is not null",
    "create index decision_by_source on decision (source_type, source_id) where source_id is not null",
    "create index highlight_by_source on highlight (source_type, source_id) where source_id is not null",
    `create table project_thought (
      project_id text not null references project (id) on delete cascade,
      kind text not null check (kind in ('highlight','decision')),
      thought_id text not null,
      ${truth("is_labelled", words)},
      created_at ${int} not null,
      primary key (project_id, kind, thought_id)
    ${strict}`,
    "create index project_thought_newest on project_thought (project_id, kind, is_labelled, created_at, thought_id)",
    "create index project_thought_by_age on project_thought (project_id, kind, created_at, thought_id)",
    "create index project_thought_by_thought on project_thought (thought_id)",
  ];
}

function redactionAndTeamTables(words: ColumnWords): readonly string[] {
  const { int, strict } = words;
  return [
    `create table redaction (
      id text not null primary key,
      project_id text not null references project (id) on delete cascade,
      kind text not null check (kind in ('conversation','message','span')),
      conversation_id text not null references conversation (id) on delete cascade,
      message_id text references message (id) on delete cascade,
      span_start ${int},
      span_end ${int},
      reason text not null,
      created_by text not null,
      created_at ${int} not null,
      row_hash text not null,
      check ((kind = 'conversation') = (message_id is null)),
      check ((kind = 'span') = (span_start is not null)),
      check ((span_start is null) = (span_end is null)),
      check (span_start is null or (span_start >= 0 and span_end > span_start))
    ${strict}`,
    "create index redaction_by_project on redaction (project_id, created_at, id)",
    "create index redaction_by_conversation on redaction (conversation_id)",
    "create index redaction_by_message on redaction (message_id) where message_id is not null",
    `create table team (
      id text not null primary key,
      name text not null,
      description text not null default '',
      members text not null default '[]',
      project_id text references project (id),
      ${truth("is_archived", words)},
      version ${int} not null,
      created_at ${int} not null,
      updated_at ${int} not null,
      row_hash text not null
    ${strict}`,
    "create index team_by_age on team (created_at, id)",
  ];
}
