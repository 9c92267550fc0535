/** What a call used, booked on its run. */

import type { NewAnswer } from "./exchanges.ts";
import type { RunDraft } from "./run-drafts.ts";

export function bookUse(run: RunDraft | undefined, answer: NewAnswer): void {
  if (!run) return;
  run.turns += 1;
  run.inputTokens += answer.inputTokens ?? 0;
  run.outputTokens += answer.outputTokens ?? 0;
  run.costMicroUsd += answer.costMicroUsd ?? 0;
  run.hasUnknownCost ||= answer.costMicroUsd === null;
  run.isChanged = true;
}
