/** What a run ends with: the output of its last step, by step where several branches end it. */

import type { Json } from "../../../kernel/base/json.ts";
import type { RunChange } from "../../../kernel/run/decision.ts";
import { type DatabaseWork, query } from "../../../kernel/store/database-work.ts";
import { WHOLE_RUN } from "../routing/open-run.ts";
import type { RoutePlan, RunEnd } from "../routing/route-plan.ts";
import type { RunContext } from "./run-context.ts";
import { running } from "./run-tables.ts";
import { outputsOf } from "./scope-values.ts";

export function* endOfRun(
  run: RunContext,
  plan: RoutePlan,
  end: RunEnd,
): DatabaseWork<NonNullable<RunChange["end"]>> {
  if (end.state === "completed") {
    return { state: "completed", result: yield* resultOf(run, plan) };
  }
  const failed = yield* stepsOf([...end.failures]);
  const inPlan = plan.visits.filter(({ failed: isFailed }) => isFailed).map(({ step }) => step);
  const names = [...new Set([...failed.map(({ step }) => step), ...inPlan])].map(
    (step) => `"${run.graph.step(step).name}"`,
  );
  return {
    state: "failed",
    reason: {
      code: "steps_failed",
      message: `${names.join(", ")} failed.`,
      hint: "`step list` tells why. `step retry` does the failed steps again and goes on from there.",
    },
  };
}

function* resultOf(run: RunContext, { routed }: RoutePlan): DatabaseWork<Json> {
  const before = yield* query(
    running
      .selectFrom("step_visit")
      .select(["id", "step"])
      .where("run_id", "=", run.runId)
      .where("scope", "=", WHOLE_RUN)
      .where("is_last", "=", 1)
      .where("kind", "<>", "start")
      .orderBy("id"),
  );
  const now = routed.filter(({ id, isLast }) => isLast && id !== run.runId).map(({ id }) => id);
  const lasts = [...before, ...(yield* stepsOf(now))].toSorted((one, other) =>
    one.id < other.id ? -1 : 1,
  );
  const outputs = yield* outputsOf(
    run,
    lasts.map(({ id }) => id),
  );
  const [only] = lasts;
  if (only && lasts.every(({ step }) => step === only.step)) {
    return outputs.get(lasts.at(-1)?.id ?? "") ?? {};
  }
  return Object.fromEntries(lasts.map(({ id, step }) => [step, outputs.get(id) ?? null]));
}

function* stepsOf(ids: readonly string[]): DatabaseWork<readonly { id: string; step: string }[]> {
  if (ids.length === 0) return [];
  return yield* query(
    running
      .selectFrom("step_visit")
      .select(["id", "step"])
      .where("id", "in", [...ids])
      .orderBy("id"),
  );
}
