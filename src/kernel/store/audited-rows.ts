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
import { canonicalJson, type Json } from "../base/json.ts";
import { type DatabaseWork, execute, runSql } from "./database-work.ts";
import { appendEvents, type NewEvent, WORKSPACE_STREAM } from "./events.ts";
import type { NounTables } from "./noun-tables.ts";
import { db } from "./query-builder.ts";
import { sqlText } from "./sql-text.ts";
import { storableText } from "./storable-text.ts";
import { rowsChangedMeanwhile } from "./store-errors.ts";

/** Who changes something, when, and why if they said so. */
export interface Act {
  /** A user's id, or `engine`. */
  readonly actor: string;
  readonly now: number;
  readonly because?: string | undefined;
}

export type AuditedName = {
  [Name in keyof NounTables]: NounTables[Name] extends { row_hash: string } ? Name : never;
}[keyof NounTables];

export type RowOf<Name extends AuditedName> = NounTables[Name];
export type NewRow<Name extends AuditedName> = Omit<RowOf<Name>, "row_hash">;

export interface AuditedTable<Name extends AuditedName = AuditedName> {
  readonly table: Name;
  /** The same name where queries are built for any table. */
  readonly anyTable: string;
  /** The noun of its events. */
  readonly noun: string;
  readonly key: readonly string[];
  /** Columns whose values events may show. The rest appear by hash. */
  readonly told: readonly string[];
  /** Columns that change by mere use: outside hash and events. */
  readonly untold: readonly string[];
}

export type Cell = string | number | null;
type Cells = Readonly<Record<string, Cell>>;

export function auditedTable<Name extends AuditedName>(
  table: Name,
  columns: {
    readonly key?: readonly (keyof RowOf<Name> & string)[];
    readonly told: readonly (keyof RowOf<Name> & string)[];
    readonly untold?: readonly (keyof RowOf<Name> & string)[];
  },
): AuditedTable<Name> {
  const { key = ["id"], told, untold = [] } = columns;
  return { table, anyTable: table, noun: table, key, told, untold };
}

export interface EventPlace {
  readonly projectId: string | null;
  /** The past tense that names the event, where it says more than `created`, `changed`, `deleted`. */
  readonly verb?: string | undefined;
}

export function* insertAudited<Name extends AuditedName>(
  audited: AuditedTable<Name>,
  row: NewRow<Name>,
  act: Act,
  place: EventPlace,
): DatabaseWork<RowOf<Name>> {
  const sealed = seal(audited, row as unknown as Cells);
  yield* execute(untyped.insertInto(audited.anyTable).values(sealed));
  yield* appendEvents([changeEvent(audited, undefined, sealed, act, place, "created")], act.now);
  return sealed as unknown as RowOf<Name>;
}

export function* insertManyAudited<Name extends AuditedName>(
  audited: AuditedTable<Name>,
  rows: readonly { readonly row: NewRow<Name>; readonly place: EventPlace }[],
  act: Act,
): DatabaseWork<readonly RowOf<Name>[]> {
  const sealed = rows.map(({ row }) => seal(audited, row as unknown as Cells));
  for (const some of chunksOf(sealed)) {
    yield* execute(untyped.insertInto(audited.anyTable).values(some));
  }
  const events = rows.map(({ place }, i) =>
    changeEvent(audited, undefined, sealed[i], act, place, "created"),
  );
  yield* appendEvents(events, act.now);
  return sealed as unknown as readonly RowOf<Name>[];
}

/** Reads a row in order to change it: others who want to change it wait until commit. */
export function* findForChange<Name extends AuditedName>(
  audited: AuditedTable<Name>,
  ...key: readonly string[]
): DatabaseWork<RowOf<Name> | undefined> {
  const condition = audited.key.map((column) => `${column} = ?`).join(" and ");
  const text = sqlText(`select * from "${audited.anyTable}" where ${condition}`);
  const rows = yield* runSql<RowOf<Name>>(
    { sqlite: text.sqlite, postgres: `${text.postgres} for update` },
    key,
  );
  return rows[0];
}

export function* getForChange<Name extends AuditedName>(
  audited: AuditedTable<Name>,
  ...key: readonly string[]
): DatabaseWork<RowOf<Name>> {
  const row = yield* findForChange(audited, ...key);
  if (row === undefined) throw notFound(audited.noun, key.join("/"));
  return row;
}

/** Writes only if the row is still as it was read. Nothing to change: no event, no new version. */
export function* updateAudited<Name extends AuditedName>(
  audited: AuditedTable<Name>,
  before: RowOf<Name>,
  patch: Partial<NewRow<Name>>,
  act: Act,
  place: EventPlace,
): DatabaseWork<RowOf<Name>> {
  const old = before as unknown as Cells;
  const next = changed(old, patch as Partial<Cells>, act.now);
  if (next === undefined) return before;
  const row = seal(audited, next);
  yield* writeRow(audited, old, row);
  yield* appendEvents([changeEvent(audited, old, row, act, place, "changed")], act.now);
  return row as unknown as RowOf<Name>;
}

export function* deleteAudited<Name extends AuditedName>(
  audited: AuditedTable<Name>,
  before: RowOf<Name>,
  act: Act,
  place: EventPlace,
): DatabaseWork<void> {
  const old = before as unknown as Cells;
  let query = untyped.deleteFrom(audited.anyTable).where("row_hash", "=", old["row_hash"] ?? null);
  for (const column of audited.key) query = query.where(column, "=", old[column] ?? null);
  if ((yield* execute(query)) === 0)
    throw rowsChangedMeanwhile(`${audited.noun} ${keyOf(audited, old)}`);
  yield* appendEvents([changeEvent(audited, old, undefined, act, place, "deleted")], act.now);
}

/** Bookkeeping that is no change of meaning (last use): not hashed, not told. */
export function touchRow<Name extends AuditedName>(
  audited: AuditedTable<Name>,
  id: string,
  cells: Partial<NewRow<Name>>,
): DatabaseWork<number> {
  const stray = Object.keys(cells).find((column) => !audited.untold.includes(column));
  if (stray !== undefined) throw new TypeError(`${audited.table}.${stray} may not change untold.`);
  return execute(
    untyped
      .updateTable(audited.anyTable)
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
  const covered = Object.fromEntries(
    Object.entries(row).filter(
      ([column]) => column !== "row_hash" && !audited.untold.includes(column),
    ),
  );
  return hashText(`${audited.table}\n${canonicalJson(covered)}`);
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

function changed(before: Cells, patch: Partial<Cells>, now: number): Cells | undefined {
  const entries = Object.entries(patch).filter(
    (entry): entry is [string, Cell] => entry[1] !== undefined && entry[1] !== before[entry[0]],
  );
  if (entries.length === 0) return undefined;
  const next: Record<string, Cell> = { ...before, ...Object.fromEntries(entries) };
  if (typeof before["version"] === "number") next["version"] = before["version"] + 1;
  if ("updated_at" in before) next["updated_at"] = now;
  return next;
}

function* writeRow(audited: AuditedTable, before: Cells, row: Cells): DatabaseWork<void> {
  const cells = Object.fromEntries(
    Object.entries(row).filter(([column, cell]) => cell !== before[column]),
  );
  let query = untyped
    .updateTable(audited.anyTable)
    .set(cells)
    .where("row_hash", "=", before["row_hash"] ?? null);
  for (const column of audited.key) query = query.where(column, "=", before[column] ?? null);
  if ((yield* execute(query)) === 0) {
    throw rowsChangedMeanwhile(`${audited.noun} ${keyOf(audited, before)}`);
  }
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
  for (const [column, cell] of Object.entries(row)) {
    if (column === "row_hash" || audited.untold.includes(column)) continue;
    if (other === undefined ? cell === null : cell === other[column]) continue;
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

function camelCase(column: string): string {
  return column.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
