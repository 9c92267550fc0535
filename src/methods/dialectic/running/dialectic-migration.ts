/** The tables of the dialectic. They end with their run. */

import type { Migration } from "../../../kernel/store/migrate.ts";

export const dialecticTables: Migration = {
  name: "301-dialectic",
  hashed: [
    { table: "dialectic_recipe", text: "files", hash: "hash" },
    { table: "dialectic_artifact", text: "body", hash: "hash" },
  ],
  prunable: [
    // An artifact that was taken as it is, though what it was made from has changed, still reads what was replaced.
    {
      table: "dialectic_artifact",
      text: "body",
      leaves: null,
      isReplaced: `kept.state = 'superseded' and not exists (
        select 1 from dialectic_artifact as reader where reader.run_id = kept.run_id
          and reader.state <> 'superseded' and reader.inputs like '%"' || kept.id || '"%')`,
    },
    { table: "dialectic_artifact", text: "set_aside", leaves: "[]" },
  ],
  statements: ({ int, strict }) => {
    const truth = (name: string) => `${name} ${int} not null default 0 check (${name} in (0, 1))`;
    const identity = [
      "stage text not null",
      "step text not null",
      "document_key text not null",
      `slot ${int} not null`,
      `lineage ${int}`,
      `match ${int}`,
    ].join(", ");
    return [
      `create table dialectic_recipe (
        hash text not null primary key,
        domain text not null,
        files text not null
      ${strict}`,
      `create table dialectic_session (
        run_id text not null primary key references run (id) on delete cascade,
        domain text not null,
        recipe_hash text not null references dialectic_recipe (hash),
        request text not null,
        slots text not null,
        overlays text not null default '{}',
        reviewers ${int},
        ${truth("is_auto")},
        ${truth("is_refreshing")},
        stage text not null,
        iteration ${int} not null default 1,
        status text not null,
        look ${int} not null default 0,
        gates ${int} not null default 0
      ${strict}`,
      `create table dialectic_artifact (
        id text not null primary key,
        run_id text not null references dialectic_session (run_id) on delete cascade,
        kind text not null check (kind in ('seed','header','document','json')),
        ${identity},
        iteration ${int} not null,
        version ${int} not null,
        continuation ${int} not null default 0,
        state text not null check (state in ('complete','partial','stale','superseded')),
        schema_key text not null,
        schema_hash text not null,
        hash text not null,
        author text not null,
        based_on text,
        inputs text not null,
        jobs text not null default '[]',
        gaps text not null default '[]',
        set_aside text not null default '[]',
        body text,
        created_at ${int} not null
      ${strict}`,
      "create index dialectic_artifact_by_run on dialectic_artifact (run_id, stage, state)",
      `create table dialectic_feedback (
        id text not null primary key,
        run_id text not null references dialectic_session (run_id) on delete cascade,
        ${identity},
        artifact_id text not null,
        section text not null default '',
        body text not null,
        hash text not null,
        state text not null check (state in ('open','addressed','deferred','rejected')),
        note text,
        addressed_by text,
        created_by text not null,
        created_at ${int} not null
      ${strict}`,
      "create index dialectic_feedback_by_run on dialectic_feedback (run_id, state)",
    ];
  },
};
