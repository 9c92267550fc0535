/** Deadlines of joins are timers: they fire once, also after a restart. */

import * as z from "zod";
import type { NewTimer } from "../../../kernel/run/decision.ts";
import type { MoveHandler } from "../../../kernel/run/handler.ts";
import { queryFirst } from "../../../kernel/store/database-work.ts";
import type { RoutePlan } from "../routing/route-plan.ts";
import { deadlineKey } from "./job-keys.ts";
import { nextLook } from "./next-look.ts";
import { loadRun, type RunContext } from "./run-context.ts";
import { running } from "./run-tables.ts";
import { MARK_JOIN } from "./visit-effects.ts";

export const DEADLINE = "pipeline.deadline";

/** Of a foreach from its beginning, of a join of parallel edges from the first arrival. */
export function deadlineTimers(
  { graph }: RunContext,
  { containers, arrived }: RoutePlan,
  now: number,
): readonly NewTimer[] {
  const ofForeaches = containers.flatMap(({ id, step }): NewTimer[] => {
    const { deadlineMs } = graph.joinOf(step).policy;
    return deadlineMs === undefined
      ? []
      : [timer(deadlineKey(id), now + deadlineMs, { containerId: id })];
  });
  const ofJoins = arrived.flatMap(({ scope, join, visitId, isFirst }): NewTimer[] => {
    const step = graph.step(join);
    const isParallel = step.stepType === "join" && graph.foreachOf(join) === undefined;
    if (!isFirst || !isParallel || step.policy.deadlineMs === undefined) return [];
    const dueAt = now + step.policy.deadlineMs;
    return [timer(deadlineKey(`${join}:${visitId}`), dueAt, { scope, join, visitId })];
  });
  return [...ofForeaches, ...ofJoins];
}

function timer(key: string, dueAt: number, input: NewTimer["followUp"]["input"]): NewTimer {
  return { key, dueAt, followUp: { key, handler: DEADLINE, step: "deadline", input } };
}

const deadlineInput = z.union([
  z.object({ containerId: z.string() }),
  z.object({ scope: z.string(), join: z.string(), visitId: z.string() }),
]);

/** Marks the join, if it still waits; the next look goes on with what there is, or fails it. */
export const deadlineHandler: MoveHandler = {
  kind: "move",
  name: DEADLINE,
  *decide(job) {
    const run = yield* loadRun(job.runId);
    const due = deadlineInput.parse(job.input);
    if ("containerId" in due) {
      const container = yield* queryFirst(
        running
          .selectFrom("step_visit")
          .select(["id", "step"])
          .where("id", "=", due.containerId)
          .where("is_routed", "=", 0),
      );
      if (!container) return {};
      const { onDeadline } = run.graph.joinOf(container.step).policy;
      const data = { containerId: container.id, isForced: onDeadline === "partial" };
      return {
        effects: [{ key: job.key, kind: MARK_JOIN, data }],
        jobs: [yield* nextLook(job.runId)],
      };
    }
    const waiting = yield* queryFirst(
      running
        .selectFrom("join_arrival")
        .select("visit_id")
        .where("run_id", "=", job.runId)
        .where("scope", "=", due.scope)
        .where("step", "=", due.join)
        .where("visit_id", "=", due.visitId),
    );
    const step = run.graph.step(due.join);
    if (!waiting || step.stepType !== "join") return {};
    const isForced = step.policy.onDeadline === "partial";
    return {
      effects: [
        { key: job.key, kind: MARK_JOIN, data: { scope: due.scope, join: due.join, isForced } },
      ],
      jobs: [yield* nextLook(job.runId)],
    };
  },
};
