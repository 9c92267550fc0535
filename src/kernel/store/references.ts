/** What a new or changed row points at must be there; said by name instead of by a broken foreign key. */

import { sql } from "kysely";
import { notFound, ProductError } from "../base/errors.ts";
import { type DatabaseWork, query, queryFirst, runSql } from "./database-work.ts";
import { db } from "./query-builder.ts";
import type { Tables } from "./tables.ts";

export type Referable =
  | "user"
  | "project"
  | "conversation"
  | "message"
  | "task"
  | "decision"
  | "highlight"
  | "run";

export function* requireRow(noun: Referable, id: string | null | undefined): DatabaseWork<void> {
  if (id === null || id === undefined) return;
  const row = yield* queryFirst(
    db
      .selectFrom(noun as "user")
      .select("id")
      .where("id", "=", id),
  );
  if (row === undefined) throw notFound(noun, id);
}

export interface Dependents<Own = Tables> {
  /** How they are called when counted. */
  readonly what: string;
  readonly table: keyof Own & string;
  readonly where: Readonly<Record<string, string>>;
}

/**
 * Refuses to delete what others are built on, saying what they are: those named here, and the rows of any
 * table, also of methods this folder knows nothing of, that refer to it and would not go along.
 */
export function* refuseDependents<Own = Tables>(
  noun: string,
  id: string,
  dependents: readonly Dependents<Own>[],
  hint: string,
): DatabaseWork<void> {
  const found: string[] = [];
  for (const { what, table, where } of [
    ...dependents,
    ...(yield* otherReferrers(noun, id, dependents)),
  ]) {
    let select = db.selectFrom(table as "user").select(COUNT);
    for (const [column, value] of Object.entries(where)) {
      select = select.where(sql.ref(column), "=", value);
    }
    const count = (yield* query(select))[0]?.n ?? 0;
    if (count > 0) found.push(`${count} ${what}`);
  }
  if (found.length === 0) return;
  throw new ProductError(
    `${noun}_in_use`,
    `The ${noun} "${id}" cannot be deleted: it still has ${found.join(", ")}.`,
    { kind: "conflict", hint, details: { noun, id, dependents: found } },
  );
}

interface NamedDependents {
  readonly what: string;
  readonly table: string;
  readonly where: Readonly<Record<string, string>>;
}

function* otherReferrers(
  noun: string,
  id: string,
  named: readonly { readonly table: string }[],
): DatabaseWork<readonly NamedDependents[]> {
  const referrers = yield* runSql<{ table: string; column: string }>(LIST_REFERRERS, [noun]);
  return referrers
    .filter(({ table }) => !named.some((each) => each.table === table))
    .map(({ table, column }) => ({
      what: `${table.replaceAll("_", " ")}s`,
      table,
      where: { [column]: id },
    }));
}

const LIST_REFERRERS = {
  sqlite: `select t.name as "table", f."from" as "column"
    from sqlite_schema t join pragma_foreign_key_list(t.name) f
    where t.type = 'table' and f."table" = ? and f."to" = 'id' and f.on_delete in ('NO ACTION', 'RESTRICT')
    order by t.name, f."from"`,
  postgres: `select r.relname as "table", a.attname as "column"
    from pg_constraint c
    join pg_class r on r.oid = c.conrelid
    join pg_class to_table on to_table.oid = c.confrelid
    join pg_attribute a on a.attrelid = c.conrelid and a.attnum = c.conkey[1]
    where c.contype = 'f' and c.confdeltype in ('a', 'r') and to_table.relname = $1
      and c.connamespace = current_schema()::regnamespace and array_length(c.conkey, 1) = 1
    order by r.relname, a.attname`,
};

const COUNT = sql<number>`count(*)`.as("n");
