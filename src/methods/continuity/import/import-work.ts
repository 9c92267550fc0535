/** What whoever works on an import writes about it. Another's word does not count, so two never work on one. */

import { ProductError } from "../../../kernel/base/errors.ts";
import {
  type DatabaseWork,
  execute,
  queryFirst,
  writeRows,
} from "../../../kernel/store/database-work.ts";
import { appendEvents } from "../../../kernel/store/events.ts";
import { insertText } from "../../../kernel/store/sql-text.ts";
import { storableText } from "../../../kernel/store/storable-text.ts";
import type { ImportProgress } from "./import-progress.ts";
import { BEAT_LOST_MS, type ImportProblem, readTotals } from "./import-rows.ts";
import { type ImportState, type ImportTable, imports } from "./import-tables.ts";
import type { Branches } from "./source-file.ts";

export interface NewImport {
  readonly id: string;
  readonly name: string;
  readonly bytes: number;
  readonly branches: Branches;
  readonly projectId: string | undefined;
  readonly uploadId: string;
  readonly startedBy: string;
  readonly worker: string;
}

export function* insertImport(made: NewImport, now: number): DatabaseWork<void> {
  const { projectId, uploadId, startedBy, ...same } = made;
  yield* execute(
    imports.insertInto("import").values({
      ...same,
      name: storableText(made.name),
      state: "running",
      project_id: projectId ?? null,
      upload_id: uploadId,
      started_by: startedBy,
      beat_at: now,
      progress: "{}",
      reason: null,
      started_at: now,
      finished_at: null,
    }),
  );
  yield* tell(made, "started", { bytes: made.bytes, branches: made.branches }, now);
}

interface Worker {
  readonly id: string;
  readonly worker: string;
}

/** Throws when another has taken the import over, or a person has stopped it: nothing of the batch then stays. */
export function* beatImport(
  { id, worker }: Worker,
  progress: ImportProgress,
  now: number,
): DatabaseWork<void> {
  const changed = yield* execute(
    imports
      .updateTable("import")
      .set({ beat_at: now, progress: storableText(JSON.stringify(progress)) })
      .where("id", "=", id)
      .where("worker", "=", worker)
      .where("state", "=", "running"),
  );
  if (changed === 0) throw importLost(id);
}

export function importLost(id: string): ProductError {
  return new ProductError(
    "import_stopped",
    `The import "${id}" was stopped, or another goes on with it.`,
    {
      kind: "conflict",
      hint: "What came in stays. Look at it with `import show`.",
      details: { importId: id },
    },
  );
}

/** Makes an interrupted or stopped import this worker's; undefined when somebody works on it who is not `gone`. */
export function* claimImport(
  { id, worker }: Worker,
  now: number,
  gone?: string,
): DatabaseWork<ImportTable | undefined> {
  const changed = yield* execute(
    imports
      .updateTable("import")
      .set({ state: "running", worker, beat_at: now, reason: null, finished_at: null })
      .where("id", "=", id)
      .where((where) =>
        where.or([
          where("state", "in", ["stopped", "failed"]),
          where.and([where("state", "=", "running"), where("beat_at", "<", now - BEAT_LOST_MS)]),
          // Nobody else can have become this worker since it was seen to be gone.
          where.and([where("state", "=", "running"), where("worker", "=", gone ?? "")]),
        ]),
      ),
  );
  if (changed === 0) return undefined;
  // A new pass reads everything anew and reports what it cannot read anew.
  yield* execute(imports.deleteFrom("import_problem").where("import_id", "=", id));
  return yield* queryFirst(imports.selectFrom("import").selectAll().where("id", "=", id));
}

/** Lets go of it without an end, so that whoever comes next goes on at once. */
export function* releaseImport({ id, worker }: Worker): DatabaseWork<void> {
  yield* execute(
    imports
      .updateTable("import")
      .set({ beat_at: 0 })
      .where("id", "=", id)
      .where("worker", "=", worker)
      .where("state", "=", "running"),
  );
}

export function* endImport(
  { id, worker }: { readonly id: string; readonly worker?: string | undefined },
  end: { readonly state: Exclude<ImportState, "running">; readonly reason?: string | undefined },
  { actor, now }: { readonly actor: string; readonly now: number },
): DatabaseWork<boolean> {
  const { state, reason } = end;
  let update = imports
    .updateTable("import")
    .set({
      state,
      reason: reason === undefined ? null : storableText(reason),
      finished_at: now,
      beat_at: now,
    })
    .where("id", "=", id)
    .where("state", "=", "running");
  if (worker !== undefined) update = update.where("worker", "=", worker);
  if ((yield* execute(update)) === 0) return false;
  const row = yield* queryFirst(
    imports.selectFrom("import").select(["project_id"]).where("id", "=", id),
  );
  const totals = yield* readTotals(id);
  const place = { id, projectId: row?.project_id ?? undefined, startedBy: actor };
  yield* tell(place, state, { ...totals }, now);
  return true;
}

/** Told in a stream of its own, so that an import can be followed. Names and words stay out of the log. */
export function* tell(
  { id, projectId, startedBy }: Pick<NewImport, "id" | "projectId" | "startedBy">,
  verb: string,
  facts: Readonly<Record<string, string | number>>,
  now: number,
): DatabaseWork<void> {
  const event = {
    stream: id,
    type: `import.${verb}`,
    projectId: projectId ?? null,
    actor: startedBy,
    data: { id, ...facts },
  };
  yield* appendEvents([event], now);
}

export function* insertProblems(
  importId: string,
  first: number,
  problems: readonly ImportProblem[],
): DatabaseWork<void> {
  const rows = problems.map(({ file, offset, line, code, message }, index) => ({
    import_id: importId,
    position: first + index,
    file: storableText(file),
    byte_offset: offset ?? null,
    line: line ?? null,
    code,
    message: storableText(message),
  }));
  yield* writeRows(INSERT_PROBLEMS, rows);
}

const INSERT_PROBLEMS = insertText("import_problem", {
  import_id: "text",
  position: "int",
  file: "text",
  byte_offset: "int",
  line: "int",
  code: "text",
  message: "text",
});
