/** The one move that routes: it looks at what is open in a run, and turns what follows into a decision. */

import type { Decision, DecisionEvent, NewJob } from "../../../kernel/run/decision.ts";
import type { MoveHandler } from "../../../kernel/run/handler.ts";
import type { DatabaseWork } from "../../../kernel/store/database-work.ts";
import { findAssignees } from "../catalogue/assignees.ts";
import { route } from "../routing/route.ts";
import type { DecisionRecord, RoutePlan } from "../routing/route-plan.ts";
import { assigneeOf, beginJob } from "./begin-job.ts";
import { deadlineTimers } from "./deadlines.ts";
import { routingHold } from "./hold-waits.ts";
import { type LoadedRun, loadOpenRun } from "./load-open-run.ts";
import { LOOK, lookJob } from "./next-look.ts";
import { routedEffect } from "./routed-effect.ts";
import { loadRun, type RunContext } from "./run-context.ts";
import { endOfRun } from "./run-result.ts";
import { withdrawalOf } from "./withdrawal.ts";

export function lookHandler(nextId: () => string): MoveHandler {
  return {
    kind: "move",
    name: LOOK,
    goesLast: true,
    *decide(job) {
      const run = yield* loadRun(job.runId);
      const loaded = yield* loadOpenRun(run);
      const plan = route(run.graph, loaded.open, loaded.facts, nextId);
      return yield* decisionOf(run, loaded, plan, job.now);
    },
  };
}

function* decisionOf(
  run: RunContext,
  { rows }: LoadedRun,
  plan: RoutePlan,
  now: number,
): DatabaseWork<Decision> {
  const jobs = yield* beginJobs(run, plan);
  return {
    withdraw: withdrawalOf(rows, plan),
    effects: [routedEffect(run, plan)],
    jobs: plan.isMore ? [...jobs, lookJob(run.look + 1)] : jobs,
    waits: plan.holds.map((hold) => routingHold(run, hold, (rows.get(hold.id)?.waits ?? 0) + 1)),
    timers: deadlineTimers(run, plan, now),
    events: plan.decisions.map(toEvent),
    ...(plan.end === undefined ? {} : { run: { end: yield* endOfRun(run, plan, plan.end) } }),
  };
}

function* beginJobs(run: RunContext, { visits }: RoutePlan): DatabaseWork<readonly NewJob[]> {
  const begun = visits.filter(({ failed }) => failed === undefined);
  const named = begun.flatMap(({ step }) => assigneeOf(run.graph.step(step)) ?? []);
  const assignees = yield* findAssignees([...new Set(named)]);
  return begun.map((visit) => {
    const name = assigneeOf(run.graph.step(visit.step));
    return beginJob(run, visit, name === undefined ? undefined : assignees.get(name));
  });
}

/** Says what was asked and answered, not the values: those stand with the effect, where a redaction reaches them. */
function toEvent({ visitId, step, tried, target }: DecisionRecord): DecisionEvent {
  return {
    type: "decision.taken",
    data: {
      visit: visitId,
      step,
      target: target ?? null,
      tried: tried.map(({ condition, result }) => ({ condition, result })),
    },
  };
}
