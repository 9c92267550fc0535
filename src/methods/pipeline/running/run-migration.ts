/** The tables of runs of workflows. They end with their run. */

import type { Migration } from "../../../kernel/store/migrate.ts";

export const workflowRunTables: Migration = {
  name: "102-workflow-runs",
  statements: ({ int, strict }) => {
    const truth = (name: string) => `${name} ${int} not null default 0 check (${name} in (0, 1))`;
    return [
      `create table workflow_progress (
        run_id text not null primary key references run (id) on delete cascade,
        look ${int} not null default 0,
        tasks ${int} not null default 0,
        caps text not null default '{}'
      ${strict}`,
      `create table step_visit (
        id text not null primary key,
        run_id text not null references run (id) on delete cascade,
        scope text not null,
        step text not null,
        iteration ${int} not null,
        kind text not null check (kind in ('start','work','follow_up','subflow','join','container')),
        from_id text,
        sources text not null default '[]',
        outcome text check (outcome in ('completed','continued','failed','skipped')),
        ${truth("is_routed")},
        ${truth("is_dropped")},
        ${truth("is_held")},
        ${truth("is_resting")},
        ${truth("is_last")},
        ${truth("is_failure")},
        ${truth("is_forced")},
        ${truth("is_overdue")},
        attempt ${int} not null default 1,
        waits ${int} not null default 0,
        note text,
        answered text not null default '[]',
        total ${int},
        unique (run_id, scope, step, iteration)
      ${strict}`,
      "create index step_visit_open on step_visit (run_id, id) where is_routed = 0",
      "create index step_visit_failures on step_visit (run_id, id) where is_failure = 1",
      `create table foreach_item (
        container_id text not null references step_visit (id) on delete cascade,
        position ${int} not null,
        value text not null,
        state text not null default 'pending' check (state in ('pending','live','completed','failed','skipped','cancelled')),
        attempts ${int} not null default 0,
        from_ids text not null default '[]',
        primary key (container_id, position)
      ${strict}`,
      "create index foreach_item_by_state on foreach_item (container_id, state, position)",
      `create table join_arrival (
        run_id text not null references run (id) on delete cascade,
        scope text not null,
        step text not null,
        visit_id text not null,
        ${truth("is_failed")},
        place ${int} not null,
        primary key (run_id, scope, step, visit_id)
      ${strict}`,
      `create table join_mark (
        run_id text not null references run (id) on delete cascade,
        scope text not null,
        step text not null,
        ${truth("is_forced")},
        ${truth("is_overdue")},
        primary key (run_id, scope, step)
      ${strict}`,
    ];
  },
};
