/** Effects as rows: each is written once by its key in the run, and only one that was new is applied. */

import {
  type DatabaseWork,
  type RowsStatement,
  rowsOf,
  together,
  writeRows,
} from "../store/database-work.ts";
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
  return { kind: "rows", sql: INSERT_EFFECTS, rows: toRows(planned, at) };
}

/** Fails where one of them is there already. */
export function* insertNewEffects(
  planned: readonly PlannedEffect[],
  at: number,
): DatabaseWork<void> {
  yield* writeRows(INSERT_NEW_EFFECTS, toRows(planned, at));
}

function toRows(planned: readonly PlannedEffect[], at: number) {
  return planned.map(({ effect, view, exchangeId }) => ({
    run_id: view.runId,
    key: effect.key,
    job_id: view.id,
    exchange_id: exchangeId ?? null,
    kind: effect.kind,
    data: JSON.stringify(effect.data),
    at,
  }));
}

export interface InsertedEffect {
  readonly run_id: string;
  readonly key: string;
}

export function* applyNew(
  transaction: EngineTransaction,
  planned: readonly PlannedEffect[],
  inserted: readonly InsertedEffect[],
): DatabaseWork<void> {
  const left = new Set(inserted.map(({ run_id, key }) => `${run_id} ${key}`));
  const fresh = planned.filter(({ effect, view }) => left.delete(`${view.runId} ${effect.key}`));
  yield* applyEffects(transaction, fresh);
}

/** In the order they were planned: an effect may count on those before it. */
export function* applyEffects(
  { handlers, nextId, now }: EngineTransaction,
  fresh: readonly PlannedEffect[],
): DatabaseWork<void> {
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

const COLUMNS = {
  run_id: "text",
  key: "text",
  job_id: "text",
  exchange_id: "text",
  kind: "text",
  data: "text",
  at: "int",
} as const;
const INSERT_NEW_EFFECTS = insertText("effect", COLUMNS);
const INSERT_EFFECTS = insertText(
  "effect",
  COLUMNS,
  "on conflict (run_id, key) do nothing",
  "run_id, key",
);
