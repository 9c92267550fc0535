/** Long lists are read in pages, newest first unless asked otherwise, by an opaque cursor that stays true while rows are added. */

import type { Expression, ExpressionBuilder, SqlBool } from "kysely";
import { ProductError } from "../base/errors.ts";

export const MAX_PAGE = 200;

export interface PageRequest {
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
  readonly order?: "newest" | "oldest" | undefined;
}

export interface Page<Item> {
  readonly items: readonly Item[];
  /** Absent on the last page. */
  readonly nextCursor?: string;
}

interface Place {
  readonly at: number;
  readonly id: string;
}

export interface PagePlan {
  readonly limit: number;
  readonly direction: "asc" | "desc";
  readonly after: Place | undefined;
}

export function planPage({ limit = 50, cursor, order = "newest" }: PageRequest): PagePlan {
  if (!Number.isInteger(limit) || limit < 1 || limit > MAX_PAGE) {
    throw new ProductError("page_limit", `A page holds 1 to ${MAX_PAGE} items, not ${limit}.`, {
      hint: "Ask for fewer and follow the cursor for the rest.",
    });
  }
  return {
    limit,
    direction: order === "newest" ? "desc" : "asc",
    after: cursor === undefined ? undefined : parsePageCursor(cursor),
  };
}

/** One row more than the page is read, to know whether there is a next one. */
export function toPage<Row, Item>(
  rows: readonly Row[],
  { limit }: PagePlan,
  place: (row: Row) => Place,
  toItem: (row: Row) => Item,
): Page<Item> {
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  const items = shown.map((row) => toItem(row));
  if (rows.length <= limit || last === undefined) return { items };
  const { at, id } = place(last);
  return { items, nextCursor: `${at}.${id}` };
}

/** The condition "comes after the cursor" over a time column and an id column. */
export function afterPlace<Database, Table extends keyof Database>(
  where: ExpressionBuilder<Database, Table>,
  { after, direction }: PagePlan,
  columns: { readonly at: string; readonly id: string },
): Expression<SqlBool> {
  const build = where as unknown as ExpressionBuilder<
    Record<string, Record<string, string | number>>,
    string
  >;
  const past = direction === "desc" ? "<" : ">";
  if (after === undefined) return build.and([]);
  return build.or([
    build(columns.at, past, after.at),
    build.and([build(columns.at, "=", after.at), build(columns.id, past, after.id)]),
  ]);
}

/** The same where ids are given in order of time, so that the primary key is all that a page needs. */
export function afterId<Database, Table extends keyof Database>(
  where: ExpressionBuilder<Database, Table>,
  { after, direction }: PagePlan,
  column: string,
): Expression<SqlBool> {
  const build = where as unknown as ExpressionBuilder<
    Record<string, Record<string, string>>,
    string
  >;
  return after === undefined
    ? build.and([])
    : build(column, direction === "desc" ? "<" : ">", after.id);
}

function parsePageCursor(cursor: string): Place {
  const match = /^(-?\d{1,16})\.([\w/-]{1,200})$/.exec(cursor);
  if (!match?.[1] || !match[2]) {
    throw new ProductError("cursor_invalid", `"${cursor}" is not a place in this list.`, {
      hint: "Leave it out to read from the beginning, or use the cursor the last page came with.",
    });
  }
  return { at: Number(match[1]), id: match[2] };
}
