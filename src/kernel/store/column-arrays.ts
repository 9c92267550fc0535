/**
 * Rows as PostgreSQL takes them: each column one array in the protocol's binary form. Taking the same rows apart as
 * JSON costs the server twice as much, and writing them as JSON costs us more than this.
 */

import type { ColumnKind, RowsText } from "./database-work.ts";

type Cell = string | number | null;

/** A parameter for each column, or all rows as one JSON text where the statement says so. */
export function rowParameters(
  { columns, kinds }: RowsText,
  rows: readonly object[],
): readonly unknown[] {
  if (kinds === undefined) return [JSON.stringify(rows)];
  return columns.map((column, place) => {
    const cells = rows.map((row) => (row as Readonly<Record<string, Cell>>)[column] ?? null);
    const kind = kinds[place] ?? "text";
    return kind === "text" ? textArray(cells) : numberArray(cells, kind);
  });
}

/** Dimensions, whether there are nulls, the kind of the elements, how many, and the number of the first. */
const HEAD_BYTES = 20;
const LENGTH_BYTES = 4;
const NUMBER_BYTES = 8;
const NULL_LENGTH = -1;
/** What the elements are, by PostgreSQL's numbers of its types. */
const ELEMENTS: Readonly<Record<ColumnKind, number>> = { text: 25, int: 20, real: 701 };

function textArray(cells: readonly Cell[]): Buffer {
  const texts = cells.map((cell) => (cell === null ? null : String(cell)));
  let size = HEAD_BYTES;
  for (const text of texts) size += LENGTH_BYTES + (text === null ? 0 : Buffer.byteLength(text));
  const array = openArray(size, "text", cells);
  let at = HEAD_BYTES;
  for (const text of texts) {
    const length = text === null ? NULL_LENGTH : array.write(text, at + LENGTH_BYTES);
    array.writeInt32BE(length, at);
    at += LENGTH_BYTES + Math.max(0, length);
  }
  return array;
}

function numberArray(cells: readonly Cell[], kind: Exclude<ColumnKind, "text">): Buffer {
  let size = HEAD_BYTES;
  for (const cell of cells) size += LENGTH_BYTES + (cell === null ? 0 : NUMBER_BYTES);
  const array = openArray(size, kind, cells);
  let at = HEAD_BYTES;
  for (const cell of cells) {
    array.writeInt32BE(cell === null ? NULL_LENGTH : NUMBER_BYTES, at);
    at += LENGTH_BYTES;
    if (cell === null) continue;
    if (kind === "real") array.writeDoubleBE(Number(cell), at);
    else writeWhole(array, Number(cell), at);
    at += NUMBER_BYTES;
  }
  return array;
}

const HALF = 2 ** 32;

function writeWhole(array: Buffer, value: number, at: number): void {
  if (!Number.isSafeInteger(value)) throw new RangeError(`${value} is not a whole number.`);
  array.writeInt32BE(Math.floor(value / HALF), at);
  array.writeUInt32BE(value >>> 0, at + 4);
}

function openArray(size: number, kind: ColumnKind, cells: readonly Cell[]): Buffer {
  const array = Buffer.allocUnsafe(size);
  array.writeInt32BE(1, 0);
  array.writeInt32BE(cells.includes(null) ? 1 : 0, 4);
  array.writeInt32BE(ELEMENTS[kind], 8);
  array.writeInt32BE(cells.length, 12);
  array.writeInt32BE(1, 16);
  return array;
}
