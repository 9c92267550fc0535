/**
 * The engine's tables: runs and everything they own. Times are epoch milliseconds, JSON is text.
 *
 * A lone chain of turns commits after every turn, and each page that a commit changes costs it about ten microseconds:
 * an index is worth having only where something is found by it. Exchanges, answers, events and effects are only ever appended, in order of time: an index on a random key
 * over content that is unique per turn nearly doubles the cost of a turn in a large store. Only texts that
 * many prompts share are kept once and found by hash.
 */

import type { Migration } from "./migrate.ts";

/** The default compression costs more than everything else an exchange does; a server without lz4 keeps the default. */
const COMPRESSED_CHEAPLY = ["messages", "trace"].map(
  (column) =>
    `do $$ begin alter table exchange alter column ${column} set compression lz4; exception when feature_not_supported then null; end $$`,
);

export const engineTables: Migration = {
  name: "001-engine",
  statements: ({ dialect, int, real, serial, appended, strict, clustered }) => [
    `create table run (
      id text not null primary key,
      project_id text,
      method text not null,
      title text not null,
      state text not null check (state in ('queued','running','waiting','paused','held','completed','failed','cancelled')),
      reason text,
      input text not null,
      result text,
      data text not null default '{}',
      key text,
      limits text not null,
      parent_run_id text,
      on_end text,
      started_by text not null,
      open_jobs ${int} not null default 0,
      held_jobs ${int} not null default 0,
      open_waits ${int} not null default 0,
      open_timers ${int} not null default 0,
      open_runs ${int} not null default 0,
      jobs ${int} not null default 0,
      turns ${int} not null default 0,
      input_tokens ${int} not null default 0,
      output_tokens ${int} not null default 0,
      cost_micro_usd ${int} not null default 0,
      has_unknown_cost ${int} not null default 0,
      version ${int} not null default 1,
      is_archived ${int} not null default 0,
      created_at ${int} not null,
      started_at ${int},
      finished_at ${int}
    ${strict}`,
    "create index run_by_project on run (project_id, id)",
    "create index run_by_state on run (state, is_archived, id)",
    "create unique index run_by_parent on run (parent_run_id, key) where parent_run_id is not null",
    `create table job (
      id text not null primary key,
      run_id text not null references run (id) on delete cascade,
      key text not null,
      kind text not null check (kind in ('turn','move')),
      handler text not null,
      step text not null,
      item text,
      input text not null,
      state text not null check (state in ('ready','parked','blocked','leased','held','done','failed','cancelled')),
      lane text not null,
      priority ${int} not null default 0,
      run_at ${int} not null,
      attempt ${int} not null default 0,
      fence ${int} not null default 0,
      worker text,
      lease_until ${int},
      batch_id text,
      progress text,
      failure text,
      message text,
      created_at ${int} not null,
      finished_at ${int},
      unique (run_id, key),
      check ((state = 'leased') = (worker is not null))
    ${clustered}`,
    "create index job_ready on job (lane, priority, run_at, id) where state = 'ready'",
    "create index job_leased on job (lease_until) where state = 'leased'",
    "create index job_waiting_in_batch on job (batch_id, id) where state = 'blocked'",
    `create table batch (
      id text not null primary key,
      run_id text not null references run (id) on delete cascade,
      key text not null,
      parent_batch_id text,
      total ${int} not null,
      remaining ${int} not null check (remaining >= 0),
      failed ${int} not null default 0,
      concurrency ${int},
      running ${int} not null default 0,
      is_open ${int} not null default 1,
      follow_up text not null,
      created_at ${int} not null,
      finished_at ${int},
      unique (run_id, key)
    ${strict}`,
    `create table batch_slice (
      batch_id text not null references batch (id) on delete cascade,
      position ${int} not null,
      jobs text not null,
      primary key (batch_id, position)
    ${strict}`,
    `create table text (
      hash text not null primary key,
      body text not null
    ${strict}`,
    `create table exchange (
      id text not null primary key,
      run_id text not null references run (id) on delete cascade,
      job_id text not null,
      step text not null,
      item text,
      attempt ${int} not null,
      continuation ${int} not null,
      model text not null,
      contract text not null,
      messages text not null,
      prompt_hash text not null,
      trace text,
      reserved_micro_usd ${int} not null default 0,
      reserved_tokens ${int} not null default 0,
      created_at ${int} not null
    ${strict}`,
    // One index for a run's exchanges and for a job's: every index is one more page in every commit.
    "create index exchange_by_run on exchange (run_id, job_id)",
    ...(dialect === "postgres" ? COMPRESSED_CHEAPLY : []),
    `create table answer (
      exchange_id text not null primary key references exchange (id) on delete cascade,
      run_id text not null,
      outcome text not null check (outcome in ('answered','failed','lost')),
      reply text,
      reply_hash text not null,
      finish text,
      raw_finish text,
      reading text,
      failure text,
      input_tokens ${int},
      output_tokens ${int},
      cached_tokens ${int},
      cost_micro_usd ${int},
      is_cost_estimated ${int} not null,
      finished_at ${int} not null
    ${clustered}`,
    `create table delta (
      id ${serial},
      exchange_id text not null references exchange (id) on delete cascade,
      body text not null
    ${strict}`,
    "create index delta_by_exchange on delta (exchange_id, id)",
    `create table event (
      id ${appended},
      transaction_id ${int} not null default ${dialect === "postgres" ? "(pg_current_xact_id()::text::bigint)" : "0"},
      stream text not null,
      seq ${int} not null,
      type text not null,
      project_id text,
      actor text not null,
      data text,
      data_hash text not null,
      at ${int} not null,
      previous_hash text not null,
      hash text not null,
      unique (stream, seq)
    ${strict}`,
    ...(dialect === "postgres"
      ? ["create index event_in_commit_order on event (transaction_id, id)"]
      : []),
    `create table effect (
      id ${appended},
      run_id text not null references run (id) on delete cascade,
      key text not null,
      job_id text not null,
      exchange_id text,
      kind text not null,
      data text not null,
      at ${int} not null,
      unique (run_id, key)
    ${strict}`,
    `create table wait (
      id text not null primary key,
      run_id text not null references run (id) on delete cascade,
      project_id text,
      job_id text,
      key text not null,
      kind text not null,
      title text not null,
      reason text not null,
      evidence text not null default '[]',
      form text not null default '[]',
      answers text not null,
      follow_up text,
      assignee_id text,
      snoozed_until ${int},
      deadline ${int},
      on_deadline text,
      state text not null check (state in ('early','open','answered','expired','cancelled')),
      answer text,
      answered_by text,
      answered_at ${int},
      version ${int} not null default 1,
      created_at ${int} not null,
      unique (run_id, key)
    ${strict}`,
    "create index wait_open on wait (created_at, id) where state = 'open'",
    "create index wait_deadline on wait (deadline) where state = 'open' and deadline is not null",
    `create table timer (
      id text not null primary key,
      run_id text not null references run (id) on delete cascade,
      key text not null,
      due_at ${int} not null,
      follow_up text not null,
      is_open ${int} not null default 1,
      created_at ${int} not null,
      unique (run_id, key)
    ${strict}`,
    "create index timer_due on timer (due_at) where is_open = 1",
    `create table lane (
      name text not null primary key,
      max_running ${int},
      running ${int} not null default 0,
      rate_per_minute ${real},
      burst ${int},
      tokens ${real} not null default 0,
      refilled_at ${int} not null default 0
    ${strict}`,
    `create table spend (
      scope text not null,
      period text not null,
      micro_usd ${int} not null default 0,
      tokens ${int} not null default 0,
      turns ${int} not null default 0,
      primary key (scope, period)
    ${strict}`,
    `create table budget (
      scope text not null primary key,
      micro_usd ${int},
      tokens ${int},
      turns ${int}
    ${strict}`,
    `create table artifact (
      id text not null primary key,
      project_id text,
      run_id text,
      job_id text,
      exchange_id text,
      kind text not null,
      identity text not null,
      path text not null,
      media_type text not null,
      body text,
      hash text not null,
      bytes ${int} not null,
      inputs text not null default '[]',
      state text not null check (state in ('complete','partial','stale','superseded')),
      is_archived ${int} not null default 0,
      created_at ${int} not null
    ${strict}`,
    "create index artifact_by_run on artifact (run_id, created_at)",
    "create index artifact_by_project on artifact (project_id, created_at)",
    "create unique index artifact_identity on artifact (coalesce(run_id, ''), kind, identity) where state <> 'superseded'",
  ],
};
