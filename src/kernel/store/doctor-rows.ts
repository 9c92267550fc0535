/**
 * Checks every audited row against its own hash, and against the hash that the log last told of it. The second
 * shows what was changed, added or removed behind the log's back, even by someone who made the row's hash fit.
 */

import { type AuditedTable, keyOf, rowHash } from "./audited-rows.ts";
import { AUDITED_TABLES } from "./audited-tables.ts";
import { RESTORE_HINT, type Report } from "./finding.ts";
import type { Migration } from "./migrate.ts";
import type { Snapshot } from "./snapshot.ts";
import { sqlText } from "./sql-text.ts";
import { listTableShapes, type Row, type TableShape, walkTable } from "./table-shapes.ts";

/** Methods name their audited tables in the migrations that make them. */
export async function checkRows(
  snapshot: Snapshot,
  report: Report,
  migrations: readonly Migration[] = [],
): Promise<void> {
  const shapes = new Map((await listTableShapes(snapshot)).map((shape) => [shape.name, shape]));
  const known = [...AUDITED_TABLES, ...migrations.flatMap(({ audited = [] }) => audited)];
  const tables = known.flatMap((audited) => {
    const shape = shapes.get(audited.table);
    return shape === undefined ? [] : [{ audited, shape }];
  });
  for (const { audited, shape } of tables) await checkHashes(snapshot, report, audited, shape);
  const told = tables.filter(({ audited }) => !TOLD_BY_OTHERS.has(audited.noun));
  const parts = await countParts(snapshot, told);
  for (let part = 0; part < parts; part += 1)
    await checkTold(snapshot, report, told, { part, parts });
}

interface CheckedTable {
  readonly audited: AuditedTable;
  readonly shape: TableShape;
}

/** A message has no event of its own: its conversation tells how many there are. */
const TOLD_BY_OTHERS: ReadonlySet<string> = new Set(["message"]);

async function checkHashes(
  snapshot: Snapshot,
  report: Report,
  audited: AuditedTable,
  shape: TableShape,
): Promise<void> {
  for await (const row of walkTable(snapshot, shape)) {
    if (rowHash(audited, row) === row["row_hash"]) continue;
    report({
      code: "row_changed",
      severity: "damage",
      place: `${audited.noun} ${keyOf(audited, row)}`,
      message: "It is not as it was written.",
      hint: RESTORE_HINT,
    });
  }
}

interface Part {
  readonly part: number;
  readonly parts: number;
}

/** Objects held in memory at a time; a larger store is gone through in several passes. */
const OBJECTS_PER_PART = 200_000;

async function countParts(snapshot: Snapshot, tables: readonly CheckedTable[]): Promise<number> {
  let total = 0;
  for (const { shape } of tables) {
    const [row] = await snapshot.rows<{ n: number }>(
      sqlText(`select count(*) as n from "${shape.name}"`),
    );
    total += row?.n ?? 0;
  }
  return Math.max(1, Math.ceil(total / OBJECTS_PER_PART));
}

async function checkTold(
  snapshot: Snapshot,
  report: Report,
  tables: readonly CheckedTable[],
  part: Part,
): Promise<void> {
  const nouns = new Set(tables.map(({ audited }) => audited.noun));
  const staying = new Set(
    tables.filter(({ audited }) => !audited.goesAlong).map(({ audited }) => audited.noun),
  );
  const { told, isPruned } = await readTold(snapshot, nouns, part);
  for (const { audited, shape } of tables) {
    for await (const row of walkTable(snapshot, shape)) {
      const name = `${audited.noun} ${keyOf(audited, row)}`;
      if (!isInPart(name, part)) continue;
      const hash = told.get(name);
      told.delete(name);
      const isFitting = hash === undefined ? isPruned : hash === row["row_hash"];
      if (!isFitting) report(untold(name, row));
    }
  }
  for (const [name, hash] of told) {
    if (hash === null || !staying.has(name.split(" ")[0] ?? "")) continue;
    report({
      code: "row_missing",
      severity: "damage",
      place: name,
      message: "The log tells of it and nothing tells of its deletion, but it is not there.",
      hint: RESTORE_HINT,
    });
  }
}

function untold(place: string, row: Row) {
  return {
    code: "row_untold",
    severity: "damage",
    place,
    message: `Its present state (version ${row["version"] ?? "-"}) is not the one the log tells of.`,
    hint: "Somebody or something changed it outside the program, or the end of the log is lost.",
  } as const;
}

/** The hash each object had when it was last told of; null when it was deleted. */
async function readTold(
  snapshot: Snapshot,
  nouns: ReadonlySet<string>,
  part: Part,
): Promise<{ told: Map<string, string | null>; isPruned: boolean }> {
  const told = new Map<string, Told>();
  let isPruned = false;
  let place = 0;
  for (;;) {
    const page = await snapshot.rows<ToldRow>(NEXT_TOLD, [place]);
    for (const { type, data } of page) {
      const noun = type.split(".")[0] ?? "";
      if (!nouns.has(noun)) continue;
      if (data === null) isPruned = true;
      else noteTold(told, noun, data, part);
    }
    const last = page.at(-1);
    if (last === undefined) {
      return { told: new Map(Array.from(told, ([name, { hash }]) => [name, hash])), isPruned };
    }
    place = last.id;
  }
}

interface Told {
  readonly hash: string | null;
  readonly version: number;
}

interface ToldRow {
  readonly id: number;
  readonly type: string;
  readonly data: string | null;
}

/**
 * Whoever changes an object holds it until the commit, so its events are numbered in their order. In a restored store
 * they are numbered as readers saw them: of two that overlapped, the one that waited may stand first.
 */
function noteTold(told: Map<string, Told>, noun: string, text: string, part: Part): void {
  const data = parse(text);
  if (typeof data?.id !== "string" || data.hash === undefined) return;
  const name = `${noun} ${data.id}`;
  if (!isInPart(name, part)) return;
  const known = told.get(name);
  const version = data.set?.version ?? 0;
  const isEarlier =
    known?.hash === null ? data.was !== undefined : version > 0 && version < (known?.version ?? 0);
  if (!isEarlier) told.set(name, { hash: data.hash, version });
}

/** An event that cannot be read is reported where the log is checked. */
function parse(text: string): ToldData | undefined {
  try {
    return JSON.parse(text) as ToldData;
  } catch {
    return undefined;
  }
}

interface ToldData {
  readonly id?: unknown;
  readonly hash?: string | null;
  readonly set?: { readonly version?: number };
  readonly was?: object;
}

function isInPart(name: string, { part, parts }: Part): boolean {
  if (parts === 1) return true;
  let sum = 0;
  for (let i = 0; i < name.length; i += 1) sum = (sum * 31 + name.charCodeAt(i)) >>> 0;
  return sum % parts === part;
}

const NEXT_TOLD = sqlText("select id, type, data from event where id > ? order by id limit 1000");
