/** The tables of sessions. Times are epoch milliseconds, JSON is text. */

import { ownAuditedTable } from "../../kernel/store/audited-rows.ts";
import type { Migration } from "../../kernel/store/migrate.ts";
import {
  CHANGE_SCOPES,
  INTENT_SOURCES,
  PUSH_STATES,
  REPORT_KINDS,
  SESSION_STATES,
  type SessionSubjectTable,
  type SessionTable,
  SYNTHESIS_MODES,
  VCS_KINDS,
} from "./session-tables.ts";

export const SESSIONS = ownAuditedTable<SessionTable>("session", {
  told: ["vcs", "state", "kind", "scope", "mode", "push", "change_id", "base_change", "bookmark"],
  goesAlong: true,
});

export const SUBJECTS = ownAuditedTable<SessionSubjectTable>("session_subject", {
  told: ["name", "aliases"],
  goesAlong: true,
});

export const sessionTables: Migration = {
  name: "120-sessions",
  audited: [SESSIONS, SUBJECTS],
  statements: ({ int, strict }) => [
    `create table session (
      id text not null primary key,
      project_id text references project (id) on delete set null,
      repository text not null,
      vcs text not null check (vcs in (${quoted(VCS_KINDS)})),
      state text not null check (state in (${quoted(SESSION_STATES)})),
      prompt text not null,
      prompt_hash text not null,
      interpretation text not null,
      strategy text not null,
      constraints text not null,
      author_name text not null,
      author_email text not null,
      base_change text not null,
      base_commit text not null,
      base_operation text not null,
      relies_on_change text,
      relies_on_commit text,
      subject text,
      summary text,
      answer text,
      title text,
      kind text check (kind in (${quoted(REPORT_KINDS)})),
      plan text,
      scope text check (scope in (${quoted(CHANGE_SCOPES)})),
      mode text check (mode in (${quoted(SYNTHESIS_MODES)})),
      change_id text,
      message text,
      report_path text,
      bookmark text,
      push text check (push in (${quoted(PUSH_STATES)})),
      push_reason text,
      started_by text not null,
      version ${int} not null,
      created_at ${int} not null,
      updated_at ${int} not null,
      finished_at ${int},
      row_hash text not null,
      check ((relies_on_change is null) = (relies_on_commit is null)),
      check (state in ('open', 'abandoned') or plan is not null),
      check (state not in ('synthesised', 'finished') or (change_id is not null and message is not null))
    ${strict}`,
    "create index session_by_age on session (created_at, id)",
    "create index session_by_repository on session (repository, created_at, id)",
    `create table session_intent (
      session_id text not null references session (id) on delete cascade,
      position ${int} not null,
      change_id text not null,
      what text not null,
      source text not null check (source in (${quoted(INTENT_SOURCES)})),
      job_id text,
      duplicate_id text,
      at ${int} not null,
      primary key (session_id, position)
    ${strict}`,
    "create unique index session_intent_by_change on session_intent (change_id, session_id)",
    `create table session_entry (
      session_id text not null references session (id) on delete cascade,
      position ${int} not null,
      kind text not null,
      data text not null,
      actor text not null,
      at ${int} not null,
      primary key (session_id, position)
    ${strict}`,
    `create table session_run (
      run_id text not null primary key references run (id) on delete cascade,
      session_id text not null references session (id) on delete cascade,
      bound_by text not null,
      at ${int} not null,
      failure text
    ${strict}`,
    "create index session_run_by_session on session_run (session_id)",
    `create table session_subject (
      id text not null primary key,
      repository text not null,
      name text not null,
      name_key text not null,
      aliases text not null,
      created_by text not null,
      version ${int} not null,
      created_at ${int} not null,
      updated_at ${int} not null,
      row_hash text not null,
      unique (repository, name_key)
    ${strict}`,
  ],
};

function quoted(words: readonly string[]): string {
  return words.map((word) => `'${word}'`).join(", ");
}
