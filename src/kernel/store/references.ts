/** What a new or changed row points at must be there; said by name instead of by a broken foreign key. */

import { sql } from "kysely";
import { notFound, ProductError } from "../base/errors.ts";
import { type DatabaseWork, query, queryFirst } from "./database-work.ts";
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

export interface Dependents {
  /** How they are called when counted. */
  readonly what: string;
  readonly table: keyof Tables;
  readonly where: Readonly<Record<string, string>>;
}

/** Refuses to delete what others are built on, saying what they are. */
export function* refuseDependents(
  noun: string,
  id: string,
  dependents: readonly Dependents[],
  hint: string,
): DatabaseWork<void> {
  const found: string[] = [];
  for (const { what, table, where } of dependents) {
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

const COUNT = sql<number>`count(*)`.as("n");
