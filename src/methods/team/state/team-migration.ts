/** The tables of teams at work. They end with their run. */

import type { ColumnWords, Migration } from "../../../kernel/store/migrate.ts";
import type { Noun } from "./team-records.ts";
import { NOUNS } from "./team-state.ts";
import { COLUMNS, type Column, columnName, TABLES } from "./team-tables.ts";

export const teamRunTables: Migration = {
  name: "401-team-runs",
  hashed: [{ table: "team_version", text: "content", hash: "hash" }],
  prunable: [
    // A team that works on is shown the last two versions of a product, and may choose among the last three.
    {
      table: "team_version",
      text: "content",
      leaves: null,
      isReplaced: `kept.number < (select max(newer.number) - 2 from team_version as newer
          where newer.run_id = kept.run_id and newer.product_id = kept.product_id)
        and not exists (select 1 from team_product as product
          where product.run_id = kept.run_id and product.selected_version_id = kept.id)`,
    },
    { table: "team_refusal", text: "item", leaves: "null" },
  ],
  statements: (words) => [
    `create table team_run (
      run_id text not null primary key references run (id) on delete cascade,
      brief text not null,
      round ${words.int} not null default 0,
      stop_code text,
      stop_message text
    ${words.strict}`,
    ...NOUNS.map((noun) => tableOf(noun, words)),
    `create table team_envelope (
      run_id text not null references run (id) on delete cascade,
      job_key text not null,
      artifact_id text not null,
      round ${words.int} not null,
      step text not null,
      member_id text not null,
      target text,
      hash text not null,
      prompt_hash text not null,
      characters ${words.int} not null,
      budget ${words.int} not null,
      dropped text not null,
      primary key (run_id, job_key, hash)
    ${words.clustered}`,
    "create unique index team_version_once on team_version (run_id, last_directive_id) where last_directive_id is not null",
    "create unique index team_version_number on team_version (run_id, product_id, number)",
  ],
};

function tableOf(noun: Noun, words: ColumnWords): string {
  const columns = Object.entries<Column>(COLUMNS[noun]).map(([key, column]) =>
    columnText(columnName(key), column, words),
  );
  return `create table ${TABLES[noun]} (
      run_id text not null references run (id) on delete cascade,
      id text not null,
      position ${words.int} not null,
      ${columns.join(",\n      ")},
      primary key (run_id, id)
    ${words.strict}`;
}

function columnText(
  name: string,
  { kind, isNullable }: Column,
  { int, real }: ColumnWords,
): string {
  const needed = isNullable ? "" : " not null";
  if (kind === "int") return `${name} ${int}${needed}`;
  if (kind === "real") return `${name} ${real}${needed}`;
  if (kind === "truth") return `${name} ${int}${needed} check (${name} in (0, 1))`;
  if (typeof kind === "string") return `${name} text${needed}`;
  return `${name} text${needed} check (${name} in (${kind.map((word) => `'${word}'`).join(",")}))`;
}
