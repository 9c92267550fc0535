/** What a step was asked before: in its own run, and in earlier runs of the same kind. */

import { sql } from "kysely";
import { type DatabaseWork, query, queryFirst } from "../../kernel/store/database-work.ts";
import { db } from "../../kernel/store/query-builder.ts";
import { seesRun, type Viewer } from "../../kernel/store/visibility.ts";
import { type ShownExchange, selectSummaries, toSummary } from "./exchange-rows.ts";

export interface EarlierRequest {
  /** Those of other items of a loop too, in its own run. */
  readonly otherItems: boolean;
  readonly limit: number;
  /** The id of the last one seen. */
  readonly after?: string | undefined;
}

/**
 * One more than asked for, the likeliest to be compared with first: those of its run, then those of the runs of that
 * method and title before it in the same project, so that whoever may read the one may read the other.
 */
export function* listEarlierExchanges(
  { id, runId, step, item }: ShownExchange,
  viewer: Viewer,
  { otherItems, limit, after }: EarlierRequest,
): DatabaseWork<readonly ShownExchange[]> {
  const own = yield* queryFirst(
    db.selectFrom("run").select(["method", "title", "project_id"]).where("id", "=", runId),
  );
  if (own === undefined) return [];
  let earlier = selectSummaries()
    .innerJoin("run", "run.id", "exchange.run_id")
    .where("run.id", "<=", runId)
    .where("run.method", "=", own.method)
    .where("run.title", "=", own.title)
    .where("run.project_id", own.project_id === null ? "is" : "=", own.project_id)
    .where(seesRun(viewer))
    .where("exchange.id", "<", id)
    .where("exchange.step", "=", step)
    .where((where) => {
      const ofItem = where("exchange.item", item === undefined ? "is" : "=", item ?? null);
      return otherItems ? where.or([ofItem, where("run.id", "=", runId)]) : ofItem;
    })
    .orderBy("run.id", "desc")
    .orderBy("exchange.id", "desc")
    .limit(limit + 1);
  if (after !== undefined) {
    const last = db.selectFrom("exchange").select("run_id").where("id", "=", after);
    earlier = earlier.where(sql<boolean>`(run.id, exchange.id) < (${last}, ${after})`);
  }
  return (yield* query(earlier)).map(toSummary);
}
