/** Binding a run of any method to a session. The methods never hear of it. */

import { ProductError } from "../../kernel/base/errors.ts";
import type { Caller } from "../../kernel/operation/caller.ts";
import { requireRightOn } from "../../kernel/operation/project-rights.ts";
import { type DatabaseWork, queryFirst } from "../../kernel/store/database-work.ts";
import { resolveId } from "../../kernel/store/resolve-id.ts";
import { findSessionOfRun, insertBoundRun } from "./session-runs.ts";
import { sessionDb } from "./session-tables.ts";
import { appendEntry } from "./session-trail.ts";
import type { Session } from "./sessions.ts";

interface Binding {
  /** The run, as the caller calls it. */
  readonly given: string;
  readonly session: Session;
  readonly caller: Caller;
}

export function* bindRun(
  { given, session, caller }: Binding,
  act: { readonly actor: string; readonly now: number },
): DatabaseWork<void> {
  const runId = yield* resolveId("run", given, caller);
  const run = yield* queryFirst(
    sessionDb.selectFrom("run").select(["state", "project_id"]).where("id", "=", runId),
  );
  yield* requireRightOn(caller, { projectId: run?.project_id ?? undefined }, "run");
  if (run === undefined || ["completed", "failed", "cancelled"].includes(run.state)) {
    throw new ProductError("run_ended", `The run ${runId} has ended.`, {
      kind: "conflict",
      hint: "Bind a run while it is under way, or record what it did: session intent",
    });
  }
  const bound = yield* findSessionOfRun(runId);
  if (bound === session.id) return;
  if (bound !== undefined) {
    throw new ProductError("run_bound", `The run is bound to the session ${bound} already.`, {
      kind: "conflict",
      hint: "A run belongs to one session; finish that one first.",
    });
  }
  yield* insertBoundRun({ runId, sessionId: session.id }, act);
  yield* appendEntry(session.id, { kind: "run_bound", data: { run: runId } }, act);
}
