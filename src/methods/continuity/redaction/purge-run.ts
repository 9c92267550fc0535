/**
 * Takes redacted passages out of what is kept of a run that has ended: its title, input and result, its jobs, what it
 * asked people, what followed from replies, and what its method keeps in tables of its own. Events keep their time, kind and hash; one that holds a passage
 * loses its facts, in the form that pruning gives them too.
 */

import { type DatabaseWork, execute, query } from "../../../kernel/store/database-work.ts";
import { db } from "../../../kernel/store/query-builder.ts";
import { maskDrawn, type RedactionScope } from "../../../kernel/store/redaction-scope.ts";
import type { PassageHunter } from "./held-words.ts";
import { maskRunTables } from "./run-tables.ts";

export interface Forgetting {
  readonly scope: RedactionScope;
  readonly holdsPassage: PassageHunter;
}

/** Says whether there was anything to take out. */
export function* purgeRun(runId: string, forgetting: Forgetting): DatabaseWork<boolean> {
  let isChanged = false;
  for (const { table, id, texts, json } of KEPT) {
    const rows = yield* readRows(table, id, runId, [...texts, ...json]);
    for (const row of rows) {
      const cells = masked(row, texts, json, forgetting);
      if (cells === undefined) continue;
      isChanged = true;
      yield* execute(
        db
          .updateTable(table as "run")
          .set(cells)
          .where("id", "=", row["id"] as string),
      );
    }
  }
  const ofMethods = yield* maskRunTables(runId, (cell) => maskedCell(cell, forgetting));
  return (yield* forgetEvents(runId, forgetting)) || ofMethods || isChanged;
}

interface KeptWords {
  readonly table: "run" | "job" | "wait" | "effect";
  /** The column that names the run. */
  readonly id: "id" | "run_id";
  readonly texts: readonly string[];
  readonly json: readonly string[];
}

const KEPT: readonly KeptWords[] = [
  { table: "run", id: "id", texts: ["title"], json: ["reason", "input", "result", "data"] },
  { table: "job", id: "run_id", texts: ["message"], json: ["input", "progress", "failure"] },
  {
    table: "wait",
    id: "run_id",
    texts: ["title", "reason"],
    json: ["evidence", "form", "answer", "follow_up"],
  },
  { table: "effect", id: "run_id", texts: [], json: ["data"] },
];

type Cells = Readonly<Record<string, string | number | null>>;

function* readRows(
  table: KeptWords["table"],
  column: string,
  runId: string,
  columns: readonly string[],
): DatabaseWork<readonly Cells[]> {
  const rows = yield* query(
    db
      .selectFrom(table as "run")
      .select(["id", ...(columns as "title"[])])
      .where(column as "id", "=", runId),
  );
  return rows;
}

function masked(
  row: Cells,
  texts: readonly string[],
  json: readonly string[],
  forgetting: Forgetting,
): Record<string, string> | undefined {
  const cells: Record<string, string> = {};
  for (const column of [...texts, ...json]) {
    const cell = row[column];
    const changed = typeof cell === "string" ? maskedCell(cell, forgetting) : undefined;
    if (changed !== undefined) cells[column] = changed;
  }
  return Object.keys(cells).length === 0 ? undefined : cells;
}

/** Nothing where there is nothing to take out. What is JSON stays JSON. */
function maskedCell(cell: string, { scope, holdsPassage }: Forgetting): string | undefined {
  if (!holdsPassage(unescaped(cell))) return undefined;
  const mask = (text: string) => maskDrawn(scope, NOWHERE, text);
  const value = jsonIn(cell);
  return value === undefined
    ? mask(cell)
    : JSON.stringify(value, (_, inner: unknown) =>
        typeof inner === "string" ? mask(inner) : inner,
      );
}

function jsonIn(cell: string): unknown {
  if (!/^\s*[[{"]/.test(cell)) return undefined;
  try {
    return JSON.parse(cell) as unknown;
  } catch {
    return undefined;
  }
}

function* forgetEvents(runId: string, { holdsPassage }: Forgetting): DatabaseWork<boolean> {
  const rows = yield* query(
    db
      .selectFrom("event")
      .select(["id", "data"])
      .where("stream", "=", runId)
      .where("data", "is not", null),
  );
  const found = rows.filter(({ data }) => data !== null && holdsPassage(unescaped(data)));
  for (const { id } of found) {
    yield* execute(db.updateTable("event").set({ data: null }).where("id", "=", id));
  }
  return found.length > 0;
}

/** White space in JSON texts is written as escapes; a passage may go over several lines. */
function unescaped(text: string): string {
  return text.replaceAll(/\\[nrt]/g, " ");
}

const NOWHERE = { conversationId: null, messageId: null };
