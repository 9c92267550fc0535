/** From a finished visit to the steps it leads to. Decisions are no tasks: they are answered on the way. */

import { evaluateCondition } from "../../../kernel/base/condition-evaluate.ts";
import type { JsonObject } from "../../../kernel/base/json.ts";
import type { DecisionStep } from "../workflow/workflow-definition.ts";
import { type Graph, isDecision } from "./graph.ts";
import type { DecisionRecord, Hold, Tried } from "./route-plan.ts";

export type Following =
  | {
      readonly kind: "on";
      readonly targets: readonly Followed[];
      readonly decisions: readonly DecisionRecord[];
    }
  | { readonly kind: "held"; readonly hold: Hold; readonly decisions: readonly DecisionRecord[] };

export interface Followed {
  readonly step: string;
  /** The last decision on the way, or the step that was left: where the edge to it is drawn from. */
  readonly via: string;
}

/** `values` are the names that conditions may use. */
export function followDecisions(
  graph: Graph,
  visit: { readonly id: string; readonly step: string },
  values: JsonObject,
): Following {
  const targets: Followed[] = [];
  const decisions: DecisionRecord[] = [];
  for (const first of graph.targetsOf(visit.step)) {
    const passed = new Set<string>();
    let target = first;
    let via = visit.step;
    for (let step = graph.step(target); isDecision(step); step = graph.step(target)) {
      if (passed.has(step.id)) return { kind: "held", hold: cycleHold(visit.id, step), decisions };
      passed.add(step.id);
      const { record, hold } = decide(visit.id, step, values);
      decisions.push(record);
      if (record.target === undefined) return { kind: "held", hold, decisions };
      via = step.id;
      target = record.target;
    }
    targets.push({ step: target, via });
  }
  return { kind: "on", targets, decisions };
}

interface Answer {
  readonly record: DecisionRecord;
  /** What to say where there is no target. */
  readonly hold: Hold;
}

function decide(visitId: string, step: DecisionStep, values: JsonObject): Answer {
  const tried: Tried[] = [];
  const answer = (target: string | undefined, hold: Hold): Answer => ({
    record: { visitId, step: step.id, tried, target },
    hold,
  });
  for (const { text, condition, targetStepId } of step.branches) {
    const { result, reason, evaluated } = evaluateCondition(condition, values);
    tried.push({ condition: text, result, evaluated, ...(reason === undefined ? {} : { reason }) });
    if (result === "unknown") return answer(undefined, unknownHold(visitId, step, tried));
    if (result === "true") return answer(targetStepId, unmatchedHold(visitId, step, tried));
  }
  return answer(step.defaultBranch, unmatchedHold(visitId, step, tried));
}

function unknownHold(id: string, step: DecisionStep, tried: readonly Tried[]): Hold {
  const last = tried.at(-1);
  return {
    id,
    code: "condition_unknown",
    message: `"${step.name}" cannot be decided: ${last?.condition ?? ""} — ${last?.reason ?? "unknown"}.`,
    details: { step: step.id, tried: toJson(tried) },
  };
}

function unmatchedHold(id: string, step: DecisionStep, tried: readonly Tried[]): Hold {
  return {
    id,
    code: "no_branch_matches",
    message: `No branch of "${step.name}" matches and it has no default.`,
    details: { step: step.id, tried: toJson(tried) },
  };
}

function cycleHold(id: string, step: DecisionStep): Hold {
  return {
    id,
    code: "decision_cycle",
    message: `The decisions around "${step.name}" lead back to it without any work between them.`,
    details: { step: step.id },
  };
}

function toJson(tried: readonly Tried[]) {
  return tried.map(({ condition, result, reason, evaluated }) => ({
    condition,
    result,
    reason: reason ?? null,
    evaluated: evaluated.map((looked) => ({ ...looked })),
  }));
}
