/**
 * Writing the shared nouns: no change without an event, and no row without a hash.
 *
 * Every row carries `row_hash` over its cells and every event names the hash the row has after it, so
 * `doctor` finds damaged rows and rows changed behind the log's back. Events tell short facts; the words of
 * a person or a model appear in them only as a hash, so a redaction never has to reach into the log.
 */

import type { Kysely } from "kysely";
import { notFound, ProductError } from "../base/errors.ts";
import { hashText } from "../base/hash.ts";
import type { Json } from "../base/json.ts";
import { type DatabaseWork, execute, type RowsText, runRows, runSql } from "./database-work.ts";
import { appendEvents, type NewEvent, WORKSPACE_STREAM } from "./events.ts";
import type { NounTables } from "./noun-tables.ts";
import { db } from "./query-builder.ts";
import { sqlForRows, sqlText } from "./sql-text.ts";
import { storableText } from "./storable-text.ts";
import { rowsChangedMeanwhile } from "./store-errors.ts";

/** Who changes something, when, and why if they said so. */
export interface Act {
  /** A user's id, or `engine`. */
  readonly actor: string;
  readonly now: number;
  readonly because?: string | undefined;
}

interface HashedRow {
  row_hash: string;
}

type NewRow<Row> = Omit<Row, "row_hash">;

export interface AuditedTable<Row = unknown> {
  readonly table: string;
  /** The noun of its events. */
  readonly noun: string;
  readonly key: readonly string[];
  /** Columns whose values events may show. The rest appear by hash. */
  readonly told: readonly string[];
  /** Columns that change by mere use: outside hash and events. */
  readonly untold: readonly string[];
  /** Its rows may go together with what they belong to, without an event each. */
  readonly goesAlong: boolean;
  /** Never there: tells the compiler what its rows are. */
  readonly row?: Row;
}

export type Cell = string | number | null;
type Cells = Readonly<Record<string, Cell>>;

interface AuditedColumns<Row> {
  readonly key?: readonly (keyof Row & string)[];
  readonly told: readonly (keyof Row & string)[];
  readonly untold?: readonly (keyof Row & string)[];
  readonly goesAlong?: boolean;
}

type AuditedName = {
  [Name in keyof NounTables]: NounTables[Name] extends HashedRow ? Name : never;
}[keyof NounTables];

export function auditedTable<Name extends AuditedName>(
  table: Name,
  columns: AuditedColumns<NounTables[Name]>,
): AuditedTable<NounTables[Name]> {
  return ownAuditedTable(table, columns);
}

/** For a table of a method: named with its rows, `ownAuditedTable<WorkflowTable>("workflow", …)`. */
export function ownAuditedTable<Row extends HashedRow>(
  table: string,
  { key, told, untold = [], goesAlong = false }: AuditedColumns<Row>,
): AuditedTable<Row> {
  return { table, noun: table, key: key ?? ["id"], told, untold, goesAlong };
}

export interface EventPlace {
  readonly projectId: string | null;
  /** The past tense that names the event, where it says more than `created`, `changed`, `deleted`. */
  readonly verb?: string | undefined;
}

export function* insertAudited<Row extends HashedRow>(
  audited: AuditedTable<Row>,
  row: NewRow<Row>,
  act: Act,
  place: EventPlace,
): DatabaseWork<Row> {
  const sealed = seal(audited, row as unknown as Cells);
  yield* execute(untyped.insertInto(audited.table).values(sealed));
  yield* appendEvents([changeEvent(audited, undefined, sealed, act, place, "created")], act.now);
  return sealed as unknown as Row;
}

export function* insertManyAudited<Row extends HashedRow>(
  audited: AuditedTable<Row>,
  rows: readonly { readonly row: NewRow<Row>; readonly place: EventPlace }[],
  act: Act,
): DatabaseWork<readonly Row[]> {
  const sealed = rows.map(({ row }) => seal(audited, row as unknown as Cells));
  for (const some of chunksOf(sealed)) {
    yield* execute(untyped.insertInto(audited.table).values(some));
  }
  const events = rows.map(({ place }, i) =>
    changeEvent(audited, undefined, sealed[i], act, place, "created"),
  );
  yield* appendEvents(events, act.now);
  return sealed as unknown as readonly Row[];
}

/** Reads a row in order to change it: others who want to change it wait until commit. */
export function* findForChange<Row extends HashedRow>(
  audited: AuditedTable<Row>,
  ...key: readonly string[]
): DatabaseWork<Row | undefined> {
  const condition = audited.key.map((column) => `${column} = ?`).join(" and ");
  const text = sqlText(`select * from "${audited.table}" where ${condition}`);
  const rows = yield* runSql<Row>(
    { sqlite: text.sqlite, postgres: `${text.postgres} for update` },
    key,
  );
  return rows[0];
}

export function* getForChange<Row extends HashedRow>(
  audited: AuditedTable<Row>,
  ...key: readonly string[]
): DatabaseWork<Row> {
  const row = yield* findForChange(audited, ...key);
  if (row === undefined) throw notFound(audited.noun, key.join("/"));
  return row;
}

/** Writes only if the row is still as it was read. Nothing to change: no event, no new version. */
export function* updateAudited<Row extends HashedRow>(
  audited: AuditedTable<Row>,
  before: Row,
  patch: Partial<NewRow<Row>>,
  act: Act,
  place: EventPlace,
): DatabaseWork<Row> {
  const old = before as unknown as Cells;
  const row = changed(audited, old, patch as Partial<Cells>, act.now);
  if (row === undefined) return before;
  yield* writeRow(audited, old, row);
  yield* appendEvents([changeEvent(audited, old, row, act, place, "changed")], act.now);
  return row as unknown as Row;
}

/** Rows by their ids, in order of id, so that two who want the same ones never wait for each other in a circle. */
export function* findManyForChange<Row extends HashedRow>(
  audited: AuditedTable<Row>,
  ids: readonly string[],
): DatabaseWork<readonly Row[]> {
  if (ids.length === 0) return [];
  const rows = Array.from(new Set(ids), (id) => ({ id }));
  return yield* runRows<Row>(lockText(audited.table), rows);
}

/** Rows on their way through any number of changes: each is written once, and told of once for every change. */
export interface Revisions<Row> {
  row(id: string): Row | undefined;
  change(id: string, patch: Partial<NewRow<Row>>, act: Act, place: EventPlace): void;
  write(now: number): DatabaseWork<void>;
}

export function reviseAudited<Row extends HashedRow & { readonly id: string }>(
  audited: AuditedTable<Row>,
  rows: readonly Row[],
): Revisions<Row> {
  const before = new Map(rows.map((row) => [row.id, row as unknown as Cells]));
  const after = new Map(before);
  const events: NewEvent[] = [];
  return {
    row: (id) => after.get(id) as unknown as Row | undefined,
    change: (id, patch, act, place) => {
      const old = after.get(id);
      if (old === undefined) throw notFound(audited.noun, id);
      const row = changed(audited, old, patch as Partial<Cells>, act.now);
      if (row === undefined) return;
      after.set(id, row);
      events.push(changeEvent(audited, old, row, act, place, "changed"));
    },
    *write(now) {
      yield* writeChanged(audited, before, after);
      yield* appendEvents(events, now);
    },
  };
}

export function* deleteAudited<Row extends HashedRow>(
  audited: AuditedTable<Row>,
  before: Row,
  act: Act,
  place: EventPlace,
): DatabaseWork<void> {
  const old = before as unknown as Cells;
  let query = untyped.deleteFrom(audited.table).where("row_hash", "=", old["row_hash"] ?? null);
  for (const column of audited.key) query = query.where(column, "=", old[column] ?? null);
  if ((yield* execute(query)) === 0)
    throw rowsChangedMeanwhile(`${audited.noun} ${keyOf(audited, old)}`);
  yield* appendEvents([changeEvent(audited, old, undefined, act, place, "deleted")], act.now);
}

/** Bookkeeping that is no change of meaning (last use): not hashed, not told. */
export function touchRow<Row extends HashedRow>(
  audited: AuditedTable<Row>,
  id: string,
  cells: Partial<NewRow<Row>>,
): DatabaseWork<number> {
  const stray = Object.keys(cells).find((column) => !audited.untold.includes(column));
  if (stray !== undefined) throw new TypeError(`${audited.table}.${stray} may not change untold.`);
  return execute(
    untyped
      .updateTable(audited.table)
      .set(cells as unknown as Cells)
      .where("id", "=", id),
  );
}

/** Refuses a change that was decided on an older state of the object. */
export function checkVersion(
  noun: string,
  row: { readonly id: string; readonly version: number },
  expected: number | undefined,
): void {
  if (expected === undefined || expected === row.version) return;
  throw new ProductError(
    "version_conflict",
    `The ${noun} "${row.id}" has changed since: it is at version ${row.version}, not ${expected}.`,
    {
      kind: "conflict",
      hint: "Read it again, and repeat the change if it still makes sense.",
      details: { noun, id: row.id, version: row.version, expected },
    },
  );
}

/** What `row_hash` must be; `doctor` recomputes it. */
export function rowHash(audited: AuditedTable, row: Cells): string {
  // As `canonicalJson` would write the covered cells.
  let members = "";
  for (const { column, name } of coveredColumns(audited, row)) {
    const cell = row[column];
    if (cell === undefined) continue;
    members += `${members === "" ? "" : ","}${name}:${JSON.stringify(cell)}`;
  }
  return hashText(`${audited.table}\n{${members}}`);
}

interface CoveredColumn {
  readonly column: string;
  /** As JSON writes it. */
  readonly name: string;
}

const covered = new WeakMap<
  AuditedTable,
  { readonly count: number; readonly columns: readonly CoveredColumn[] }
>();

/** Sorted; rows of a table have the same columns, so they are sorted once. */
function coveredColumns(audited: AuditedTable, row: Cells): readonly CoveredColumn[] {
  const names = Object.keys(row);
  // Whether the hash is already there makes no difference to what it covers.
  const count = "row_hash" in row ? names.length - 1 : names.length;
  const known = covered.get(audited);
  if (known?.count === count && known.columns.every(({ column }) => column in row)) {
    return known.columns;
  }
  const columns = names
    .filter((column) => column !== "row_hash" && !audited.untold.includes(column))
    .toSorted()
    .map((column) => ({ column, name: JSON.stringify(column) }));
  covered.set(audited, { count, columns });
  return columns;
}

/** An object's name in events: its key's cells joined. */
export function keyOf(audited: AuditedTable, row: Cells): string {
  return audited.key.map((column) => String(row[column])).join("/");
}

export function seal(audited: AuditedTable, row: Cells): Record<string, Cell> {
  const clean: Record<string, Cell> = {};
  for (const [column, cell] of Object.entries(row)) {
    clean[column] = typeof cell === "string" ? storableText(cell) : cell;
  }
  clean["row_hash"] = rowHash(audited, clean);
  return clean;
}

const untyped = db as unknown as Kysely<Record<string, Record<string, Cell>>>;
/** Well under the number of parameters either database takes. */
const CELLS_PER_STATEMENT = 10_000;

function chunksOf(rows: readonly Record<string, Cell>[]): Record<string, Cell>[][] {
  const size = Math.max(1, Math.floor(CELLS_PER_STATEMENT / Object.keys(rows[0] ?? {}).length));
  return Array.from({ length: Math.ceil(rows.length / size) }, (_, i) =>
    rows.slice(i * size, (i + 1) * size),
  );
}

/** The row as it will be, with its hash; undefined where nothing changes. What came from the store is storable. */
function changed(
  audited: AuditedTable,
  before: Cells,
  patch: Partial<Cells>,
  now: number,
): Cells | undefined {
  let next: Record<string, Cell> | undefined;
  for (const column of Object.keys(patch)) {
    const cell = patch[column];
    if (cell === undefined || cell === before[column]) continue;
    next ??= { ...before };
    next[column] = typeof cell === "string" ? storableText(cell) : cell;
  }
  if (next === undefined) return undefined;
  if (typeof before["version"] === "number") next["version"] = before["version"] + 1;
  if ("updated_at" in before) next["updated_at"] = now;
  next["row_hash"] = rowHash(audited, next);
  return next;
}

function* writeRow(audited: AuditedTable, before: Cells, row: Cells): DatabaseWork<void> {
  const cells = Object.fromEntries(
    Object.entries(row).filter(([column, cell]) => cell !== before[column]),
  );
  let query = untyped
    .updateTable(audited.table)
    .set(cells)
    .where("row_hash", "=", before["row_hash"] ?? null);
  for (const column of audited.key) query = query.where(column, "=", before[column] ?? null);
  if ((yield* execute(query)) === 0) {
    throw rowsChangedMeanwhile(`${audited.noun} ${keyOf(audited, before)}`);
  }
}

/** Rows in which the same columns changed share a statement. */
function* writeChanged(
  audited: AuditedTable,
  before: ReadonlyMap<string, Cells>,
  after: ReadonlyMap<string, Cells>,
): DatabaseWork<void> {
  const groups = new Map<string, { readonly sql: RowsText; readonly rows: Cells[] }>();
  for (const [id, row] of after) {
    const old = before.get(id);
    if (old === undefined || old === row) continue;
    const columns = Object.keys(row).filter((column) => row[column] !== old[column]);
    const key = columns.join();
    const group = groups.get(key) ?? { sql: updateTextFor(audited.table, columns), rows: [] };
    groups.set(key, group);
    const cells = Object.fromEntries(columns.map((column) => [column, row[column] ?? null]));
    group.rows.push({ ...cells, id, old_hash: old["row_hash"] ?? null });
  }
  for (const { sql, rows } of groups.values()) {
    const written = yield* runRows(sql, rows);
    if (written.length !== rows.length) throw rowsChangedMeanwhile(audited.noun);
  }
}

const texts = new Map<string, RowsText>();

function keptText(key: string, make: () => RowsText): RowsText {
  const known = texts.get(key) ?? make();
  texts.set(key, known);
  return known;
}

function lockText(table: string): RowsText {
  return keptText(`lock ${table}`, () =>
    sqlForRows(
      { id: "text" },
      `select t.* from "${table}" t where t.id in (select id from {rows}) order by t.id for no key update`,
      { sqlite: `select * from "${table}" where id = x.id` },
    ),
  );
}

/** On PostgreSQL the table itself says of what kind each column is. */
function updateTextFor(table: string, columns: readonly string[]): RowsText {
  return keptText(`update ${table} ${columns.join()}`, () => ({
    columns: ["id", "old_hash", ...columns],
    sqlite: `update "${table}" set ${columns.map((column, place) => `${column} = ?${place + 3}`).join(", ")}
      where id = ?1 and row_hash = ?2`,
    postgres: `update "${table}" as t set ${columns.map((column) => `${column} = x.${column}`).join(", ")}
      from json_array_elements($1::json) as e, json_populate_record(null::"${table}", e) as x
      where t.id = x.id and t.row_hash = e->>'old_hash' returning t.id`,
    givesOwnRows: true,
  }));
}

function changeEvent(
  audited: AuditedTable,
  before: Cells | undefined,
  after: Cells | undefined,
  { actor, because }: Act,
  { projectId, verb }: EventPlace,
  usualVerb: string,
): NewEvent {
  const shown = after ?? before ?? {};
  const data: Record<string, Json> = {
    id: keyOf(audited, shown),
    hash: after?.["row_hash"] ?? null,
    ...(because === undefined ? {} : { because: storableText(because) }),
  };
  if (after !== undefined) {
    data["set"] = toldCells(audited, before, after);
    if (before !== undefined) data["was"] = toldCells(audited, after, before);
  }
  return {
    stream: projectId ?? WORKSPACE_STREAM,
    type: `${audited.noun}.${verb ?? usualVerb}`,
    projectId,
    actor,
    data,
  };
}

/** The cells of `row` that differ from `other`, as events may show them. */
function toldCells(audited: AuditedTable, other: Cells | undefined, row: Cells): Json {
  const told: Record<string, Json> = {};
  for (const column of Object.keys(row)) {
    const cell = row[column] ?? null;
    if (other === undefined ? cell === null : cell === other[column]) continue;
    if (column === "row_hash" || audited.untold.includes(column)) continue;
    told[camelCase(column)] = toldCell(audited, column, cell);
  }
  return told;
}

function toldCell(audited: AuditedTable, column: string, cell: Cell): Json {
  if (/^(is|has)_/.test(column)) return cell === 1;
  if (typeof cell !== "string" || audited.told.includes(column) || ALWAYS_TOLD.test(column))
    return cell;
  return { hash: hashText(cell), characters: cell.length };
}

const ALWAYS_TOLD = /^id$|_id$|_by$/;

const camelCased = new Map<string, string>();

function camelCase(column: string): string {
  const known = camelCased.get(column);
  if (known !== undefined) return known;
  const name = column.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
  camelCased.set(column, name);
  return name;
}
