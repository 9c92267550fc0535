/**
 * What methods keep of a run in tables of their own, whichever methods there are: documents, feedback, products,
 * steps. Every table that names a run belongs to it; those of the engine and of packets and harvests have rules of
 * their own.
 */

import { hashText } from "../../../kernel/base/hash.ts";
import { type DatabaseWork, executeSql, runSql } from "../../../kernel/store/database-work.ts";
import { sqlText } from "../../../kernel/store/sql-text.ts";
import {
  quoted,
  readTableShapes,
  type Row,
  type TableShape,
} from "../../../kernel/store/table-shapes.ts";

const WITH_RULES_OF_THEIR_OWN: ReadonlySet<string> = new Set([
  "answer",
  "artifact",
  "batch",
  "effect",
  "exchange",
  "harvest",
  "job",
  "packet",
  "timer",
  "wait",
]);

export function* listRunTables(): DatabaseWork<readonly TableShape[]> {
  const shapes = yield* readTableShapes();
  return shapes.filter(
    ({ name, columns }) => columns.includes("run_id") && !WITH_RULES_OF_THEIR_OWN.has(name),
  );
}

/** Those of the runs in whose tables a text is found. */
export function* findRunsHolding(
  tables: readonly TableShape[],
  runIds: readonly string[],
  holds: (text: string) => boolean,
): DatabaseWork<ReadonlySet<string>> {
  const found = new Set<string>();
  for (let from = 0; from < runIds.length; from += RUNS_AT_ONCE) {
    const some = runIds.slice(from, from + RUNS_AT_ONCE);
    for (const table of tables) {
      for (const row of yield* rowsOf(table, some)) {
        const runId = String(row["run_id"]);
        if (!found.has(runId) && wordsIn(table, row).some(([, text]) => holds(text))) {
          found.add(runId);
        }
      }
    }
  }
  return found;
}

/** A run may hold megabytes. */
const RUNS_AT_ONCE = 10;

/** Says whether anything was changed. `mask` gives what a cell becomes, nothing where it may stay. */
export function* maskRunTables(
  runId: string,
  mask: (text: string) => string | undefined,
): DatabaseWork<boolean> {
  let isChanged = false;
  for (const table of yield* listRunTables()) {
    for (const row of yield* rowsOf(table, [runId])) {
      const cells = wordsIn(table, row).flatMap(([column, text]) => {
        const masked = mask(text);
        return masked === undefined ? [] : [[column, masked] as const];
      });
      if (cells.length === 0) continue;
      isChanged = true;
      cells.push(...hashesIn(row, cells));
      const set = cells.map(([column]) => `${quoted(column)} = ?`).join(", ");
      const where = table.key.map((column) => `${quoted(column)} = ?`).join(" and ");
      yield* executeSql(sqlText(`update ${quoted(table.name)} set ${set} where ${where}`), [
        ...cells.map(([, cell]) => cell),
        ...table.key.map((column) => row[column]),
      ]);
    }
  }
  return isChanged;
}

/** What stands beside the hash of itself, as `doctor` compares them, does so with the mask on, too. */
function hashesIn(
  row: Row,
  masked: readonly (readonly [string, string])[],
): readonly (readonly [string, string])[] {
  const hashes = new Map(
    masked.map(([column, text]) => [hashText(String(row[column])), hashText(text)]),
  );
  return Object.entries(row).flatMap(([column, cell]) => {
    const hash = hashes.get(String(cell));
    return hash === undefined ? [] : [[column, hash] as const];
  });
}

function* rowsOf(
  { name, columns }: TableShape,
  runIds: readonly string[],
): DatabaseWork<readonly Row[]> {
  const marks = runIds.map(() => "?").join(", ");
  const list = columns.map(quoted).join(", ");
  const text = `select ${list} from ${quoted(name)} where run_id in (${marks})`;
  return yield* runSql<Row>(sqlText(text), runIds);
}

/** Keys hold no words. */
function wordsIn({ key }: TableShape, row: Row): readonly (readonly [string, string])[] {
  return Object.entries(row).flatMap(([column, cell]) =>
    typeof cell === "string" && column !== "run_id" && !key.includes(column)
      ? [[column, cell] as const]
      : [],
  );
}
