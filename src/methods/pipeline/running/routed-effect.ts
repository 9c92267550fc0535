/** A look's plan as an effect: written down once, with why each decision went where it went. */

import type { Json } from "../../../kernel/base/json.ts";
import type { Effect } from "../../../kernel/run/decision.ts";
import type { RoutePlan } from "../routing/route-plan.ts";
import type { RunContext } from "./run-context.ts";

export const ROUTED = "pipeline.routed";

/** Ids and places only: values stay where they are. */
export type RoutedData = Pick<
  RoutePlan,
  | "routed"
  | "visits"
  | "containers"
  | "started"
  | "ended"
  | "closed"
  | "arrived"
  | "joined"
  | "holds"
  | "dropped"
  | "decisions"
>;

export function routedEffect({ look }: RunContext, plan: RoutePlan): Effect {
  const { isMore: _isMore, end: _end, ...data } = plan;
  return { key: `look:${look}`, kind: ROUTED, data: data satisfies RoutedData as unknown as Json };
}
