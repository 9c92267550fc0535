/** What a run takes back when work is dropped: whatever may be planned for it, by every key it may have. */

import type { Withdrawal } from "../../../kernel/run/decision.ts";
import type { RoutePlan } from "../routing/route-plan.ts";
import { askKey, callKey, collectKey, deadlineKey, waitKey, workKey } from "./job-keys.ts";
import type { StepVisitTable } from "./run-tables.ts";

type Withdrawn = Pick<StepVisitTable, "id" | "kind" | "attempt" | "waits">;

export function withdrawalOf(
  rows: ReadonlyMap<string, Withdrawn>,
  { dropped, closed }: Pick<RoutePlan, "dropped" | "closed">,
): Withdrawal {
  const ids = [...dropped, ...closed.map(({ id }) => id)];
  return withdrawalFor(ids.flatMap((id) => rows.get(id) ?? []));
}

export function withdrawalFor(rows: readonly Withdrawn[]): Withdrawal {
  if (rows.length === 0) return {};
  const working = rows.filter(({ kind }) => kind !== "container");
  return {
    jobs: working.flatMap(({ id, attempt, waits }) => [
      workKey(id, attempt),
      askKey(id, waits + 1),
      collectKey(id),
      callKey(id),
    ]),
    waits: rows.filter(({ waits }) => waits > 0).map(({ id, waits }) => waitKey(id, waits)),
    timers: rows.filter(({ kind }) => kind === "container").map(({ id }) => deadlineKey(id)),
    runs: rows.filter(({ kind }) => kind === "subflow").map(({ id }) => id),
  };
}
