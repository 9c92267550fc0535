/** Where the workspace stands; the top bar, the navigation and the tab's title show it. */

import type { Output } from "../api/operation.ts";
import { useOperation } from "../data/use-operation.ts";

export type Status = Output<"workspace.show">;

export function useStatus(): Status | undefined {
  return useOperation("workspace.show", {}, { isUrgent: true }).data;
}

export function runningCount({ runs }: Status): number {
  return (runs.byState["running"] ?? 0) + (runs.byState["queued"] ?? 0);
}
