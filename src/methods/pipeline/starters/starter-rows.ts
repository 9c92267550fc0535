/** Schedules and webhooks as things with a name: who sees them, and how they are found. */

import { type Expression, expressionBuilder, type SqlBool } from "kysely";
import { notFound } from "../../../kernel/base/errors.ts";
import type { PlaceFinder } from "../../../kernel/operation/operation.ts";
import { onlyOne } from "../../../kernel/operation/resolve-names.ts";
import { type DatabaseWork, query, queryFirst } from "../../../kernel/store/database-work.ts";
import {
  afterPlace,
  type Page,
  type PageRequest,
  planPage,
  toPage,
} from "../../../kernel/store/page.ts";
import { resolveIdAmong } from "../../../kernel/store/resolve-id.ts";
import { type Viewer, visibleProjects } from "../../../kernel/store/visibility.ts";
import { type StarterRow, type StarterTables, starters } from "./starter-tables.ts";

export type StarterNoun = "schedule" | "webhook";

/** In a project by whoever sees the project, elsewhere by whoever made it. */
export function seesStarter(noun: StarterNoun, viewer: Viewer): Expression<SqlBool> {
  const where = expressionBuilder<StarterTables, "schedule">();
  const table = noun as "schedule";
  const isAll = viewer === "everything" || viewer.role === "admin";
  return where.or([
    where(`${table}.project_id`, "in", visibleProjects(viewer)),
    where.and([
      where(`${table}.project_id`, "is", null),
      ...(isAll ? [] : [where(`${table}.created_by`, "=", viewer.userId)]),
    ]),
  ]);
}

/** By its name, its id or a unique beginning of it. */
export function* resolveStarter(
  noun: StarterNoun,
  given: string,
  viewer: Viewer,
): DatabaseWork<string> {
  const named = yield* query(
    starters
      .selectFrom(noun as "schedule")
      .select("id")
      .where("name", "=", given)
      .where(seesStarter(noun, viewer))
      .limit(2),
  );
  const byId = () => resolveIdAmong(noun, given, seesStarter(noun, viewer));
  return yield* onlyOne(noun, given, named, byId);
}

export function placeOfStarter(noun: StarterNoun): PlaceFinder {
  return function* (given, caller) {
    const id = yield* resolveStarter(noun, given, caller);
    const row = yield* queryFirst(
      starters
        .selectFrom(noun as "schedule")
        .select("project_id")
        .where("id", "=", id),
    );
    if (row === undefined) throw notFound(noun, given);
    return { projectId: row.project_id ?? undefined };
  };
}

export interface StarterFilter extends PageRequest {
  readonly viewer: Viewer;
  readonly projectId?: string | undefined;
}

/** `Row` is what the noun's table holds. */
export function* listStarters<Row extends StarterRow>(
  noun: StarterNoun,
  filter: StarterFilter,
): DatabaseWork<Page<Row>> {
  const plan = planPage(filter);
  let select = starters
    .selectFrom(noun as "schedule")
    .selectAll()
    .where(seesStarter(noun, filter.viewer))
    .where((where) => afterPlace(where, plan, { at: "created_at", id: "id" }))
    .orderBy("created_at", plan.direction)
    .orderBy("id", plan.direction)
    .limit(plan.limit + 1);
  if (filter.projectId !== undefined) select = select.where("project_id", "=", filter.projectId);
  const rows = (yield* query(select)) as readonly unknown[] as readonly Row[];
  return toPage(
    rows,
    plan,
    (row) => ({ at: row.created_at, id: row.id }),
    (row) => row,
  );
}
