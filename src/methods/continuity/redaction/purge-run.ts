/**
 * Takes redacted passages out of what the engine keeps of a run that has ended: its title, input and result, its jobs,
 * what it asked people, what followed from replies. Events keep their time, kind and hash; one that holds a passage
 * loses its facts, in the form that pruning gives them too.
 */

import { type DatabaseWork, execute, query } from "../../../kernel/store/database-work.ts";
import { db } from "../../../kernel/store/query-builder.ts";
import { maskDrawn, type RedactionScope } from "../../../kernel/store/redaction-scope.ts";
import type { PassageHunter } from "./held-words.ts";

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
  return (yield* forgetEvents(runId, forgetting)) || isChanged;
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
  { scope, holdsPassage }: Forgetting,
): Record<string, string> | undefined {
  const cells: Record<string, string> = {};
  const mask = (text: string) => maskDrawn(scope, NOWHERE, text);
  for (const column of [...texts, ...json]) {
    const cell = row[column];
    if (typeof cell !== "string" || !holdsPassage(unescaped(cell))) continue;
    cells[column] = texts.includes(column)
      ? mask(cell)
      : JSON.stringify(JSON.parse(cell), (_, value: unknown) =>
          typeof value === "string" ? mask(value) : value,
        );
  }
  return Object.keys(cells).length === 0 ? undefined : cells;
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
