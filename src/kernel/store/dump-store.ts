/** Writes a store in the portable form, row by row, as it is at one moment. */

import { buildDigest, contentTables, walkHeads } from "./content-digest.ts";
import type { Cover } from "./cover-rows.ts";
import { DUMP_FORMAT, DUMP_VERSION, type DumpEnd, type DumpLine } from "./dump-format.ts";
import type { Snapshot } from "./snapshot.ts";
import { sqlText } from "./sql-text.ts";
import { listTableShapes, quoted, type Row, type TableShape, walkTable } from "./table-shapes.ts";

/** Gives the lines of a dump; the last one holds the digests, of what is in it. */
export async function* dumpLines(
  snapshot: Snapshot,
  now: number,
  cover?: Cover,
): AsyncGenerator<DumpLine> {
  const migrations = await snapshot.rows<{ name: string }>(LIST_MIGRATIONS);
  yield {
    format: DUMP_FORMAT,
    version: DUMP_VERSION,
    dialect: snapshot.dialect,
    createdAt: now,
    migrations: migrations.map(({ name }) => name),
    ...(cover === undefined ? {} : { isCovered: true }),
  };
  const digest = buildDigest();
  for (const shape of contentTables(await listTableShapes(snapshot))) {
    yield { table: shape.name, columns: shape.columns };
    const rows = walkRows(snapshot, shape);
    for await (const row of cover === undefined ? rows : coveredRows(shape.name, rows, cover)) {
      digest.addRow(shape.name, row);
      yield shape.columns.map((column) => row[column] ?? null);
    }
  }
  for await (const head of walkHeads(snapshot)) digest.addHead(head);
  const end: DumpEnd = { end: true, content: digest.finish() };
  yield end;
}

const COVERED_AT_ONCE = 200;

async function* coveredRows(
  table: string,
  rows: AsyncIterable<Row>,
  cover: Cover,
): AsyncGenerator<Row> {
  let some: Row[] = [];
  for await (const row of rows) {
    some.push(row);
    if (some.length < COVERED_AT_ONCE) continue;
    yield* await cover.rows(table, some);
    some = [];
  }
  if (some.length > 0) yield* await cover.rows(table, some);
}

async function* walkRows(snapshot: Snapshot, shape: TableShape): AsyncGenerator<Row> {
  if (shape.name === "event" && snapshot.dialect === "postgres") {
    yield* walkEventsInCommitOrder(snapshot, shape);
  } else yield* walkTable(snapshot, shape);
}

/**
 * PostgreSQL orders its log by transaction, and transaction numbers mean nothing in another database.
 * Events leave in commit order; where their own numbers do not follow it they are numbered anew.
 */
async function* walkEventsInCommitOrder(
  snapshot: Snapshot,
  { name, columns }: TableShape,
): AsyncGenerator<Row> {
  const [check] = await snapshot.rows<{ n: number }>(COUNT_OUT_OF_ORDER);
  const isOrdered = (check?.n ?? 0) === 0;
  const list = columns.map(quoted).join(", ");
  const next = sqlText(
    `select ${list} from ${quoted(name)} where (transaction_id, id) > (?, ?) order by transaction_id, id limit 500`,
  );
  let place: readonly unknown[] = [-1, 0];
  let count = 0;
  for (;;) {
    const page = await snapshot.rows<Row>(next, place);
    for (const row of page) {
      count += 1;
      yield { ...row, transaction_id: 0, id: isOrdered ? (row["id"] ?? count) : count };
    }
    const last = page.at(-1);
    if (last === undefined) return;
    place = [last["transaction_id"], last["id"]];
  }
}

const LIST_MIGRATIONS = sqlText("select name from migration order by position");
const COUNT_OUT_OF_ORDER = {
  sqlite: "select 0 as n",
  postgres: `select count(*) as n from (
    select id, lag(id) over (order by transaction_id, id) as earlier from event) as ordered where id < earlier`,
};
