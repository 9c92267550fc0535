/** The tables of what starts runs by itself. Times are epoch milliseconds, truth values 0 and 1. */

import { ownAuditedTable } from "../../../kernel/store/audited-rows.ts";
import type { Migration } from "../../../kernel/store/migrate.ts";
import type { ScheduleTable, WebhookTable } from "./starter-tables.ts";

export const SCHEDULES = ownAuditedTable<ScheduleTable>("schedule", {
  told: ["name", "library_ref", "model", "cron", "time_zone"],
  untold: ["due_at", "last_due_at", "last_outcome", "last_run_id", "last_note"],
});

export const WEBHOOKS = ownAuditedTable<WebhookTable>("webhook", {
  told: ["name", "library_ref", "model", "secret_print"],
  untold: ["last_delivery_at", "last_note"],
});

export const starterTables: Migration = {
  name: "103-starters",
  audited: [SCHEDULES, WEBHOOKS],
  statements: ({ int, strict }) => {
    const truth = (name: string) => `${name} ${int} not null check (${name} in (0, 1))`;
    const starter = `id text not null primary key,
        project_id text references project (id),
        name text not null,
        workflow_id text references workflow (id),
        library_ref text,
        workflow_version ${int},
        input text not null,
        model text,
        ${truth("is_enabled")},
        created_by text not null,
        runs_as text not null,
        version ${int} not null,
        created_at ${int} not null,
        updated_at ${int} not null,
        row_hash text not null`;
    const startsOne = "check ((workflow_id is null) <> (library_ref is null))";
    return [
      `create table schedule (
        ${starter},
        cron text not null,
        time_zone text not null,
        ${truth("skips_busy")},
        due_at ${int},
        last_due_at ${int},
        last_outcome text check (last_outcome in ('started','skipped','failed')),
        last_run_id text,
        last_note text,
        ${startsOne},
        check ((is_enabled = 1) = (due_at is not null))
      ${strict}`,
      "create index schedule_due on schedule (due_at) where due_at is not null",
      "create index schedule_by_age on schedule (created_at, id)",
      `create table webhook (
        ${starter},
        secret_version ${int} not null,
        secret_print text not null,
        old_secret_until ${int},
        last_delivery_at ${int},
        last_note text,
        ${startsOne}
      ${strict}`,
      "create index webhook_by_age on webhook (created_at, id)",
      `create table webhook_delivery (
        webhook_id text not null references webhook (id) on delete cascade,
        key text not null,
        body_hash text not null,
        run_id text not null,
        received_at ${int} not null,
        primary key (webhook_id, key)
      ${strict}`,
      "create index webhook_delivery_by_age on webhook_delivery (webhook_id, received_at)",
      `create table agent_run (
        run_id text not null primary key references run (id) on delete cascade,
        task_id text not null,
        view text,
        worker text
      ${strict}`,
      "create index task_to_take_up on task (assignee_id, created_at, id) where status = 'pending' and is_inactive = 0 and assignee_id is not null",
    ];
  },
};
