/**
 * Checks every audited row against its own hash, and against the hash that the log last told of it. The second
 * shows what was changed, added or removed behind the log's back, even by someone who made the row's hash fit.
 */

import { type AuditedTable, keyOf, rowHash } from "./audited-rows.ts";
import { AUDITED_TABLES } from "./audited-tables.ts";
import { RESTORE_HINT, type Report } from "./finding.ts";
import type { Snapshot } from "./snapshot.ts";
import { sqlText } from "./sql-text.ts";
import { listTableShapes, type Row, type TableShape, walkTable } from "./table-shapes.ts";

export async function checkRows(snapshot: Snapshot, report: Report): Promise<void> {
  const shapes = new Map((await listTableShapes(snapshot)).map((shape) => [shape.name, shape]));
  const tables = AUDITED_TABLES.flatMap((audited) => {
    const shape = shapes.get(audited.anyTable);
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

/** Rows of other tables may go together with what they belong to, without an event each. */
const NEVER_TAKEN_ALONG: ReadonlySet<string> = new Set([
  "user",
  "project",
  "conversation",
  "highlight",
  "task",
  "decision",
  "team",
]);

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
    if (hash === null || !NEVER_TAKEN_ALONG.has(name.split(" ")[0] ?? "")) continue;
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
  const told = new Map<string, string | null>();
  let isPruned = false;
  let place: readonly number[] = [-1, 0];
  for (;;) {
    const page = await snapshot.rows<ToldRow>(NEXT_TOLD, place);
    for (const { type, data } of page) {
      const noun = type.split(".")[0] ?? "";
      if (!nouns.has(noun)) continue;
      if (data === null) isPruned = true;
      else noteTold(told, noun, data, part);
    }
    const last = page.at(-1);
    if (last === undefined) return { told, isPruned };
    place = [last.transaction_id, last.id];
  }
}

interface ToldRow {
  readonly id: number;
  readonly transaction_id: number;
  readonly type: string;
  readonly data: string | null;
}

function noteTold(told: Map<string, string | null>, noun: string, text: string, part: Part): void {
  const data = parse(text);
  if (typeof data?.id !== "string" || data.hash === undefined) return;
  const name = `${noun} ${data.id}`;
  if (isInPart(name, part)) told.set(name, data.hash);
}

/** An event that cannot be read is reported where the log is checked. */
function parse(text: string): { id?: unknown; hash?: string | null } | undefined {
  try {
    return JSON.parse(text) as { id?: unknown; hash?: string | null };
  } catch {
    return undefined;
  }
}

function isInPart(name: string, { part, parts }: Part): boolean {
  if (parts === 1) return true;
  let sum = 0;
  for (let i = 0; i < name.length; i += 1) sum = (sum * 31 + name.charCodeAt(i)) >>> 0;
  return sum % parts === part;
}

const COLUMNS = "select id, transaction_id, type, data from event where";
const NEXT_TOLD = {
  // SQLite has one writer: its numbers are the order of commits.
  sqlite: `${COLUMNS} id > ?2 and ?1 is not null order by id limit 1000`,
  postgres: `${COLUMNS} (transaction_id, id) > ($1::bigint, $2::bigint) order by transaction_id, id limit 1000`,
};
