/** Effects as rows: each is written once by its key in the run, and only one that was new is applied. */

import { type DatabaseWork, type RowsStatement, rowsOf, together } from "../store/database-work.ts";
import { insertText } from "../store/sql-text.ts";
import type { Effect } from "./decision.ts";
import type { EngineTransaction } from "./engine-transaction.ts";
import type { EffectToApply, JobView } from "./handler.ts";

export interface PlannedEffect {
  readonly effect: Effect;
  readonly view: JobView;
  readonly exchangeId: string | undefined;
}

/** For callers that have nothing else to insert; otherwise the statement shares a round trip. */
export function* addEffects(
  transaction: EngineTransaction,
  planned: readonly PlannedEffect[],
): DatabaseWork<void> {
  if (planned.length === 0) return;
  const results = yield* together([insertEffectsStatement(planned, transaction.now)]);
  yield* applyNew(transaction, planned, rowsOf(results, 0));
}

export function insertEffectsStatement(
  planned: readonly PlannedEffect[],
  at: number,
): RowsStatement {
  const rows = planned.map(({ effect, view, exchangeId }) => ({
    run_id: view.runId,
    key: effect.key,
    job_id: view.id,
    exchange_id: exchangeId ?? null,
    kind: effect.kind,
    data: JSON.stringify(effect.data),
    at,
  }));
  return { kind: "rows", sql: INSERT_EFFECTS, rows };
}

export interface InsertedEffect {
  readonly run_id: string;
  readonly key: string;
}

/** In the order they were planned: an effect may count on those before it. */
export function* applyNew(
  { handlers, nextId, now }: EngineTransaction,
  planned: readonly PlannedEffect[],
  inserted: readonly InsertedEffect[],
): DatabaseWork<void> {
  const left = new Set(inserted.map(({ run_id, key }) => `${run_id} ${key}`));
  const fresh = planned.filter(({ effect, view }) => left.delete(`${view.runId} ${effect.key}`));
  for (const group of ofOneKind(fresh)) {
    const kind = handlers.effect(group[0]?.effect.kind ?? "");
    const effects = group.map(({ effect, view, exchangeId }): EffectToApply => {
      const { key, data } = effect;
      return { key, data, job: view, exchangeId, now, nextId };
    });
    if (kind.applyAll) yield* kind.applyAll(effects);
    else for (const effect of effects) yield* kind.apply(effect);
  }
}

/** Only neighbours share a group, so that the order stays. */
function ofOneKind(planned: readonly PlannedEffect[]): readonly (readonly PlannedEffect[])[] {
  const groups: PlannedEffect[][] = [];
  for (const each of planned) {
    const group = groups.at(-1);
    if (group?.[0]?.effect.kind === each.effect.kind) group.push(each);
    else groups.push([each]);
  }
  return groups;
}

const INSERT_EFFECTS = insertText(
  "effect",
  {
    run_id: "text",
    key: "text",
    job_id: "text",
    exchange_id: "text",
    kind: "text",
    data: "text",
    at: "int",
  },
  "on conflict (run_id, key) do nothing",
  "run_id, key",
);
