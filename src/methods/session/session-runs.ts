/** Runs that are bound to a session: what their turns change in its repository becomes its intents. */

import { type DatabaseWork, execute, query, queryFirst } from "../../kernel/store/database-work.ts";
import { sessionDb } from "./session-tables.ts";

export interface BoundRun {
  readonly runId: string;
  readonly title: string;
  readonly state: string;
  readonly failure: string | undefined;
}

export function* listBoundRuns(sessionId: string): DatabaseWork<readonly BoundRun[]> {
  const rows = yield* query(
    sessionDb
      .selectFrom("session_run")
      .innerJoin("run", "run.id", "session_run.run_id")
      .select(["run.id", "run.title", "run.state", "session_run.failure"])
      .where("session_run.session_id", "=", sessionId)
      .orderBy("session_run.at")
      .orderBy("run.id"),
  );
  return rows.map(({ id, title, state, failure }) => ({
    runId: id,
    title,
    state,
    failure: failure ?? undefined,
  }));
}

export function* insertBoundRun(
  { runId, sessionId }: { readonly runId: string; readonly sessionId: string },
  { actor, now }: { readonly actor: string; readonly now: number },
): DatabaseWork<void> {
  yield* execute(
    sessionDb.insertInto("session_run").values({
      run_id: runId,
      session_id: sessionId,
      bound_by: actor,
      at: now,
      failure: null,
    }),
  );
}

/** The session of a run, or of the run that started it, and so on up. */
export function* findSessionOfRun(runId: string): DatabaseWork<string | undefined> {
  let id: string | null = runId;
  while (id !== null) {
    const bound: { session_id: string } | undefined = yield* queryFirst(
      sessionDb.selectFrom("session_run").select("session_id").where("run_id", "=", id),
    );
    if (bound !== undefined) return bound.session_id;
    const run: { parent_run_id: string | null } | undefined = yield* queryFirst(
      sessionDb.selectFrom("run").select("parent_run_id").where("id", "=", id),
    );
    id = run?.parent_run_id ?? null;
  }
  return undefined;
}

/** Sessions all of whose runs have ended, and which nobody has tried to finish with them yet. */
export function* listEndedBindings(): DatabaseWork<readonly string[]> {
  const rows = yield* query(
    sessionDb
      .selectFrom("session_run")
      .innerJoin("session", "session.id", "session_run.session_id")
      .innerJoin("run", "run.id", "session_run.run_id")
      .select(["session_run.session_id", "run.state"])
      .where("session.state", "in", ["open", "finishing", "synthesised"])
      .where("session_run.failure", "is", null),
  );
  const open = new Set(
    rows.filter(({ state }) => !ENDED.includes(state)).map((row) => row.session_id),
  );
  return [...new Set(rows.map((row) => row.session_id))].filter((id) => !open.has(id));
}

const ENDED: readonly string[] = ["completed", "failed", "cancelled"];

export function* setBindingFailure(sessionId: string, failure: string): DatabaseWork<void> {
  yield* execute(
    sessionDb.updateTable("session_run").set({ failure }).where("session_id", "=", sessionId),
  );
}
