/**
 * What a store holds, in a few numbers that are equal exactly when the contents are: rows and digest of every
 * table, and of the last event of every stream. Independent of order, so that both databases give the same.
 */

import { hash } from "node:crypto";
import { canonicalJson } from "../base/json.ts";
import type { Snapshot } from "./snapshot.ts";
import { sqlText } from "./sql-text.ts";
import { listTableShapes, type Row, type TableShape, walkTable } from "./table-shapes.ts";

export interface TableDigest {
  readonly rows: number;
  readonly digest: string;
}

export interface ContentDigest {
  readonly tables: Readonly<Record<string, TableDigest>>;
  readonly eventHeads: { readonly streams: number; readonly digest: string };
}

export interface EventHead {
  readonly stream: string;
  readonly seq: number;
  readonly hash: string;
}

export interface DigestBuilder {
  addRow(table: string, row: Row): void;
  addHead(head: EventHead): void;
  finish(): ContentDigest;
}

/** Numbers that each database gives for itself: they order the log within one store and mean nothing outside. */
export const OWN_NUMBERS: Readonly<Record<string, readonly string[]>> = {
  event: ["id", "transaction_id"],
};

/** Kept by each store for itself. */
export const OWN_TABLES: ReadonlySet<string> = new Set(["migration"]);

export function contentTables(shapes: readonly TableShape[]): readonly TableShape[] {
  return shapes.filter(({ name }) => !OWN_TABLES.has(name));
}

export function buildDigest(): DigestBuilder {
  const tables = new Map<string, Sum>();
  const heads = newSum();
  return {
    addRow(table, row) {
      const sum = tables.get(table) ?? newSum();
      tables.set(table, sum);
      add(sum, canonicalJson(withoutOwnNumbers(table, row)));
    },
    addHead({ stream, seq, hash: last }) {
      add(heads, `${stream} ${seq} ${last}`);
    },
    finish() {
      return {
        tables: Object.fromEntries(
          [...tables].map(([name, sum]) => [name, { rows: sum.count, digest: digestOf(sum) }]),
        ),
        eventHeads: { streams: heads.count, digest: digestOf(heads) },
      };
    },
  };
}

/** The last event of every stream. */
export async function* walkHeads(snapshot: Snapshot): AsyncGenerator<EventHead> {
  let last = "";
  for (;;) {
    const page = await snapshot.rows<EventHead>(LIST_HEADS, [last]);
    yield* page;
    const { stream } = page.at(-1) ?? {};
    if (stream === undefined) return;
    last = stream;
  }
}

/** Reads everything a store holds. */
export async function digestContent(snapshot: Snapshot): Promise<ContentDigest> {
  const digest = buildDigest();
  for (const shape of contentTables(await listTableShapes(snapshot))) {
    for await (const row of walkTable(snapshot, shape)) digest.addRow(shape.name, row);
  }
  for await (const head of walkHeads(snapshot)) digest.addHead(head);
  return digest.finish();
}

/** The tables in which two contents differ; empty tables and missing ones are the same. */
export function differingTables(a: ContentDigest, b: ContentDigest): readonly string[] {
  const names = new Set([...Object.keys(a.tables), ...Object.keys(b.tables)]);
  return [...names].filter((name) => {
    const [one, other] = [a.tables[name], b.tables[name]];
    return (one?.rows ?? 0) !== (other?.rows ?? 0) || (one?.digest ?? "") !== (other?.digest ?? "");
  });
}

const LIST_HEADS = sqlText(
  `select e.stream, e.seq, e.hash from event e where e.stream > ?
     and not exists (select 1 from event n where n.stream = e.stream and n.seq = e.seq + 1)
   order by e.stream limit 500`,
);

interface Sum {
  count: number;
  readonly total: Uint32Array;
}

function newSum(): Sum {
  return { count: 0, total: new Uint32Array(8) };
}

/** Addition word by word: order does not matter, and equal rows do not cancel each other out. */
function add(sum: Sum, text: string): void {
  const bytes = hash("sha256", text, "buffer");
  sum.count += 1;
  for (let i = 0; i < 8; i += 1) {
    sum.total[i] = ((sum.total[i] ?? 0) + bytes.readUInt32BE(i * 4)) >>> 0;
  }
}

function digestOf({ total }: Sum): string {
  return [...total].map((word) => word.toString(16).padStart(8, "0")).join("");
}

function withoutOwnNumbers(table: string, row: Row): Row {
  const own = OWN_NUMBERS[table];
  if (own === undefined) return row;
  return Object.fromEntries(Object.entries(row).filter(([column]) => !own.includes(column)));
}
