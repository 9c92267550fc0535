/** SQLite's own view of its file, and whether its tables are the ones this program makes. PostgreSQL sees to its own. */

import { DatabaseSync } from "node:sqlite";
import { RESTORE_HINT, type Report } from "./finding.ts";
import { columnWords, type Migration } from "./migrate.ts";
import type { Snapshot } from "./snapshot.ts";
import { sqlText } from "./sql-text.ts";

export async function checkSqliteFile(
  snapshot: Snapshot,
  report: Report,
  migrations: readonly Migration[] | undefined,
): Promise<void> {
  if (snapshot.dialect !== "sqlite") return;
  for (const { integrity_check: message } of await snapshot.rows<{ integrity_check: string }>(
    INTEGRITY,
  )) {
    if (message === "ok") continue;
    report({
      code: "file_damaged",
      severity: "damage",
      place: "file",
      message,
      hint: RESTORE_HINT,
    });
  }
  for (const row of await snapshot.rows<{ table: string; rowid: number | null; parent: string }>(
    REFERENCES,
  )) {
    report({
      code: "reference_broken",
      severity: "damage",
      place: `${row.table} row ${row.rowid ?? "?"}`,
      message: `It refers to a row of ${row.parent} that is not there.`,
      hint: RESTORE_HINT,
    });
  }
  if (migrations !== undefined) await checkShape(snapshot, report, migrations);
}

async function checkShape(
  snapshot: Snapshot,
  report: Report,
  migrations: readonly Migration[],
): Promise<void> {
  const applied = await snapshot.rows<{ name: string }>(LIST_MIGRATIONS);
  const wanted = expectedShape(
    migrations.filter(({ name }) => applied.some((a) => a.name === name)),
  );
  const found = new Map(
    (await snapshot.rows<ShapeRow>(LIST_SHAPE)).map(({ name, sql }) => [name, sql]),
  );
  for (const name of new Set([...wanted.keys(), ...found.keys()])) {
    if (wanted.get(name) === found.get(name)) continue;
    const isUnknown = !wanted.has(name);
    report({
      code: "shape_differs",
      severity: isUnknown ? "drift" : "damage",
      place: name,
      message: isUnknown
        ? "The database has something that this program did not make."
        : "It is missing, or not as this program makes it.",
      hint: isUnknown ? "Remove it if nobody needs it." : RESTORE_HINT,
    });
  }
}

interface ShapeRow {
  readonly name: string;
  readonly sql: string | null;
}

function expectedShape(migrations: readonly Migration[]): ReadonlyMap<string, string | null> {
  const database = new DatabaseSync(":memory:");
  try {
    const words = columnWords("sqlite");
    for (const migration of migrations) {
      for (const statement of migration.statements(words)) database.exec(statement);
    }
    const rows = database.prepare(LIST_SHAPE.sqlite).all() as unknown as ShapeRow[];
    return new Map(rows.map(({ name, sql }) => [name, sql]));
  } finally {
    database.close();
  }
}

const INTEGRITY = sqlText("pragma integrity_check");
const REFERENCES = sqlText("pragma foreign_key_check");
const LIST_MIGRATIONS = sqlText("select name from migration order by position");
/** With the indexes SQLite makes by itself; `glob` because `like` takes one case of a letter for the other. */
const LIST_SHAPE = sqlText(
  `select name, sql from sqlite_schema where name not in ('migration', 'sqlite_sequence')
     and name not glob 'sqlite_stat*' and name not glob 'sqlite_autoindex_migration_[12]'`,
);
