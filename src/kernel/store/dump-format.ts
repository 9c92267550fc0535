/**
 * The portable form of a store: JSON Lines that either database can write and read.
 *
 * First line: what it is and which migrations it is made for. Then for every table a line with its columns and
 * a line per row. Last line: how many rows there were, and the digests to compare with after reading it back.
 */

import { ProductError } from "../base/errors.ts";
import type { ContentDigest } from "./content-digest.ts";
import type { Dialect } from "./store.ts";

export const DUMP_FORMAT = "throughline-dump";
export const DUMP_VERSION = 1;

export interface DumpHeader {
  readonly format: typeof DUMP_FORMAT;
  readonly version: number;
  readonly dialect: Dialect;
  readonly createdAt: number;
  readonly migrations: readonly string[];
  /** Redacted words are left out: it is there to be read, no workspace can be made of it. */
  readonly isCovered?: boolean;
}

export interface DumpTable {
  readonly table: string;
  readonly columns: readonly string[];
}

export interface DumpEnd {
  readonly end: true;
  readonly content: ContentDigest;
}

export type DumpCell = string | number | null;

export type DumpLine = DumpHeader | DumpTable | DumpEnd | readonly DumpCell[];

export function readDumpLine(line: string, number: number): DumpLine {
  try {
    return JSON.parse(line) as DumpLine;
  } catch (cause) {
    throw new ProductError("dump_damaged", `Line ${number} of the backup cannot be read.`, {
      kind: "check_failed",
      hint: "Use another backup; this one was cut off or changed.",
      cause,
    });
  }
}

export function checkHeader(line: DumpLine | undefined): DumpHeader {
  const header = line as Partial<DumpHeader> | undefined;
  if (header?.isCovered === true) throw covered();
  if (header?.format === DUMP_FORMAT && header.version === DUMP_VERSION)
    return header as DumpHeader;
  throw new ProductError(
    "dump_unknown",
    header?.format === DUMP_FORMAT
      ? `This backup has format version ${header.version}; this program reads version ${DUMP_VERSION}.`
      : "This is not a backup of a workspace.",
    { hint: "Use the version of the program that made it." },
  );
}

function covered(): ProductError {
  return new ProductError(
    "dump_covered",
    "This export leaves redacted words out: it is there to be read, and no workspace can be made of it.",
    { kind: "conflict", hint: "Make one that holds everything with `export --with-redacted`." },
  );
}
