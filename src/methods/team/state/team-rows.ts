/** A team's state out of its rows, and back into them. */

import { notFound } from "../../../kernel/base/errors.ts";
import {
  type DatabaseWork,
  execute,
  query,
  queryFirst,
} from "../../../kernel/store/database-work.ts";
import { storableText } from "../../../kernel/store/storable-text.ts";
import type { Noun } from "./team-records.ts";
import { briefShape } from "./team-shape.ts";
import { NOUNS, numberOf, type Put, type TeamLists, type TeamState } from "./team-state.ts";
import { COLUMNS, type Column, columnName, TABLES, teamTables } from "./team-tables.ts";

type Cell = string | number | null;
type Row = Record<string, Cell>;

export function* findTeamRun(runId: string) {
  return yield* queryFirst(
    teamTables.selectFrom("team_run").selectAll().where("run_id", "=", runId),
  );
}

export function* loadTeam(runId: string): DatabaseWork<TeamState> {
  const run = yield* findTeamRun(runId);
  if (run === undefined) throw notFound("team run", runId);
  const lists: Partial<Record<Noun, readonly unknown[]>> = {};
  for (const noun of NOUNS) {
    const rows = yield* query(
      teamTables
        .selectFrom(TABLES[noun] as "team_run")
        .selectAll()
        .where("run_id", "=", runId)
        .orderBy("position" as "round"),
    );
    lists[noun] = rows.map((row) => fromRow(noun, row as unknown as Row));
  }
  const { brief, round } = run;
  return { ...(lists as unknown as TeamLists), brief: briefShape.parse(JSON.parse(brief)), round };
}

export function* writePuts(runId: string, puts: readonly Put[]): DatabaseWork<void> {
  for (const { noun, record } of puts) {
    const row = toRow(noun, record as unknown as Readonly<Record<string, unknown>>);
    const { id, position, ...changing } = row;
    yield* execute(
      teamTables
        .insertInto(TABLES[noun] as "team_run")
        .values({ run_id: runId, id, position, ...changing } as never)
        .onConflict((conflict) =>
          conflict.columns(["run_id", "id" as "round"]).doUpdateSet(changing),
        ),
    );
  }
}

function toRow(noun: Noun, record: Readonly<Record<string, unknown>>): Row {
  const id = String(record["id"]);
  const row: Row = { id, position: numberOf(id) };
  for (const [key, { kind }] of Object.entries<Column>(COLUMNS[noun])) {
    row[columnName(key)] = toCell(kind, record[key]);
  }
  return row;
}

function toCell(kind: Column["kind"], value: unknown): Cell {
  if (kind === "json") return storableText(JSON.stringify(value ?? null));
  if (value === null || value === undefined) return null;
  if (kind === "truth") return value === true ? 1 : 0;
  if (typeof value === "number") return value;
  return storableText(typeof value === "string" ? value : JSON.stringify(value));
}

function fromRow(noun: Noun, row: Row): unknown {
  const record: Record<string, unknown> = { id: row["id"] };
  for (const [key, { kind }] of Object.entries<Column>(COLUMNS[noun])) {
    const cell = row[columnName(key)] ?? null;
    record[key] = kind === "json" ? JSON.parse(String(cell)) : kind === "truth" ? cell === 1 : cell;
  }
  return record;
}
