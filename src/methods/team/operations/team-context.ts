/** What the team's operations share: finding the run, reading it as somebody may see it, acting on it in one transaction. */

import { ProductError } from "../../../kernel/base/errors.ts";
import { change } from "../../../kernel/operation/change-work.ts";
import type { Caller } from "../../../kernel/operation/caller.ts";
import type { OperationContext } from "../../../kernel/operation/operation.ts";
import { withoutRedactedPassages } from "../../../kernel/operation/redacted-view.ts";
import { actOnRun } from "../../../kernel/run/act-on-run.ts";
import type { Decision } from "../../../kernel/run/decision.ts";
import { type DatabaseWork, queryFirst } from "../../../kernel/store/database-work.ts";
import { db } from "../../../kernel/store/query-builder.ts";
import { resolveId } from "../../../kernel/store/resolve-id.ts";
import { TEAM } from "../running/begin-team.ts";
import { putting } from "../running/team-effects.ts";
import { loadTeam, writePuts } from "../state/team-rows.ts";
import type { Put, TeamState } from "../state/team-state.ts";

export interface TeamRun {
  readonly runId: string;
  readonly projectId: string | undefined;
  readonly isConcluded: boolean;
}

export function* findRun(given: string, caller: Caller): DatabaseWork<TeamRun> {
  const runId = yield* resolveId("run", given, caller);
  const run = yield* queryFirst(
    db.selectFrom("run").select(["method", "project_id", "state"]).where("id", "=", runId),
  );
  if (run?.method === TEAM) {
    const { project_id, state } = run;
    return { runId, projectId: project_id ?? undefined, isConcluded: state === "completed" };
  }
  throw new ProductError("run_not_of_team", "This is no run of a team.", {
    kind: "conflict",
    hint: "`team runs` lists them.",
    details: { runId, method: run?.method ?? null },
  });
}

/** Reads, and leaves out what is redacted where the run belongs. */
export function readRun<Shown>(
  { kernel, caller }: OperationContext,
  given: string,
  read: (runId: string) => DatabaseWork<Shown>,
): Promise<Shown> {
  return kernel.store.read(function* () {
    const { runId, projectId } = yield* findRun(given, caller);
    return yield* withoutRedactedPassages(yield* read(runId), projectId);
  });
}

/** Decided and applied in one transaction: refused with the reason, or it has happened. */
export async function actOn<Result>(
  context: OperationContext,
  given: string,
  decide: (
    state: TeamState,
    key: string,
  ) => { readonly decision: Decision; readonly result: Result },
  { reopens = false }: { readonly reopens?: boolean } = {},
): Promise<Result & { readonly runId: string }> {
  const { kernel, caller } = context;
  const done = await change(context, function* ({ actor, now }) {
    const { runId } = yield* findRun(given, caller);
    const key = `act ${kernel.ids.next()}`;
    const { decision, result } = decide(yield* loadTeam(runId), key);
    const decided = function* (): DatabaseWork<Decision> {
      yield* [];
      return decision;
    };
    yield* actOnRun(kernel.engine, { runId, actor, reopens }, decided, now);
    return { ...result, runId };
  });
  kernel.wake();
  return done;
}

/** The same for what only changes records: also a team that has concluded can be told something for its next round. */
export async function putInto<Result>(
  context: OperationContext,
  given: string,
  decide: (state: TeamState) => { readonly puts: readonly Put[]; readonly result: Result },
): Promise<Result & { readonly runId: string }> {
  const { kernel, caller } = context;
  const done = await change(context, function* ({ actor, now }) {
    const { runId, isConcluded } = yield* findRun(given, caller);
    const { puts, result } = decide(yield* loadTeam(runId));
    if (isConcluded) yield* writePuts(runId, puts);
    else {
      const effects = [putting(`act ${kernel.ids.next()}`, puts)];
      const decided = function* (): DatabaseWork<Decision> {
        yield* [];
        return { effects };
      };
      yield* actOnRun(kernel.engine, { runId, actor }, decided, now);
    }
    return { ...result, runId };
  });
  kernel.wake();
  return done;
}
