/** What databases say when they fail, in our words. */

import { ProductError } from "../base/errors.ts";

/** A write found its rows changed by someone else. The work is safe to decide again. */
export function isConflict(error: unknown): boolean {
  const code = codeOf(error);
  return code === "40001" || code === "40P01";
}

/** Thrown by work that found a row changed since it read it: the transaction is decided again. */
export function rowsChangedMeanwhile(what: string): Error {
  return Object.assign(new Error(`The ${what} was changed by someone else.`), { code: "40001" });
}

/** The database could not be reached, was busy or had no room: nothing is wrong with the work itself. */
export function isStoreAway(error: unknown): boolean {
  return (
    error instanceof ProductError && error.kind === "unavailable" && error.code.startsWith("store_")
  );
}

export function isBusy(error: unknown): boolean {
  const { errcode } = error as { errcode?: unknown };
  return typeof errcode === "number" && (errcode & 0xff) === SQLITE_BUSY;
}

/** Gives the foreseen failures of a database their code; anything else is returned as it is. */
export function toStoreError(error: unknown, location: string): unknown {
  const { errcode } = error as { errcode?: unknown };
  if (typeof errcode === "number") return fromSqlite(error, errcode & 0xff, location);
  const code = codeOf(error);
  if ((code !== undefined && UNREACHABLE.has(code)) || isBrokenConnection(error)) {
    return new ProductError("store_unreachable", `The database at ${location} does not answer.`, {
      kind: "unavailable",
      hint: "Check that it runs and that the address is right; work goes on by itself once it is back.",
      cause: error,
    });
  }
  if (code === "53100") return diskFull(location, error);
  if (isConflict(error)) {
    return new ProductError(
      "store_conflict",
      "Others kept changing the same rows; this change was not made.",
      { kind: "conflict", hint: "Read again and repeat it if it still makes sense.", cause: error },
    );
  }
  return error;
}

const SQLITE_BUSY = 5;
const UNREACHABLE = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "EPIPE",
  "ENOTFOUND",
  "ETIMEDOUT",
  "25P03",
  "57P01",
  "57P02",
  "57P03",
  "08006",
  "08003",
  "08001",
  "53300",
]);

/** What the PostgreSQL client says itself, without a code, about a connection that broke under it. */
function isBrokenConnection(error: unknown): boolean {
  return error instanceof Error && BROKEN_CONNECTION.test(error.message);
}

const BROKEN_CONNECTION =
  /^(?:Connection terminated|Client has encountered a connection error|Client was closed|timeout exceeded when trying to connect)/;

function codeOf(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === "string" ? code : undefined;
}

function fromSqlite(error: unknown, primary: number, location: string): unknown {
  switch (primary) {
    case SQLITE_BUSY:
      return new ProductError(
        "store_busy",
        `The workspace ${location} is busy with another write.`,
        {
          kind: "unavailable",
          hint: "Try again in a moment.",
          cause: error,
        },
      );
    case 8:
      return new ProductError("store_read_only", `The workspace ${location} cannot be written.`, {
        kind: "not_allowed",
        hint: "Check the permissions of the folder and its files.",
        cause: error,
      });
    case 10:
      return new ProductError("store_io_error", `The disk refused a write to ${location}.`, {
        kind: "unavailable",
        hint: "Nothing half-written was kept. Check the disk; `doctor` examines the workspace.",
        cause: error,
      });
    case 11:
    case 26:
      return new ProductError("store_damaged", `The database file ${location} is damaged.`, {
        kind: "internal",
        hint: "`doctor` names what is affected, if it can still be read. `restore` lists the backups and puts one back; what is there now is kept aside.",
        cause: error,
      });
    case 13:
      return diskFull(location, error);
    default:
      return error;
  }
}

function diskFull(location: string, cause: unknown): ProductError {
  return new ProductError("store_disk_full", `There is no room left to write to ${location}.`, {
    kind: "unavailable",
    hint: "Free some space; nothing accepted before was lost, and work resumes by itself.",
    cause,
  });
}
