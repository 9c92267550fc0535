/** Archiving, restoring and deleting runs that have ended. A deleted run leaves its events as a trail. */

import { sql } from "kysely";
import { ProductError } from "../../kernel/base/errors.ts";
import type { Along } from "../../kernel/operation/lifecycle-operations.ts";
import { isEnded } from "../../kernel/run/run-state.ts";
import { type Act, checkVersion } from "../../kernel/store/audited-rows.ts";
import { type DatabaseWork, execute, queryFirst } from "../../kernel/store/database-work.ts";
import { appendEvents } from "../../kernel/store/events.ts";
import { db } from "../../kernel/store/query-builder.ts";
import { refuseDependents } from "../../kernel/store/references.ts";
import { countOfRun } from "./run-parts.ts";
import { getRun, type ShownRun } from "./run-rows.ts";

export function archiveRun(id: string, act: Act, expectedVersion?: number): DatabaseWork<ShownRun> {
  return setArchived(id, 1, act, expectedVersion);
}

export function restoreRun(id: string, act: Act, expectedVersion?: number): DatabaseWork<ShownRun> {
  return setArchived(id, 0, act, expectedVersion);
}

export function* deleteRun(id: string, act: Act, expectedVersion?: number): DatabaseWork<void> {
  const run = yield* getEnded(id, expectedVersion);
  yield* refuseDependents(
    "run",
    id,
    [
      { what: "runs below it", table: "run", where: { parent_run_id: id } },
      { what: "artifacts", table: "artifact", where: { run_id: id } },
      { what: "tasks", table: "task", where: { run_id: id } },
      { what: "tasks drawn from it", table: "task", where: DRAWN(id) },
      { what: "decisions drawn from it", table: "decision", where: DRAWN(id) },
      { what: "highlights drawn from it", table: "highlight", where: DRAWN(id) },
    ],
    "Archive the run instead, or delete these first.",
  );
  yield* execute(db.deleteFrom("run").where("id", "=", id));
  yield* tell(run, "run.deleted", act);
}

export function* listRunAlong(id: string): DatabaseWork<readonly Along[]> {
  return [
    { what: "exchanges", count: yield* countOfRun("exchange", id) },
    { what: "jobs", count: yield* countOfRun("job", id) },
    { what: "inbox entries", count: yield* countOfRun("wait", id) },
    { what: "recorded effects", count: yield* countOfRun("effect", id) },
  ];
}

const DRAWN = (id: string) => ({ source_type: "run", source_id: id });

function* setArchived(
  id: string,
  isArchived: 0 | 1,
  act: Act,
  expectedVersion: number | undefined,
): DatabaseWork<ShownRun> {
  const run = yield* getEnded(id, expectedVersion);
  if (run.is_archived !== isArchived) {
    yield* execute(
      db
        .updateTable("run")
        .set({ is_archived: isArchived, version: sql<number>`version + 1` })
        .where("id", "=", id),
    );
    yield* tell(run, isArchived === 1 ? "run.archived" : "run.restored", act);
  }
  return yield* getRun(id, "everything");
}

interface EndedRun {
  readonly id: string;
  readonly version: number;
  readonly project_id: string | null;
  readonly is_archived: number;
}

function* getEnded(id: string, expectedVersion: number | undefined): DatabaseWork<EndedRun> {
  const run = yield* queryFirst(
    db
      .selectFrom("run")
      .select(["id", "state", "version", "project_id", "is_archived"])
      .where("id", "=", id),
  );
  if (run === undefined) throw new TypeError("A run that was seen is gone.");
  checkVersion("run", run, expectedVersion);
  if (isEnded(run.state)) return run;
  throw new ProductError("run_alive", `The run "${id}" is ${run.state}.`, {
    kind: "conflict",
    hint: "Wait for its end, or cancel it first.",
  });
}

function* tell(run: EndedRun, type: string, { actor, now, because }: Act): DatabaseWork<void> {
  const data = because === undefined ? {} : { because };
  yield* appendEvents([{ stream: run.id, type, projectId: run.project_id, actor, data }], now);
}
