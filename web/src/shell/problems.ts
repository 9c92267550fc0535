/** Problems of changes that have no place of their own on the page, such as those made from a menu. */

import { type CallProblem, toProblem } from "../api/call-problem.ts";
import { createSharedState } from "../data/shared-state.ts";

export const problems = createSharedState<CallProblem | undefined>(undefined);

/** Shows it in a dialog: it must not go by unseen. */
export function reportProblem(error: unknown): void {
  problems.set(toProblem(error));
}
