/** The names that stand beside ids where people read. */

import { type DatabaseWork, query } from "../store/database-work.ts";
import { db } from "../store/query-builder.ts";

export type Names = ReadonlyMap<string, string>;

export function* userNames(ids: Iterable<string | undefined>): DatabaseWork<Names> {
  const wanted = present(ids);
  if (wanted.length === 0) return new Map();
  const rows = yield* query(
    db.selectFrom("user").select(["id", "display_name"]).where("id", "in", wanted),
  );
  return new Map(rows.map(({ id, display_name }) => [id, display_name]));
}

/** For things the caller sees, so their projects may be named. */
export function* projectNames(ids: Iterable<string | undefined>): DatabaseWork<Names> {
  const wanted = present(ids);
  if (wanted.length === 0) return new Map();
  const rows = yield* query(
    db.selectFrom("project").select(["id", "name"]).where("id", "in", wanted),
  );
  return new Map(rows.map(({ id, name }) => [id, name]));
}

export function nameOf(names: Names, id: string | undefined): string | undefined {
  return id === undefined ? undefined : names.get(id);
}

function present(ids: Iterable<string | undefined>): string[] {
  return [...new Set(ids)].filter((id) => id !== undefined);
}
