/** Words that methods keep of old runs in tables of their own: counted, and let go of, a few runs at a time. */

import { type DatabaseWork, executeSql, runSql, type SqlText } from "./database-work.ts";
import type { Migration, PrunableText } from "./migrate.ts";
import type { Swept } from "./prune-shared-texts.ts";
import { sqlText } from "./sql-text.ts";
import type { Store } from "./store.ts";
import { quoted } from "./table-shapes.ts";

export interface MethodTexts {
  readonly migrations: readonly Migration[];
  readonly before: number;
  /** Which outputs lose their words. */
  readonly outputs: "none" | "superseded" | "all";
}

export async function pruneMethodTexts(store: Store, asked: MethodTexts): Promise<Swept> {
  let swept = NOTHING;
  for (const statements of statementsFor(asked)) {
    for (let place = ""; ; ) {
      const from = place;
      const runs = await store.write(() => forgetRuns(statements, asked.before, from));
      const last = runs.at(-1);
      if (last === undefined) break;
      place = last.id;
      swept = runs.reduce(add, swept);
    }
  }
  return swept;
}

export function* countMethodTexts(asked: MethodTexts): DatabaseWork<Swept> {
  let counted = NOTHING;
  for (const { count } of statementsFor(asked)) {
    const [found] = yield* runSql<Swept>(count, [asked.before]);
    counted = add(counted, found ?? NOTHING);
  }
  return counted;
}

const NOTHING: Swept = { rows: 0, bytes: 0 };

function add(sum: Swept, { rows, bytes }: Swept): Swept {
  return { rows: sum.rows + rows, bytes: sum.bytes + bytes };
}

interface Statements {
  readonly find: SqlText;
  readonly forget: SqlText;
  readonly count: SqlText;
}

interface FoundRun extends Swept {
  readonly id: string;
}

/** A run may hold megabytes. */
const RUNS_AT_ONCE = 20;

function* forgetRuns(
  { find, forget }: Statements,
  before: number,
  from: string,
): DatabaseWork<readonly FoundRun[]> {
  const runs = yield* runSql<FoundRun>(find, [before, from]);
  for (const { id } of runs) yield* executeSql(forget, [id]);
  return runs;
}

function statementsFor({ migrations, outputs }: MethodTexts): readonly Statements[] {
  return migrations
    .flatMap(({ prunable = [] }) => prunable)
    .filter(({ isReplaced }) => isReplaced === undefined || outputs !== "none")
    .map((prunable) => statementsOf(prunable, outputs === "all"));
}

function statementsOf(
  { table, text, leaves, isReplaced = "1 = 1" }: PrunableText,
  isAll: boolean,
): Statements {
  const column = `kept.${quoted(text)}`;
  const left = leaves === null ? "null" : `'${leaves}'`;
  const isThere = leaves === null ? `${column} is not null` : `${column} <> ${left}`;
  const which = `${isThere} and (${isAll ? "1 = 1" : isReplaced})`;
  const isOld = `kept.run_id in (select id from run
    where state in ('completed','failed','cancelled') and finished_at < ?)`;
  const sums = `count(*) as rows, coalesce(sum(octet_length(${column})), 0) as bytes`;
  const from = `from ${quoted(table)} as kept where`;
  return {
    find: sqlText(`select kept.run_id as id, ${sums} ${from} ${isOld} and ${which} and kept.run_id > ?
      group by kept.run_id order by kept.run_id limit ${RUNS_AT_ONCE}`),
    forget: sqlText(
      `update ${quoted(table)} as kept set ${quoted(text)} = ${left} where kept.run_id = ? and ${which}`,
    ),
    count: sqlText(`select ${sums} ${from} ${isOld} and ${which}`),
  };
}
