/** The tables of workflows. Times are epoch milliseconds, truth values 0 and 1. */

import { ownAuditedTable } from "../../../kernel/store/audited-rows.ts";
import type { Migration } from "../../../kernel/store/migrate.ts";
import type { WorkflowTable, WorkflowVersionTable } from "./workflow-tables.ts";

export const WORKFLOWS = ownAuditedTable<WorkflowTable>("workflow", {
  told: ["name", "library_path"],
});

export const WORKFLOW_VERSIONS = ownAuditedTable<WorkflowVersionTable>("workflow_version", {
  key: ["workflow_id", "version"],
  told: ["source_hash"],
  goesAlong: true,
});

export const workflowTables: Migration = {
  name: "101-workflows",
  audited: [WORKFLOWS, WORKFLOW_VERSIONS],
  statements: ({ int, strict }) => [
    `create table workflow (
      id text not null primary key,
      project_id text references project (id),
      library_path text,
      name text not null,
      description text not null default '',
      current_version ${int},
      last_version ${int} not null,
      is_archived ${int} not null default 0 check (is_archived in (0, 1)),
      created_by text not null,
      version ${int} not null,
      created_at ${int} not null,
      updated_at ${int} not null,
      row_hash text not null,
      check (current_version between 1 and last_version),
      check (library_path is null or project_id is null)
    ${strict}`,
    // An archived workflow gives its name free.
    "create unique index workflow_name on workflow (coalesce(project_id, ''), name) where is_archived = 0 and library_path is null",
    "create unique index workflow_library on workflow (library_path) where library_path is not null",
    "create index workflow_by_age on workflow (created_at, id)",
    "create index workflow_by_project on workflow (project_id, created_at, id) where project_id is not null",
    `create table workflow_version (
      workflow_id text not null references workflow (id) on delete cascade,
      version ${int} not null check (version >= 1),
      source text not null,
      source_hash text not null,
      summary text not null default '',
      is_draft ${int} not null default 0 check (is_draft in (0, 1)),
      created_by text not null,
      created_at ${int} not null,
      row_hash text not null,
      primary key (workflow_id, version)
    ${strict}`,
    `create table workflow_run (
      run_id text not null primary key references run (id) on delete cascade,
      workflow_id text not null,
      version ${int} not null,
      foreign key (workflow_id, version) references workflow_version (workflow_id, version)
    ${strict}`,
    "create index workflow_run_by_workflow on workflow_run (workflow_id, run_id)",
  ],
};
